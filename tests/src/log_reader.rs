//! Histogram logs as the official JavaScript reader sees them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use xtask::log_reader::LogReader;

/// What all histograms of a tag come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tagged {
    /// Lines of the log with that tag.
    pub lines: u64,
    /// Samples in all of them together.
    pub count: u64,
    /// The median of all, in nanoseconds.
    pub p50_ns: u64,
    /// The 99th percentile of all, in nanoseconds.
    pub p99_ns: u64,
    /// The longest of all, in nanoseconds.
    pub max_ns: u64,
}

/// The histograms of a log by tag; none when this is a quick run (`BENCHHOST_QUICK=1`) and the reader is not there, which
/// `cargo xtask test` tells.
///
/// # Errors
///
/// The reader is not there, or does not understand the log.
pub fn read_log(log: &Path) -> Result<Option<BTreeMap<String, Tagged>>> {
    let reader = match LogReader::installed() {
        Ok(Some(reader)) => reader,
        Ok(None) | Err(_) if crate::quick() => return Ok(None),
        Ok(None) => bail!("the reader of histogram logs is not there: run `cargo xtask servers`"),
        Err(error) => return Err(error),
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("read.cjs");
    let output = reader.run(&script).arg(log).stdin(Stdio::null()).output().context("cannot run node")?;
    let words = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("the reader ended with {}:\n{words}", output.status);
    }
    let tags: BTreeMap<String, Value> =
        serde_json::from_slice(&output.stdout).context("the reader printed something that is not JSON")?;
    let tagged = tags.iter().map(|(tag, figures)| {
        let number = |name: &str| figures[name].as_u64().with_context(|| format!("no {name} of {tag}: {figures}"));
        let [lines, count, p50_ns] = ["lines", "count", "p50"].map(number);
        let figures =
            Tagged { lines: lines?, count: count?, p50_ns: p50_ns?, p99_ns: number("p99")?, max_ns: number("max")? };
        Ok((tag.clone(), figures))
    });
    tagged.collect::<Result<_>>().map(Some)
}
