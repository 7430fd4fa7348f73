//! The heart of benchhost: what a run is ([`Plan`]), how it goes ([`run()`]) and what came of it ([`RunResult`]). It knows neither
//! plugins nor networks: databases and datasets come in through the seams [`Target`] and [`Generator`], and every claim about
//! load and time is proved here against fakes. It never prints.

mod batches;
mod budget;
mod clock;
mod coordinator;
mod counts;
mod due;
mod error;
#[cfg(test)]
mod fakes;
mod gathered;
mod generate;
mod generator;
mod health;
mod load;
#[cfg(test)]
mod load_limits_tests;
#[cfg(test)]
mod load_tests;
mod measure;
mod observe;
mod observer;
mod operation;
mod pacer;
mod pending;
#[cfg(test)]
mod pending_tests;
mod plan;
mod plan_check;
mod plan_error;
mod prepare;
mod probe;
mod pulse;
mod recording;
mod result;
mod run;
mod run_error;
#[cfg(test)]
mod run_tests;
mod runtime;
mod schedule;
mod search;
mod segment;
mod segments;
mod server_usage;
mod slo;
mod stop;
#[cfg(test)]
mod sum_tests;
mod supply;
mod target;
mod usage;
mod verdict;
mod verify;
pub mod words;
mod worker;

pub use batches::{BatchPlan, BatchRange, Parts};
pub use clock::{Clock, MonotonicClock, Timer};
pub use counts::{ErrorCount, ErrorTable, OperationCounts, RowCounts, Volume};
pub use error::{CallError, Crash, ErrorKind, OpError};
pub use generator::{Facts, Generator, Generators};
pub use observer::{Interval, NoObserver, Observer, Progress};
pub use plan::{Existing, MAX_BATCH_ROWS, MAX_RETRIES, MAX_WORKERS, Offered, Plan, PlanError, PlanSpec, PluginChoice};
pub use probe::{Probe, ProbeError, Usage};
pub use recording::{Ending as OperationEnding, Recording, Spans, Stamps};
pub use result::{ClientCost, DatasetFacts, Phase, PhaseName, RunResult, Schedule, Step, Throughput};
pub use run::{RunEnv, run};
pub use run_error::{FailureClass, RunError};
pub use schedule::{Arrival, Arrivals, Profile, Share, Stage};
pub use search::{Bound, Found, Limit, Purpose, RateProbe};
pub use segment::{IntervalFigures, ThreadUse};
pub use server_usage::{ServerSample, ServerUsage};
pub use slo::{Kept, Objective, ObjectiveError};
pub use stop::{StopLevel, StopToken};
pub use target::{Ack, CONTROL_SESSION, Effort, Target, Targets};
pub use verdict::{Ending, Evidence, Reason, Status, Stored, Verdict, judge};
