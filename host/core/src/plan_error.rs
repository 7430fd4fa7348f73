//! What contradicts itself in a plan.

use std::time::Duration;

/// Why a plan cannot be run. Each message names the flag to change.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A count that must be at least one.
    #[error("{flag} is 0: nothing would run; give at least 1")]
    Zero {
        /// The flag, as typed.
        flag: &'static str,
    },
    /// A count over its ceiling.
    #[error("{flag} is {given}: at most {most} are supported")]
    TooMany {
        /// The flag, as typed.
        flag: &'static str,
        /// What was given.
        given: u64,
        /// The ceiling.
        most: u64,
    },
    /// More shared connections than workers.
    #[error(
        "--connections {connections} is more than --workers {workers}: the rest would idle; give at most {workers}"
    )]
    IdleConnections {
        /// Connections asked for.
        connections: u32,
        /// Workers asked for.
        workers: u32,
    },
    /// Neither rows nor a time.
    #[error("neither --rows nor --duration is given: say how much to write, or for how long")]
    Endless,
    /// A schedule and a ladder of workers.
    #[error(
        "--rate (or --stage) goes with one number of --workers: a schedule offers the same load whatever their number; \
         leave out the rate to climb a ladder"
    )]
    LadderWithRate,
    /// A search that is told how much to write.
    #[error(
        "{flag} does not go with --find-max, which decides itself how much to write; leave it out, and say with --probe for how long to \
         try each rate"
    )]
    SearchWithAmount {
        /// The flag, as typed.
        flag: &'static str,
    },
    /// A search and a ladder of workers.
    #[error(
        "--find-max goes with one number of --workers: what is found depends on it; search once for each number, or leave out --find-max \
         to climb a ladder"
    )]
    LadderWithSearch,
    /// A warm-up that leaves nothing to measure.
    #[error("--warmup is longer than --duration: nothing typical would be left to measure; give a shorter warm-up")]
    LongWarmup,
    /// An objective that names a clock which a closed loop has not.
    #[error("--slo {0}: a closed loop has no such clock; give --rate, or name the service time")]
    NoSuchClock(String),
    /// A time and stages that have another.
    #[error(
        "--duration {duration:?} goes with one --rate: the stages of --stage say themselves how long they last, {stages:?} in all; leave \
         out --duration"
    )]
    DurationWithStages {
        /// The time asked for.
        duration: Duration,
        /// The time that the stages take.
        stages: Duration,
    },
    /// A time that is too short to be measured in.
    #[error("{flag} is {given:?}: at least {least:?} are needed for figures that mean something")]
    TooShort {
        /// The flag, as typed.
        flag: &'static str,
        /// What was given.
        given: Duration,
        /// The least.
        least: Duration,
    },
    /// A rate that is not a positive number.
    #[error("--rate is {0}: give more than 0, such as 50krows or 200op")]
    Rate(f64),
    /// The dataset ends before the rows asked for.
    #[error("--rows {asked} is more than the dataset has: {available} rows with these settings")]
    DatasetTooShort {
        /// Rows asked for.
        asked: u64,
        /// Rows that there are.
        available: u64,
    },
}
