//! Whether what a search found may be believed.

use super::{Bound, Found};
use crate::health;
use crate::result::Step;
use crate::verdict::{Reason, Status};

/// A rate is a result when it was confirmed. A client at its limit does not make it wrong, but then it is only the least that the server
/// sustains.
pub(crate) fn judge(found: &Found, steps: &[Step], headroom: Option<f64>) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    let windows = found.confirmed_steps(steps);
    for reason in windows.iter().flat_map(|step| health::judge(step, headroom)) {
        let alike = reasons.iter_mut().find(|known| known.code == reason.code);
        match alike {
            Some(known) if known.weight < reason.weight => *known = reason,
            Some(_) => {}
            None => reasons.push(reason),
        }
    }
    match found.bound {
        Bound::Server | Bound::Unfinished => {}
        Bound::Client(limit) => {
            reasons.retain(|reason| !["client-busy", "headroom"].contains(&reason.code));
            reasons.push(Reason {
                code: "client-bound",
                text: format!("the server sustains at least this rate, and may sustain more: {}", limit.text()),
                advice: limit.advice(),
                weight: Status::Suspect,
            });
        }
        Bound::NothingHeld => reasons.push(nothing_held(found)),
    }
    reasons
}

fn nothing_held(found: &Found) -> Reason {
    let lowest = found.lowest_failure().map_or_else(String::new, |probe| {
        format!(": the lowest, {:.1} operations/s, failed because {}", probe.offered_per_s, probe.why.join("; "))
    });
    let held = found.probes.iter().any(|probe| probe.passed);
    let (what, advice) = if held {
        (
            "no rate held in every window of its confirmation",
            "try each rate longer with --probe, or see what disturbs the server",
        )
    } else {
        (
            "no rate held",
            "begin lower with --rate, allow longer times with --slo, or see whether the server works at all",
        )
    };
    Reason { code: "nothing-held", text: format!("{what}{lowest}"), advice: advice.into(), weight: Status::Invalid }
}
