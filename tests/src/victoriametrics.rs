//! VictoriaMetrics by its export, which gives samples as they are stored, through the tests' own client.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use xtask::http::{self, form};
use xtask::servers::Running;

/// A stored series.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Label to value; the metric's name is the label `__name__`.
    pub labels: BTreeMap<String, String>,
    /// Milliseconds since the Unix epoch, and the value at that time.
    pub samples: Vec<(i64, f64)>,
}

/// All samples that a selector such as `{__name__="cpu_cpu"}` finds.
///
/// # Errors
///
/// The server refuses it.
pub fn export(server: &Running, selector: &str) -> Result<Vec<Series>> {
    ask(server, "/internal/force_flush", &[])?;
    let lines = ask(server, "/api/v1/export", &[("match[]", selector), ("start", "0"), ("end", "9000000000")])?;
    lines.lines().map(series).collect()
}

/// The number of samples that a selector finds.
///
/// # Errors
///
/// The server refuses it.
pub fn count(server: &Running, selector: &str) -> Result<u64> {
    Ok(export(server, selector)?.iter().map(|series| series.samples.len() as u64).sum())
}

fn series(line: &str) -> Result<Series> {
    let line: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
    let labels = line["metric"].as_object().context("a series without labels")?;
    let labels = labels.iter().map(|(name, value)| (name.clone(), value.as_str().unwrap_or("").to_owned())).collect();
    let list = |key: &str| line[key].as_array().map_or(&[][..], Vec::as_slice);
    let times = list("timestamps").iter().map(|time| time.as_i64().context("a time that is no integer"));
    let values = list("values").iter().map(|value| value.as_f64().context("a value that is no number"));
    let samples = times.zip(values).map(|(time, value)| Ok((time?, value?))).collect::<Result<_>>()?;
    Ok(Series { labels, samples })
}

fn ask(server: &Running, path: &str, pairs: &[(&str, &str)]) -> Result<String> {
    let mut request = http::get(format!("{}{path}?{}", server.endpoint(), form(pairs)));
    if let (Some(user), Some(password)) = (&server.access().user, &server.access().password) {
        request = request.basic(user, password);
    }
    let answer = request.send()?;
    if !answer.is_success() {
        bail!("{path}: {} {}", answer.status, answer.text());
    }
    Ok(answer.text())
}
