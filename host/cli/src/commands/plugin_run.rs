//! `benchhost plugin run`: a plugin called a few times by one worker, for its author. It measures nothing that could be published: it shows what
//! happens, in which order, and where it fails.

mod calls;

use std::sync::Arc;
use std::time::Duration;

use benchhost_core::{CONTROL_SESSION, CallError, Generator, Generators, StopToken, Target, Targets};
use benchhost_data::{Batch, Table};
use benchhost_wasm::{Role, TracedCall, WasmGenerators, WasmTargets, trace};
use calls::Calls;
use serde::Serialize;
use tokio::runtime;

use super::plugin_list::json;
use crate::args::{FormatChoice, PluginRunArgs};
use crate::console::{self, Console};
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};
use crate::plugin_path::PluginPath;
use crate::plugins::{self, Loaded};
use crate::settings::Part;
use crate::signals;
use crate::wiring::Secrets;
use crate::workbench::{Workbench, batches};

/// What was written and what is there afterwards.
#[derive(Debug, Default, Serialize)]
struct Outcome {
    /// Facts that the target tells of its server, or what the dataset is.
    facts: Vec<(String, String)>,
    /// Rows that were acknowledged, or made.
    rows: u64,
    /// Rows of their time range that the server counted before anything was written; none where it cannot be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<u64>,
    /// Rows that it counts afterwards, less those of before.
    #[serde(skip_serializing_if = "Option::is_none")]
    counted: Option<u64>,
    /// Why it cannot be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_counted: Option<String>,
}

/// What is printed as JSON.
#[derive(Serialize)]
struct Sheet<'a> {
    plugin: &'a str,
    version: &'a str,
    #[serde(flatten)]
    outcome: &'a Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    calls: &'a Calls,
}

/// Calls it and prints what it did, also when it failed halfway.
pub(crate) fn run(args: &PluginRunArgs, secrets: &Secrets, console: &Console) -> Result<ExitStatus, Failure> {
    let host = plugins::host(3, args.seed, console)?;
    let path = PluginPath::from_environment();
    let file = path.find(&args.plugin)?;
    let plugin = host.load(&file).map_err(plugins::classify)?;
    let stop = StopToken::new();
    signals::watch(stop.clone(), signals::GRACE.min(args.timeout), console.clone())?;
    let mut outcome = Outcome::default();
    let runtime = runtime::Builder::new_current_thread().enable_all().build().or_internal()?;
    let bench = Workbench {
        host: &host,
        server: &args.server,
        secrets,
        params: &args.params,
        seed: args.seed,
        timeout: args.timeout,
    };
    let (ended, calls): (Result<(), Failure>, Vec<TracedCall>) = match plugin.role() {
        Role::Generator => {
            let dataset = Loaded { part: Part::Dataset, plugin: plugin.clone() };
            let generators = bench.generators(&dataset)?;
            trace(|| runtime.block_on(make(args, &generators, &mut outcome)))
        }
        Role::Target => {
            let target = Loaded { part: Part::Target, plugin: plugin.clone() };
            let dataset = plugins::load(&host, &path, Part::Dataset, Some(&args.dataset))?;
            let prepared = bench.targets(&target, &dataset, stop)?;
            let batches = runtime.block_on(batches(&prepared.generators, args.batches, args.batch_rows))?;
            trace(|| runtime.block_on(write(&prepared.targets, &batches, &mut outcome)))
        }
    };
    let calls = Calls::new(calls, args.trace);
    let error = ended.as_ref().err().map(|failure| failure.chain().join(": "));
    let text = match args.print.format {
        FormatChoice::Json => {
            json(&Sheet { plugin: plugin.name(), version: plugin.version(), outcome: &outcome, error, calls: &calls })?
        }
        FormatChoice::Text => {
            let head = format!("{} {}\n\n", plugin.name(), plugin.version());
            console::printable((head + &calls.text() + "\n" + &outcome.text(plugin.role())).trim_end()) + "\n"
        }
    };
    console::print(&text).or_internal()?;
    ended.map(|()| ExitStatus::Success)
}

impl Outcome {
    fn text(&self, role: Role) -> String {
        let mut text = String::new();
        for (name, value) in &self.facts {
            text.push_str(&format!("{name}: {value}\n"));
        }
        let done = if role == Role::Target { "acknowledged" } else { "made" };
        text.push_str(&format!("rows {done}: {}\n", self.rows));
        if let Some(before @ 1..) = self.before {
            text.push_str(&format!(
                "rows before: {before} of the same time range, which a server may have merged with these: drop the table, or set another start\n"
            ));
        }
        match (self.counted, &self.not_counted) {
            (Some(counted), _) if counted == self.rows => text.push_str(&format!("rows counted: {counted}\n")),
            (Some(counted), _) => text.push_str(&format!(
                "rows counted: {counted}, which is not what was acknowledged: a server may show rows late, or merge rows of equal series and \
                 time; `benchhost run` waits and judges\n"
            )),
            (None, Some(why)) => text.push_str(&format!("rows were not counted: {why}\n")),
            (None, None) => {}
        }
        text
    }
}

