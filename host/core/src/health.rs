//! What stands between the numbers and the server: the client must be far from its limits for the numbers to be the server's, and a reader
//! who asked for the server's own figures is told when there are none.

use std::time::Duration;

use benchhost_stats::drift;

use crate::result::{Schedule, Step};
use crate::server_usage::ServerUsage;
use crate::verdict::{Reason, Status};

/// Below this share of the offered rate, the schedule was not held.
pub(crate) const SCHEDULE_HELD: f64 = 0.99;
/// A load thread this busy was at its limit, or near it.
pub(crate) const SATURATED: f64 = 0.95;
const BUSY: f64 = 0.80;
/// A shorter measurement says nothing of how busy a client would be in the long run, and little of anything else.
const SHORTEST: Duration = Duration::from_millis(500);
/// More of the service time than this should not be the client's.
const CLIENT_SHARE: f64 = 0.20;
/// More of the workers' time than this should not go by in waiting for rows, and with this much the dataset is what was measured.
const STARVED: f64 = 0.05;
const STARVING: f64 = 0.20;
/// Multiples of the reached throughput that the client alone should be able to do.
pub(crate) const NO_HEADROOM: f64 = 1.2;
const LITTLE_HEADROOM: f64 = 2.0;

/// Reasons not to believe a step.
pub(crate) fn judge(step: &Step, headroom: Option<f64>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if let Some(schedule) = &step.schedule {
        reasons.extend(judge_schedule(step, schedule));
    }
    let long = step.measured >= SHORTEST;
    if !long && !step.measured.is_zero() {
        reasons.push(Reason {
            code: "short",
            text: format!(
                "measured for {:.0} ms only: rates of so short a run are those of its first moments",
                step.measured.as_secs_f64() * 1e3
            ),
            advice: "write more rows, or for longer with --duration".into(),
            weight: Status::Valid,
        });
    }
    let busy = step.busiest_thread();
    if long && busy >= BUSY {
        let weight = if busy >= SATURATED { Status::Invalid } else { Status::Suspect };
        reasons.push(Reason {
            code: "client-busy",
            text: format!(
                "a load thread was busy {:.0} % of the time: this is the client's limit, not the server's",
                busy * 100.0
            ),
            advice: format!(
                "raise --threads above {}, offer less, or give the client a faster machine",
                step.threads.len()
            ),
            weight,
        });
    }
    // Where nobody is waited for, all of the time is the client's, and there is no server to misjudge.
    let waited = step.recording.wait.max() > Some(0);
    if let Some(share) = step.client_share().filter(|share| waited && long && *share > CLIENT_SHARE) {
        reasons.push(Reason {
            code: "client-share",
            text: format!("{:.0} % of the service time was the client's own: encoding and the plugin", share * 100.0),
            advice: "larger requests or a cheaper format (--batch-rows, the plugin's settings) bring it down".into(),
            weight: Status::Suspect,
        });
    }
    reasons.extend(judge_supply(step).filter(|_| long));
    if let Some(headroom) = headroom.filter(|headroom| *headroom < LITTLE_HEADROOM) {
        let weight = if headroom < NO_HEADROOM { Status::Invalid } else { Status::Suspect };
        reasons.push(Reason {
            code: "headroom",
            text: format!(
                "with a server that costs nothing, the client reaches only {headroom:.2} times this throughput"
            ),
            advice: "raise --threads, or give the client a faster machine".into(),
            weight,
        });
    }
    reasons.extend(judge_drift(step));
    reasons
}

/// Workers that wait for rows load no server.
fn judge_supply(step: &Step) -> Option<Reason> {
    let time = f64::from(step.workers) * step.measured.as_secs_f64();
    let share = (step.recording.starved.as_secs_f64() / time.max(f64::MIN_POSITIVE)).min(1.0);
    (share > STARVED).then(|| Reason {
        code: "dataset-slow",
        text: format!("workers waited {:.0} % of their time for rows that were still being made", share * 100.0),
        advice: "write --rows instead of --duration so that batches are made ahead, raise --memory, or give the client a faster machine"
            .into(),
        weight: if share > STARVING { Status::Invalid } else { Status::Suspect },
    })
}

/// The figures of the run stand without its headroom, but a reader who waited for it is told why there is none.
pub(crate) fn headroom_not_measured(failed: u64) -> Reason {
    Reason {
        code: "headroom-not-measured",
        text: if failed > 0 {
            format!(
                "nobody knows what the client alone could do, because {failed} operations failed without the server"
            )
        } else {
            "nobody knows what the client alone could do, because no operation ended in time".into()
        },
        advice: "report it to the plugin's author, or leave it out with --headroom 0s".into(),
        weight: Status::Valid,
    }
}

