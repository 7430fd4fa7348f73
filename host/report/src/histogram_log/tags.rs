//! Which histogram a line of the log holds: `write.service`, `warm-up.write.lag`, `w16.write.wait`, `r12000.write.response`.

use benchhost_core::{Offered, PhaseName, Plan};

use crate::document::{Document, OfferedPlan, WRITE};

/// What tags of the warm-up begin with.
pub(crate) const WARMUP: &str = "warm-up.";

/// The tag of a kind of histogram, behind the prefix of its step.
pub(crate) fn tag(prefix: &str, kind: &str) -> String {
    format!("{prefix}{WRITE}.{kind}")
}

/// The prefixes of a plan's steps.
#[derive(Debug, Clone)]
pub(crate) struct Tags {
    steps: Vec<String>,
    /// Whether the steps are probes of a search, which are not known before they run.
    probes: bool,
}

impl Tags {
    /// Those of a run. In a search, [probes](Self::probe) come to them as they run.
    pub(crate) fn of_run(plan: &Plan) -> Self {
        match plan.offered {
            Offered::Search { .. } => Self { steps: Vec::new(), probes: true },
            _ => Self::of(&plan.workers),
        }
    }

    /// Those of the steps of a document.
    pub(crate) fn of_document(document: &Document) -> Self {
        let named = |name: &Option<String>| name.as_ref().map(|name| format!("{name}.")).unwrap_or_default();
        match document.plan.offered {
            OfferedPlan::Search { .. } => {
                Self { steps: document.steps.iter().map(|step| named(&step.name)).collect(), probes: true }
            }
            _ => Self::of(&document.plan.workers),
        }
    }

    /// Takes in that a step offers a rate. Probes have their names from it, `r12000`; of equal names, all but the first are counted.
    pub(crate) fn probe(&mut self, step: usize, offered_per_s: Option<f64>) {
        while self.probes && self.steps.len() <= step {
            let name = format!("r{:.0}", offered_per_s.unwrap_or(0.0));
            let alike = |known: &&String| **known == format!("{name}.") || known.starts_with(&format!("{name}-"));
            self.steps.push(match self.steps.iter().filter(alike).count() {
                0 => format!("{name}."),
                before => format!("{name}-{}.", before + 1),
            });
        }
    }

    /// What the tags of a probe begin with; none of other steps, which have their names from the plan.
    pub(crate) fn name(&self, step: usize) -> Option<String> {
        let prefix = self.step(step).filter(|_| self.probes)?;
        Some(prefix.trim_end_matches('.').to_owned())
    }

    /// Those of the steps with these numbers of workers. One step needs none; of equal numbers, all but the first are counted.
    fn of(workers: &[u32]) -> Self {
        if workers.len() <= 1 {
            return Self { steps: vec![String::new()], probes: false };
        }
        let steps = workers.iter().enumerate().map(|(index, workers_here)| {
            let before = workers[..index].iter().filter(|workers| *workers == workers_here).count();
            match before {
                0 => format!("w{workers_here}."),
                before => format!("w{workers_here}-{}.", before + 1),
            }
        });
        Self { steps: steps.collect(), probes: false }
    }

    /// The prefix of a stretch of load; none for a phase that is not of the result, or a step that the plan has not.
    pub(crate) fn prefix(&self, phase: PhaseName, step: usize) -> Option<&str> {
        match phase {
            PhaseName::Warmup => Some(WARMUP),
            PhaseName::Measure => self.step(step),
            _ => None,
        }
    }

    /// The prefix of a measured step.
    pub(crate) fn step(&self, step: usize) -> Option<&str> {
        self.steps.get(step).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_told_apart_by_their_workers() {
        let prefixes = |workers: &[u32]| Tags::of(workers).steps;
        assert_eq!(prefixes(&[8]), [""]);
        assert_eq!(prefixes(&[16, 50]), ["w16.", "w50."]);
        assert_eq!(prefixes(&[16, 50, 16, 16]), ["w16.", "w50.", "w16-2.", "w16-3."]);
    }

    #[test]
    fn probes_are_told_apart_by_their_rates_in_the_order_they_ran() {
        let mut tags = Tags { steps: Vec::new(), probes: true };
        for (step, rate) in [3000.0, 12_000.4, 11_999.6, 120.0, 12_000.0].into_iter().enumerate() {
            // Every interval of a step says its rate.
            tags.probe(step, Some(rate));
            tags.probe(step, Some(rate));
        }
        assert_eq!(tags.steps, ["r3000.", "r12000.", "r12000-2.", "r120.", "r12000-3."]);
        assert_eq!(tags.name(2).as_deref(), Some("r12000-2"));
        let mut ladder = Tags::of(&[16, 50]);
        ladder.probe(2, Some(1.0));
        assert_eq!((ladder.steps.len(), ladder.name(0)), (2, None));
    }

    #[test]
    fn only_load_of_the_result_has_a_prefix() {
        let tags = Tags::of(&[16, 50]);
        assert_eq!(tags.prefix(PhaseName::Warmup, 0), Some(WARMUP));
        assert_eq!(tags.prefix(PhaseName::Measure, 1), Some("w50."));
        assert_eq!(tags.prefix(PhaseName::Measure, 2), None);
        assert_eq!(tags.prefix(PhaseName::Headroom, 0), None);
        assert_eq!(tag("w50.", "service"), "w50.write.service");
    }
}
