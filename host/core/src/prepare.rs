//! What happens before the clock starts: the dataset is opened and cut into batches, the table is made, and batches are made ahead, or a
//! thread is set up that makes them as the run goes.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use benchhost_data::Batch;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use crate::batches::Parts;
use crate::error::CallError;
use crate::generate::{self, Made};
use crate::generator::{Facts, Generator, Generators};
use crate::observer::Observer;
use crate::plan::{Existing, Plan, PlanError};
use crate::run_error::RunError;
use crate::runtime::block_on;
use crate::segments::Segments;
use crate::stop::StopToken;
use crate::supply::Supply;
use crate::target::{CONTROL_SESSION, Target, Targets};
use crate::verify;

/// A dataset, cut into batches.
pub(crate) struct Dataset {
    pub(crate) facts: Facts,
    pub(crate) batches: Parts,
    /// Memory of one row, from a sample; 0 when there are no rows.
    pub(crate) bytes_per_row: f64,
    /// The range of time that it plans to write, in nanoseconds, end exclusive.
    pub(crate) range: (i64, i64),
}

/// What the phase `prepare` leaves.
pub(crate) struct Prepared<S> {
    pub(crate) dataset: Dataset,
    /// The control session.
    pub(crate) session: S,
    /// The target's facts about the server, name to value.
    pub(crate) server: Vec<(String, String)>,
    /// Rows that were there before.
    pub(crate) before: u64,
}

/// Opens the dataset and a control session, and makes the table ready.
pub(crate) fn prepare<T: Targets, G: Generators>(
    control: &Runtime,
    plan: &Plan,
    segments: &Segments,
    targets: &T,
    generators: &G,
) -> Result<Prepared<T::Session>, RunError> {
    let at = |stage: &'static str| move |source: CallError| RunError::Call { stage, source };
    control.block_on(async {
        let mut generator = generators.open().await.map_err(at("opening the dataset"))?;
        let facts = generator.facts().clone();
        let batches = Parts::new(facts.tables.len(), &segments.rows, plan.batch_rows);
        if let Some(available) = facts.rows.filter(|available| *available < batches.rows_per_table()) {
            let tables = facts.tables.len() as u64;
            let available = available.saturating_mul(tables);
            return Err(PlanError::DatasetTooShort { asked: batches.rows(), available }.into());
        }
        let sample = generate::make(&mut generator, &batches, 0).await.map_err(at("generating the first rows"))?;
        let bytes_per_row = sample.map_or(0.0, |batch| batch.memory_bytes() as f64 / f64::from(batch.rows().max(1)));
        let range = generate::time_range(&mut generator, &batches).await.map_err(at("generating the last rows"))?;

        let mut session = targets.open(CONTROL_SESSION).await.map_err(at("opening the control session"))?;
        let server = session.server().await.map_err(at("asking the server what it is"))?;
        let mut before = 0;
        for table in &facts.tables {
            if plan.existing == Existing::Drop {
                session.drop_table(table).await.map_err(at("dropping the table"))?;
            }
            let one = std::slice::from_ref(table);
            let rows = match verify::count(&mut session, one, range).await {
                Ok(rows) => rows,
                // A target that cannot count cannot be asked afterwards either: the verdict says so then.
                Err(CallError::Error(error)) if error.kind == crate::error::ErrorKind::Unsupported => 0,
                Err(source) => return Err(at("counting the rows that are there already")(source)),
            };
            if rows > 0 && plan.existing == Existing::Refuse {
                return Err(RunError::Existing { table: table.name().to_owned(), rows });
            }
            before += rows;
            session.create_table(table).await.map_err(at("creating the table"))?;
        }
        session.take_effort();
        Ok(Prepared { dataset: Dataset { facts, batches, bytes_per_row, range }, session, server, before })
    })
}

/// All batches, if they fit in the memory budget.
#[expect(clippy::type_complexity, reason = "batches and what is known of them, or neither")]
pub(crate) fn make_ahead<G: Generators>(
    plan: &Plan,
    segments: &Segments,
    generators: &G,
    dataset: &Dataset,
    stop: &StopToken,
    observer: &mut dyn Observer,
) -> Result<Option<(Vec<Arc<Batch>>, Made)>, RunError> {
    let fits = dataset.bytes_per_row * dataset.batches.rows() as f64 <= plan.memory_budget_bytes as f64;
    if !segments.known || !fits {
        return Ok(None);
    }
    let threads = if dataset.facts.seekable {
        // More threads than batches would only open instances.
        u64::from(plan.generator_threads).min(dataset.batches.len()) as u32
    } else {
        1
    };
    generate::all(generators, &dataset.batches, threads, stop, observer).map(Some)
}

/// Runs `measure`, with a thread beside it that makes the batches.
pub(crate) fn streaming<G: Generators, R>(
    plan: &Plan,
    generators: &G,
    dataset: &Dataset,
    stop: &StopToken,
    measure: impl FnOnce(&Supply) -> Result<R, RunError>,
) -> Result<(R, Made, Option<String>), RunError> {
    let batch_bytes = (dataset.bytes_per_row * f64::from(plan.batch_rows)).max(1.0);
    let ahead = (plan.memory_budget_bytes as f64 / batch_bytes).clamp(2.0, 4096.0) as usize;
    let (sender, receiver) = mpsc::channel(ahead);
    let part = Arc::new(AtomicUsize::new(0));
    let supply = Supply::streamed(receiver, Arc::clone(&part));
    std::thread::scope(|scope| {
        let making = scope.spawn(|| block_on(generate::stream(generators, &dataset.batches, sender, &part, stop)));
        let measured = measure(&supply);
        // Without workers nobody takes batches any more: the generator must not wait for them.
        drop(supply);
        let made = making.join().map_err(|_| RunError::internal("the generating thread panicked"))??;
        let measured = measured?;
        Ok(match made {
            Ok(made) => (measured, made, None),
            Err((error, made)) => (measured, made, Some(error.to_string())),
        })
    })
}