/// The figures of the run stand without those of the server, but a reader who asked for both is told.
pub(crate) fn judge_observed(usage: &ServerUsage) -> Option<Reason> {
    usage.samples.is_empty().then(|| Reason {
        code: "server-not-observed",
        text: format!(
            "nothing is known of what the server used, because every sample of `{}` failed: {}",
            usage.probe,
            usage.first_failure.as_deref().unwrap_or("no reason was given")
        ),
        advice: "mend the cause, or run without --observe".into(),
        weight: Status::Valid,
    })
}

fn judge_schedule(step: &Step, schedule: &Schedule) -> Option<Reason> {
    if schedule.achieved_per_s >= SCHEDULE_HELD * schedule.offered_per_s {
        return None;
    }
    let (offered, achieved) = (schedule.offered_per_s, schedule.achieved_per_s);
    let service = step.recording.service.mean().unwrap_or(0.0) / 1e9;
    // Little's law: so many operations are in flight on average at that rate and that time.
    let needed = (offered * service).ceil();
    let advice = if needed > f64::from(step.workers) {
        format!(
            "raise --workers to {:.0}: {offered:.0} operations/s at {:.2} ms need {needed:.0} in flight; or offer less with --rate",
            needed * 1.25,
            service * 1e3
        )
    } else {
        format!("offer at most {achieved:.0} operations/s with --rate")
    };
    Some(Reason {
        code: "schedule-not-held",
        text: format!(
            "{offered:.0} operations/s were offered and {achieved:.0} achieved; up to {} were due and waiting",
            schedule.max_queue
        ),
        advice,
        weight: Status::Invalid,
    })
}

/// Throughput that still rises or falls has no one value.
fn judge_drift(step: &Step) -> Option<Reason> {
    // A schedule moves as it was told to, and streams are acknowledged at their ends.
    if step.schedule.is_some() || step.recording.operations.handed_over > 0 {
        return None;
    }
    let rates: Vec<f64> = step
        .intervals
        .iter()
        // The last interval is cut short by the end of the run.
        .take(step.intervals.len().saturating_sub(1))
        .map(|interval| interval.rows as f64)
        .collect();
    let change = drift(&rates)?;
    Some(Reason {
        code: "drift",
        text: format!(
            "throughput {} by {:.0} % over the run",
            if change > 0.0 { "rose" } else { "fell" },
            change.abs() * 100.0
        ),
        advice: "measure longer, or begin later with --warmup, until it is steady".into(),
        weight: Status::Suspect,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Recording;
    use crate::segment::ThreadUse;

    /// A step of ten seconds with two threads, of which one was busy for that share.
    fn step(busy: f64) -> Step {
        let wall = Duration::from_secs(10);
        Step {
            workers: 4,
            start: Duration::ZERO,
            schedule: None,
            recording: Recording::default(),
            intervals: Vec::new(),
            measured: wall,
            drained: Duration::ZERO,
            cpu: wall,
            threads: vec![ThreadUse { cpu: wall / 10, wall }, ThreadUse { cpu: wall.mul_f64(busy), wall }],
        }
    }

    fn weight(busy: f64) -> Option<Status> {
        let reasons = judge(&step(busy), None);
        reasons.iter().find(|reason| reason.code == "client-busy").map(|reason| {
            assert!(reason.text.contains("client's limit") && reason.advice.contains("--threads"), "{reason:?}");
            reason.weight
        })
    }

    #[test]
    fn a_saturated_load_thread_is_invalid_a_busy_one_suspect() {
        assert_eq!([0.5, 0.79, 0.85, 0.94].map(weight), [None, None, Some(Status::Suspect), Some(Status::Suspect)]);
        assert_eq!([0.95, 1.0].map(weight), [Some(Status::Invalid); 2]);
    }

    #[test]
    fn headroom_has_two_bars() {
        let weight =
            |headroom: f64| judge(&step(0.1), Some(headroom)).first().map(|reason| (reason.code, reason.weight));
        assert_eq!(weight(1.1), Some(("headroom", Status::Invalid)));
        assert_eq!(weight(1.9), Some(("headroom", Status::Suspect)));
        assert_eq!(weight(2.0), None);
    }
}
