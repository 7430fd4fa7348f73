//! Which histogram a line of the log holds: `write.service`, `warm-up.write.lag`, `w16.write.wait`.

use benchhost_core::PhaseName;

use crate::document::WRITE;

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
}

impl Tags {
    /// Those of the steps with these numbers of workers. One step needs none; of equal numbers, all but the first are counted.
    pub(crate) fn of(workers: &[u32]) -> Self {
        if workers.len() <= 1 {
            return Self { steps: vec![String::new()] };
        }
        let steps = workers.iter().enumerate().map(|(index, workers_here)| {
            let before = workers[..index].iter().filter(|workers| *workers == workers_here).count();
            match before {
                0 => format!("w{workers_here}."),
                before => format!("w{workers_here}-{}.", before + 1),
            }
        });
        Self { steps: steps.collect() }
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
    fn only_load_of_the_result_has_a_prefix() {
        let tags = Tags::of(&[16, 50]);
        assert_eq!(tags.prefix(PhaseName::Warmup, 0), Some(WARMUP));
        assert_eq!(tags.prefix(PhaseName::Measure, 1), Some("w50."));
        assert_eq!(tags.prefix(PhaseName::Measure, 2), None);
        assert_eq!(tags.prefix(PhaseName::Headroom, 0), None);
        assert_eq!(tag("w50.", "service"), "w50.write.service");
    }
}
