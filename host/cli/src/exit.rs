//! What the process tells its caller by its exit code. Every code is here and nowhere else.

use std::process::ExitCode;

use benchhost_core::{Ending, FailureClass, Kept, RunResult, Status};

/// How an invocation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// Done; a run's result is valid or suspect.
    Success = 0,
    /// A bug of benchhost, or a machine that refuses it memory, threads or disk.
    Internal = 1,
    /// Flags, settings, or a file that is not a plugin.
    Usage = 2,
    /// A plugin broke its contract.
    Contract = 3,
    /// The target could not be reached, or more operations failed than the run allows.
    Unreachable = 4,
    /// The run's result must not be quoted.
    Invalid = 5,
    /// The result is fit to be quoted, and does not keep an objective.
    Objective = 6,
    /// Stopped by a signal.
    Interrupted = 130,
}

impl ExitStatus {
    /// What a run that has a result tells its caller. The way it ended goes before its verdict: both say "invalid" then, and the
    /// first says why.
    pub(crate) fn of(result: &RunResult) -> Self {
        // One that too few operations were measured for is not kept either: nobody knows.
        let kept = result.objectives.iter().all(|(_, kept)| *kept == Kept::Yes);
        match Self::of_ending(result.ending, result.verdict.status) {
            Self::Success if !kept => Self::Objective,
            status => status,
        }
    }

    /// What another process of this program told by its code; none when a signal ended it.
    pub(crate) fn of_process(code: Option<i32>) -> Self {
        let all = [
            Self::Success,
            Self::Usage,
            Self::Contract,
            Self::Unreachable,
            Self::Invalid,
            Self::Objective,
            Self::Interrupted,
        ];
        all.into_iter().find(|status| Some(*status as i32) == code).unwrap_or(Self::Internal)
    }

    /// The worse of two: an interruption first, because more would have come, then whatever keeps a result from being had, then what is
    /// wrong with one.
    pub(crate) fn worse(self, other: Self) -> Self {
        let rank = |status: Self| match status {
            Self::Interrupted => 0,
            Self::Success => u8::MAX,
            other => other as u8,
        };
        if rank(other) < rank(self) { other } else { self }
    }

    fn of_ending(ending: Ending, verdict: Status) -> Self {
        match (ending, verdict) {
            (Ending::Interrupted, _) => Self::Interrupted,
            (Ending::ErrorBudget, _) => Self::Unreachable,
            (Ending::CrashBudget | Ending::DatasetFailed, _) => Self::Contract,
            (Ending::Complete, Status::Invalid) | (Ending::QueueBound, _) => Self::Invalid,
            (Ending::Complete, Status::Valid | Status::Suspect) => Self::Success,
        }
    }
}

impl From<FailureClass> for ExitStatus {
    fn from(class: FailureClass) -> Self {
        match class {
            FailureClass::Usage => Self::Usage,
            FailureClass::Contract => Self::Contract,
            FailureClass::Unreachable => Self::Unreachable,
            FailureClass::Internal => Self::Internal,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suspect_result_is_no_failure_and_an_invalid_one_is() {
        assert_eq!(ExitStatus::of_ending(Ending::Complete, Status::Suspect), ExitStatus::Success);
        assert_eq!(ExitStatus::of_ending(Ending::Complete, Status::Invalid), ExitStatus::Invalid);
    }

    #[test]
    fn codes_of_other_processes_are_read_back_and_a_signal_is_no_success() {
        for status in [ExitStatus::Success, ExitStatus::Contract, ExitStatus::Objective, ExitStatus::Interrupted] {
            assert_eq!(ExitStatus::of_process(Some(status as i32)), status);
        }
        assert_eq!(ExitStatus::of_process(None), ExitStatus::Internal);
        assert_eq!(ExitStatus::of_process(Some(101)), ExitStatus::Internal);
    }

    #[test]
    fn an_interruption_is_worse_than_no_result_which_is_worse_than_a_bad_one() {
        use ExitStatus::{Interrupted, Invalid, Objective, Success, Usage};
        let order = [Success, Objective, Invalid, Usage, Interrupted];
        for pair in order.windows(2) {
            assert_eq!(pair[0].worse(pair[1]), pair[1]);
            assert_eq!(pair[1].worse(pair[0]), pair[1]);
        }
    }

    #[test]
    fn the_way_a_run_ended_goes_before_its_verdict() {
        assert_eq!(ExitStatus::of_ending(Ending::Interrupted, Status::Invalid), ExitStatus::Interrupted);
        assert_eq!(ExitStatus::of_ending(Ending::ErrorBudget, Status::Invalid), ExitStatus::Unreachable);
        assert_eq!(ExitStatus::of_ending(Ending::CrashBudget, Status::Invalid), ExitStatus::Contract);
    }
}
