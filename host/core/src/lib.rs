//! The heart of benchhost: what a run is ([`Plan`]), how it goes ([`run()`]) and what came of it ([`RunResult`]). It knows neither
//! plugins nor networks: databases and datasets come in through the seams [`Target`] and [`Generator`], and every claim about
//! load and time is proved here against fakes. It never prints.

mod batches;
mod budget;
mod clock;
mod counts;
mod error;
#[cfg(test)]
mod fakes;
mod generate;
mod generator;
mod load;
mod observer;
mod operation;
mod plan;
mod recording;
mod result;
mod run;
mod run_error;
#[cfg(test)]
mod run_tests;
mod runtime;
mod stop;
mod supply;
mod target;
mod usage;
mod verdict;
mod verify;
mod worker;

pub use batches::{BatchPlan, BatchRange};
pub use clock::{Clock, MonotonicClock};
pub use counts::{ErrorCount, ErrorTable, OperationCounts, RowCounts, Volume};
pub use error::{CallError, Crash, ErrorKind, OpError};
pub use generator::{Facts, Generator, Generators};
pub use observer::{NoObserver, Observer, Progress};
pub use plan::{Existing, MAX_BATCH_ROWS, MAX_RETRIES, MAX_WORKERS, Plan, PlanError, PlanSpec, PluginChoice};
pub use recording::{Ending as OperationEnding, Recording, Spans};
pub use result::{ClientCost, DatasetFacts, Phase, PhaseName, RunResult, Throughput};
pub use run::{RunEnv, run};
pub use run_error::{FailureClass, RunError};
pub use stop::{StopLevel, StopToken};
pub use target::{Ack, CONTROL_SESSION, Effort, Target, Targets};
pub use verdict::{Ending, Evidence, Reason, Status, Stored, Verdict, judge};