async fn make(args: &PluginRunArgs, generators: &WasmGenerators, outcome: &mut Outcome) -> Result<(), Failure> {
    let mut session = generators.open().await.map_err(|error| failed("open the dataset", error))?;
    let facts = session.facts().clone();
    let rows = facts.rows.map_or_else(|| "endless".to_owned(), |rows| rows.to_string());
    outcome.facts = vec![
        ("tables".to_owned(), facts.tables.iter().map(|table| table.name()).collect::<Vec<_>>().join(", ")),
        ("rows of each".to_owned(), rows),
        ("series of each".to_owned(), facts.series.to_string()),
        ("seekable".to_owned(), facts.seekable.to_string()),
    ];
    for table in 0..facts.tables.len() {
        for number in 0..u64::from(args.batches) {
            let first = number * u64::from(args.batch_rows);
            session.fill(table, first, args.batch_rows).await.map_err(|error| failed("generate rows", error))?;
            outcome.rows += u64::from(args.batch_rows);
        }
    }
    Ok(())
}

/// The calls of a small run: one control session, one worker.
async fn write(targets: &WasmTargets, batches: &[Arc<Batch>], outcome: &mut Outcome) -> Result<(), Failure> {
    let mut control = targets.open(CONTROL_SESSION).await.map_err(|error| failed("open the control session", error))?;
    outcome.facts = control.server().await.map_err(|error| failed("ask about the server", error))?;
    let Some(table) = batches.first().map(|batch| Arc::clone(batch.table())) else { return Ok(()) };
    control.create_table(&table).await.map_err(|error| failed("create the table", error))?;
    let range = range(batches);
    let before = count(&mut control, &table, range).await?;
    outcome.before = before;
    let mut worker = targets.open(0).await.map_err(|error| failed("open the worker's session", error))?;
    let mut pending = 0;
    for batch in batches {
        let payload = worker.encode(batch).await.map_err(|error| failed("encode", error))?;
        let ack = worker.send(&payload).await.map_err(|error| failed("send", error))?;
        let rows = u64::from(payload.rows());
        if ack.pending { pending += rows } else { outcome.rows += rows }
    }
    if pending > 0 {
        worker.finish().await.map_err(|error| failed("finish", error))?;
        outcome.rows += pending;
    }
    worker.close().await;
    match (before, counted(&mut control, &table, range, before.unwrap_or_default() + outcome.rows).await?) {
        (Some(before), Some(after)) => outcome.counted = Some(after.saturating_sub(before)),
        _ => outcome.not_counted = Some("the target cannot ask its server (`unsupported`)".to_owned()),
    }
    control.close().await;
    Ok(())
}

/// Servers may show rows a moment after they have acknowledged them: asked again, for a second at most.
async fn counted<T: Target>(
    control: &mut T,
    table: &Table,
    range: (i64, i64),
    wanted: u64,
) -> Result<Option<u64>, Failure> {
    for _ in 0..10 {
        match count(control, table, range).await? {
            Some(rows) if rows < wanted => tokio::time::sleep(Duration::from_millis(100)).await,
            other => return Ok(other),
        }
    }
    count(control, table, range).await
}

/// None where the target cannot ask.
async fn count<T: Target>(control: &mut T, table: &Table, (start, end): (i64, i64)) -> Result<Option<u64>, Failure> {
    match control.count_rows(table, start, end).await {
        Ok(rows) => Ok(Some(rows)),
        Err(CallError::Error(error)) if error.kind == benchhost_core::ErrorKind::Unsupported => Ok(None),
        Err(error) => Err(failed("count rows", error)),
    }
}

/// The time range of all rows, its end exclusive.
fn range(batches: &[Arc<Batch>]) -> (i64, i64) {
    let ranges = || batches.iter().filter_map(|batch| batch.time_range_ns());
    let start = ranges().map(|(start, _)| start).min().unwrap_or_default();
    let end = ranges().map(|(_, end)| end).max().unwrap_or_default();
    (start, end.saturating_add(1))
}

fn failed(stage: &'static str, error: CallError) -> Failure {
    plugins::call_failed(stage, error)
}
