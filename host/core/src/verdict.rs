//! Whether a result may be believed, and why not.

use crate::counts::{OperationCounts, RowCounts};
use crate::health;
use crate::plan::Plan;
use crate::result::{Step, fastest};
use crate::search::{self, Found};
use crate::server_usage::ServerUsage;
use crate::words::{count, counted};

/// The verdict's three words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The numbers are what they say.
    Valid,
    /// Something may have distorted them.
    Suspect,
    /// They must not be quoted.
    Invalid,
}

impl Status {
    /// The word in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Suspect => "suspect",
            Self::Invalid => "invalid",
        }
    }
}

/// One thing that a reader must know before believing the numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// For scripts: stable, kebab-case.
    pub code: &'static str,
    /// What is the matter, with figures.
    pub text: String,
    /// What to change.
    pub advice: String,
    /// The best verdict that is possible with this reason.
    pub weight: Status,
}

/// A verdict and its reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The worst weight of all reasons.
    pub status: Status,
    /// The weightiest first.
    pub reasons: Vec<Reason>,
}

impl Verdict {
    /// The verdict that follows from the reasons.
    #[must_use]
    pub fn from_reasons(mut reasons: Vec<Reason>) -> Self {
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.weight));
        Self { status: reasons.first().map_or(Status::Valid, |reason| reason.weight), reasons }
    }
}

/// How a run came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All that the plan asks for was offered to the server.
    Complete,
    /// The user stopped it.
    Interrupted,
    /// More operations were due and not started than the plan allows.
    QueueBound,
    /// More operations failed than the plan allows.
    ErrorBudget,
    /// More sessions died than the plan allows.
    CrashBudget,
    /// The dataset's plugin could not give all rows.
    DatasetFailed,
}

/// What the database was found to hold afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored {
    /// Rows that this run added, as a reader counts them.
    Rows(u64),
    /// It could not be asked.
    NotAsked {
        /// Why not.
        why: String,
    },
}

/// What the judge looks at.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// What was asked for, with the budgets.
    pub plan: &'a Plan,
    /// How the run ended.
    pub ending: Ending,
    /// The rows, by what became of them.
    pub rows: RowCounts,
    /// What was found afterwards.
    pub stored: &'a Stored,
    /// The operations, by how they ended.
    pub operations: OperationCounts,
    /// The measured steps.
    pub steps: &'a [Step],
    /// What the same plan reached with a server that costs nothing, as a multiple.
    pub headroom: Option<f64>,
    /// Operations that failed without the server, where headroom could not be told for that.
    pub headroom_failures: Option<u64>,
    /// What a search found; none when nobody asked for one. Of its steps, only those that confirmed the rate are judged.
    pub search: Option<&'a Found>,
    /// Why the dataset ended early, if it did.
    pub dataset_failure: Option<&'a str>,
    /// What the server used; none when nobody asked.
    pub server_usage: Option<&'a ServerUsage>,
}

/// Judges a run.
#[must_use]
pub fn judge(evidence: Evidence<'_>) -> Verdict {
    let mut reasons = Vec::new();
    reasons.extend(judge_ending(&evidence));
    if evidence.rows.acknowledged == 0 {
        reasons.push(Reason {
            code: "nothing-acknowledged",
            text: "the server acknowledged no row at all".into(),
            advice: "see how the run ended, and the errors below if there are any".into(),
            weight: Status::Invalid,
        });
    }
    reasons.extend(judge_stored(evidence.rows, evidence.stored));
    match evidence.search {
        None => reasons.extend(judge_steps(&evidence)),
        Some(found) => reasons.extend(search::judge(found, evidence.steps, evidence.headroom)),
    }
    let crashes = evidence.operations.crashed;
    let (errors, rows) = failed(&evidence);
    if errors > 0 && evidence.ending != Ending::ErrorBudget {
        reasons.push(Reason {
            code: "operations-failed",
            text: format!(
                "{} failed: {} of {} rows were not acknowledged",
                counted(errors, "operation", "operations"),
                count(rows.sent.saturating_sub(rows.acknowledged)),
                count(rows.sent)
            ),
            advice: "look at the errors below and mend their cause".into(),
            weight: Status::Suspect,
        });
    }
    if crashes > 0 && evidence.ending != Ending::CrashBudget {
        reasons.push(Reason {
            code: "sessions-crashed",
            text: format!("{} of the plugin died and made room for new ones", counted(crashes, "session", "sessions")),
            advice: "report it to the plugin's author, with the crash below".into(),
            weight: Status::Suspect,
        });
    }
    reasons.extend(evidence.server_usage.and_then(health::judge_observed));
    reasons.extend(evidence.headroom_failures.map(health::headroom_not_measured));
    Verdict::from_reasons(reasons)
}

/// Of a ladder, each reason says which step it is about. Headroom is that of the fastest.
fn judge_steps(evidence: &Evidence<'_>) -> Vec<Reason> {
    let fastest = fastest(evidence.steps);
    let judged = evidence.steps.iter().enumerate().flat_map(|(index, step)| {
        let headroom = evidence.headroom.filter(|_| fastest == Some(index));
        health::judge(step, headroom).into_iter().map(move |reason| (step, reason))
    });
    let named = judged.map(|(step, mut reason)| {
        if evidence.steps.len() > 1 {
            reason.text = format!("with {}: {}", counted(step.workers.into(), "worker", "workers"), reason.text);
        }
        reason
    });
    named.collect()
}

