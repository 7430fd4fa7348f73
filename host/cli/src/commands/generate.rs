//! `benchhost generate`: rows of a dataset, in a file. The file appears under its name when it is complete.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use benchhost_core::{Facts, Generator, Generators, Progress, StopLevel, StopToken};
use benchhost_data::{FileFormat, Fingerprint, Table};
use benchhost_report::units::{bytes, counted, quantity, seconds};
use tokio::runtime;

use super::run::layered_pairs;
use crate::args::GenerateArgs;
use crate::config::FileLayer;
use crate::console::Console;
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};
use crate::output_file::OutputFile;
use crate::plugin_path::PluginPath;
use crate::plugins;
use crate::progress::Meter;
use crate::settings::{Part, Router};
use crate::signals;
use crate::sink::Sink;

/// Rows that are made at once: enough that a call costs nothing beside them, few enough to stay in the processor's cache.
const BATCH_ROWS: u64 = 10_000;

/// Time between two updates of the progress.
const METER_INTERVAL: Duration = Duration::from_millis(100);

/// What cannot be generated.
#[derive(Debug, thiserror::Error)]
enum GenerateError {
    #[error("--rows is 0: nothing would be written; give at least 1")]
    NoRows,
    #[error("no format is given: choose one by --as line-protocol, csv, jsonl, arrow or parquet")]
    NoFormat,
    #[error("no file is given: name one by -o FILE, or -o - for stdout")]
    NoOutput,
    #[error("--precision applies to line protocol only, not to {0}")]
    Precision(FileFormat),
    #[error(
        "the dataset `{dataset}` has {tables} tables ({names}), and a file holds one: choose a dataset with one table"
    )]
    Tables { dataset: String, tables: usize, names: String },
    #[error("--rows {asked} is more than the dataset has: {available} rows with these settings")]
    TooShort { asked: u64, available: u64 },
    #[error("stopped: no file was written")]
    Interrupted,
}

/// Writes the file.
pub(crate) fn run(args: &GenerateArgs, file: FileLayer, console: &Console) -> Result<ExitStatus, Failure> {
    let params = layered_pairs("BENCHHOST_PARAM", file.params, "-P", &args.params)?;
    if args.rows == 0 {
        return Err(Failure::usage(GenerateError::NoRows));
    }
    let format = args.format.ok_or(GenerateError::NoFormat).or_usage()?;
    let path: &Path = args.output.as_deref().ok_or(GenerateError::NoOutput).or_usage()?;
    if args.precision.is_some() && format != FileFormat::LineProtocol {
        return Err(Failure::usage(GenerateError::Precision(format)));
    }
    OutputFile::check(path, args.force).or_usage()?;

    let host = plugins::host(1, args.seed, console)?;
    let dataset = plugins::load(&host, &PluginPath::from_environment(), Part::Dataset, args.dataset.as_deref())?;
    let mut router = Router::new(vec![dataset.accepts()]);
    params.iter().try_for_each(|pair| router.param(pair))?;
    let settings = dataset.resolve(&router.settings(Part::Dataset))?;
    let stop = StopToken::new();
    signals::watch(stop.clone(), Duration::ZERO, console.clone())?;
    let generators = host.generators(&dataset.plugin, &settings, args.seed).map_err(plugins::classify)?;
    let job = Job { dataset: dataset.plugin.name(), args, format, path, stop, console };
    let runtime = runtime::Builder::new_current_thread().enable_all().build().or_internal()?;
    runtime.block_on(job.run(&generators))?;
    Ok(ExitStatus::Success)
}

/// One file to write.
struct Job<'a> {
    dataset: &'a str,
    args: &'a GenerateArgs,
    format: FileFormat,
    path: &'a Path,
    stop: StopToken,
    console: &'a Console,
}

impl Job<'_> {
    async fn run<G: Generators>(&self, generators: &G) -> Result<(), Failure> {
        let mut session = generators.open().await.map_err(|error| plugins::call_failed("open the dataset", error))?;
        let table = self.only_table(session.facts())?;
        let output = OutputFile::create(self.path, self.args.force).or_usage()?;
        let reader = output.reader_gone();
        let sink = Sink::new(self.format, self.args.precision, table, output)?;
        match self.fill(&mut session, sink).await {
            Err(_) if reader.is_true() => Ok(()),
            outcome => outcome,
        }
    }

    /// The table, if there is one only and it has the rows.
    fn only_table(&self, facts: &Facts) -> Result<Arc<Table>, Failure> {
        let [table] = facts.tables.as_slice() else {
            let names = facts.tables.iter().map(|table| table.name()).collect::<Vec<_>>().join(", ");
            let tables = facts.tables.len();
            return Err(Failure::usage(GenerateError::Tables { dataset: self.dataset.into(), tables, names }));
        };
        match facts.rows {
            Some(available) if available < self.args.rows => {
                Err(Failure::usage(GenerateError::TooShort { asked: self.args.rows, available }))
            }
            _ => Ok(Arc::clone(table)),
        }
    }

    async fn fill<S: Generator>(&self, session: &mut S, mut sink: Sink) -> Result<(), Failure> {
        let began = Instant::now();
        let total_rows = self.args.rows;
        let mut meter = Meter::begin(self.console.clone(), "generate");
        let mut fingerprint = Fingerprint::new();
        let mut told = Duration::ZERO;
        let mut rows = 0;
        while rows < total_rows {
            if self.stop.level() > StopLevel::Running {
                return Err(Failure::new(ExitStatus::Interrupted, GenerateError::Interrupted));
            }
            let size = BATCH_ROWS.min(total_rows - rows) as u32;
            let batch =
                session.fill(0, rows, size).await.map_err(|error| plugins::call_failed("generate rows", error))?;
            fingerprint.add(&batch);
            sink.write(&batch)?;
            rows += u64::from(size);
            let elapsed = began.elapsed();
            if elapsed - told >= METER_INTERVAL {
                told = elapsed;
                meter.update(Progress { elapsed, rows, total_rows: Some(total_rows), length: None, errors: 0 });
            }
        }
        let size = sink.finish()?;
        let time = began.elapsed();
        drop(meter);
        let rate = quantity(rows as f64 / time.as_secs_f64().max(f64::MIN_POSITIVE));
        self.console.line(&format!(
            "{}, {} in {} ({rate} rows/s), fingerprint {fingerprint}",
            counted(rows, "row", "rows"),
            bytes(size as f64),
            seconds(time.as_secs_f64()),
        ));
        Ok(())
    }
}
