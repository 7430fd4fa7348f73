//! The order of repetitions: in rounds, every run once in each. What changes slowly, such as a machine that warms up or a disk that fills, then
//! reaches all runs alike instead of the last one only.

/// One repetition of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Index of the run.
    pub run: usize,
    /// Which repetition of it, from 1.
    pub repetition: u32,
}

/// All repetitions: A1 B1 C1, A2 B2 C2, …
pub(crate) fn turns(runs: usize, repetitions: u32) -> impl Iterator<Item = Turn> {
    (1..=repetitions).flat_map(move |repetition| (0..runs).map(move |run| Turn { run, repetition }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_take_turns() {
        let order: Vec<_> = turns(3, 2).map(|turn| (turn.run, turn.repetition)).collect();
        assert_eq!(order, [(0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)]);
        assert_eq!(turns(3, 0).count(), 0);
    }
}