/// Operations that failed, and the rows of all; none where only sessions died, which is told apart. Of a search only the windows count
/// that confirmed the rate: probes beyond what the server can take fail on purpose.
fn failed(evidence: &Evidence<'_>) -> (u64, RowCounts) {
    let (mut operations, mut rows) = (evidence.operations, evidence.rows);
    if let Some(found) = evidence.search {
        (operations, rows) = (OperationCounts::default(), RowCounts::default());
        for step in found.confirmed_steps(evidence.steps) {
            operations += step.recording.operations;
            rows += step.recording.rows;
        }
    }
    (if operations.errors() > operations.crashed { operations.errors() } else { 0 }, rows)
}

/// Anything but a complete run is no result to quote.
fn judge_ending(evidence: &Evidence<'_>) -> Option<Reason> {
    let (code, text, advice) = match evidence.ending {
        Ending::Complete => return None,
        Ending::Interrupted => (
            "interrupted",
            format!("the run was stopped early, after {} acknowledged rows", count(evidence.rows.acknowledged)),
            "run it to its end",
        ),
        Ending::QueueBound => (
            "queue-bound",
            format!(
                "more than {} operations were due and not started, so the run was given up{}",
                count(evidence.plan.max_queue),
                rates_until_then(evidence)
            ),
            "offer less with --rate, raise --workers, or allow a longer queue with --max-queue",
        ),
        Ending::ErrorBudget => (
            "error-budget",
            format!(
                "{} failed; the budget is {}",
                counted(evidence.operations.errors(), "operation", "operations"),
                count(evidence.plan.max_errors)
            ),
            "look at the errors below, mend their cause, or allow more with --max-errors",
        ),
        Ending::CrashBudget => (
            "crash-budget",
            format!(
                "{} of the plugin died; the budget is {}",
                counted(evidence.operations.crashed, "session", "sessions"),
                count(evidence.plan.max_crashes)
            ),
            "report it to the plugin's author, with the crash below",
        ),
        Ending::DatasetFailed => (
            "dataset-failed",
            format!("the dataset ended early: {}", evidence.dataset_failure.unwrap_or("for no reason that it gave")),
            "report it to the author of the dataset's plugin",
        ),
    };
    Some(Reason { code, text, advice: advice.into(), weight: Status::Invalid })
}

/// The offered and the achieved rate of the step that a run was stopped in; nothing when it was stopped before.
fn rates_until_then(evidence: &Evidence<'_>) -> String {
    let begun = evidence.steps.last().filter(|step| step.recording.last_sent.is_some());
    begun.and_then(|step| step.schedule).map_or_else(String::new, |schedule| {
        let (offered, achieved) = (schedule.offered_per_s, schedule.achieved_per_s);
        format!(": until then {offered:.0} operations/s were offered and {achieved:.0} achieved")
    })
}

/// Rows must be there as often as they were acknowledged, give or take those whose answer never came.
fn judge_stored(rows: RowCounts, stored: &Stored) -> Option<Reason> {
    let (least, most) = (rows.acknowledged, rows.acknowledged.saturating_add(rows.unknown));
    match stored {
        Stored::NotAsked { why } => Some(Reason {
            code: "stored-not-asked",
            text: format!("nobody knows how many rows are stored: {why}"),
            advice: "count them by hand before you quote the figures".into(),
            weight: Status::Valid,
        }),
        Stored::Rows(found) if *found < least => Some(Reason {
            code: "stored-less",
            text: format!(
                "{} rows are stored, {} fewer than the {} acknowledged",
                count(*found),
                count(least - found),
                count(least)
            ),
            advice: "lost, dropped by a retention rule, or merged with rows of the same series and time: compare \
                     --existing, the retention and the table's rule for duplicates"
                .into(),
            weight: Status::Invalid,
        }),
        Stored::Rows(found) if *found > most => Some(Reason {
            code: "stored-more",
            text: format!(
                "{} rows are stored, {} more than the {} acknowledged and {} unknown ones explain",
                count(*found),
                count(found - most),
                count(least),
                count(rows.unknown)
            ),
            advice: "written twice on a table that keeps duplicates, or somebody else writes to it: use a fresh table \
                     (--existing drop) that nobody else uses"
                .into(),
            weight: Status::Invalid,
        }),
        Stored::Rows(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(stored: &Stored, acknowledged: u64, unknown: u64) -> Verdict {
        judge(Evidence {
            plan: &Plan::new(crate::plan::tests::spec()).unwrap(),
            ending: Ending::Complete,
            rows: RowCounts { sent: acknowledged, acknowledged, unknown },
            stored,
            operations: OperationCounts::default(),
            steps: &[],
            headroom: None,
            headroom_failures: None,
            search: None,
            dataset_failure: None,
            server_usage: None,
        })
    }

    #[test]
    fn stored_must_lie_between_acknowledged_and_acknowledged_plus_unknown() {
        assert_eq!(evidence(&Stored::Rows(100), 100, 0).status, Status::Valid);
        assert_eq!(evidence(&Stored::Rows(110), 100, 10).status, Status::Valid);
        let less = evidence(&Stored::Rows(99), 100, 10);
        assert_eq!((less.status, less.reasons[0].code), (Status::Invalid, "stored-less"));
        assert!(less.reasons[0].text.contains("1 fewer"));
        let more = evidence(&Stored::Rows(111), 100, 10);
        assert_eq!((more.status, more.reasons[0].code), (Status::Invalid, "stored-more"));
    }

    #[test]
    fn a_database_that_cannot_be_asked_is_named_without_a_worse_verdict() {
        let verdict = evidence(&Stored::NotAsked { why: "it only drops".into() }, 100, 0);
        assert_eq!(verdict.status, Status::Valid);
        assert_eq!(verdict.reasons[0].code, "stored-not-asked");
    }

    #[test]
    fn a_server_that_acknowledges_nothing_is_invalid() {
        assert_eq!(evidence(&Stored::Rows(0), 0, 0).reasons[0].code, "nothing-acknowledged");
    }
}
