//! Times of rows, kept as arithmetic progressions: rows of a benchmark come evenly spaced, so a batch is one entry.

/// Evenly spaced times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    first: i64,
    /// From one to the next; not below 0, and of no matter for a single one.
    step: i64,
    count: u64,
}

impl Run {
    /// The time after the last one; none when time ends before.
    fn next(&self) -> Option<i64> {
        i64::try_from(self.count).ok().and_then(|count| self.step.checked_mul(count)?.checked_add(self.first))
    }

    /// Those before `end`.
    fn before(&self, end: i64) -> u64 {
        let ahead = i128::from(end) - i128::from(self.first);
        if ahead <= 0 {
            return 0;
        }
        if self.step == 0 || self.count == 1 {
            return self.count;
        }
        let steps = (ahead - 1) / i128::from(self.step) + 1;
        self.count.min(u64::try_from(steps).unwrap_or(u64::MAX))
    }
}

/// A multiset of times in nanoseconds: every row counts, also where two have the same time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Runs {
    runs: Vec<Run>,
    rows: u64,
}

impl Runs {
    /// Adds a row.
    pub(super) fn push(&mut self, time: i64) {
        self.rows += 1;
        if let Some(last) = self.runs.last_mut() {
            if last.count == 1
                && let Some(step) = time.checked_sub(last.first).filter(|step| *step >= 0)
            {
                (last.step, last.count) = (step, 2);
                return;
            }
            if last.count > 1 && last.next() == Some(time) {
                last.count += 1;
                return;
            }
        }
        self.runs.push(Run { first: time, step: 0, count: 1 });
    }

    /// Adds all rows of another.
    pub(super) fn append(&mut self, other: &Self) {
        for run in &other.runs {
            match self.runs.last_mut() {
                _ if run.count == 1 => self.push(run.first),
                Some(last) if last.count > 1 && last.step == run.step && last.next() == Some(run.first) => {
                    last.count += run.count;
                    self.rows += run.count;
                }
                _ => {
                    self.runs.push(*run);
                    self.rows += run.count;
                }
            }
        }
    }

    /// Rows from `start` to before `end`.
    pub(super) fn count(&self, start: i64, end: i64) -> u64 {
        self.runs.iter().map(|run| run.before(end).saturating_sub(run.before(start))).sum()
    }

    /// All rows.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Entries that it takes.
    pub(super) fn entries(&self) -> usize {
        self.runs.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: &[i64]) -> Runs {
        let mut runs = Runs::default();
        times.iter().for_each(|time| runs.push(*time));
        runs
    }

    #[test]
    fn evenly_spaced_rows_are_one_entry_over_all_batches() {
        let times: Vec<i64> = (0..10_000).map(|n| n * 1_000_000).collect();
        let mut all = of(&times[..1000]);
        for batch in times[1000..].chunks(1000) {
            all.append(&of(batch));
        }
        assert_eq!((all.entries(), all.rows(), all.count(i64::MIN, i64::MAX)), (1, 10_000, 10_000));
        assert_eq!(all.count(5_000_000, 7_000_000), 2);
        assert_eq!(all.count(5_000_001, 7_000_001), 2);
        assert_eq!(all.count(7, 7), 0);
    }

    #[test]
    fn any_times_are_counted_as_one_by_one() {
        // Repeats, steps back, and the ends of time.
        let mut times = vec![5, 5, 5, 3, 9, 9, 1, i64::MIN, i64::MAX, i64::MAX, i64::MIN, 0, 2, 4, 6, 6, 6, 7];
        times.extend((0..50).map(|n| (n * 37) % 23));
        let (one, two) = times.split_at(20);
        let mut all = of(one);
        all.append(&of(two));
        assert_eq!(all.rows(), times.len() as u64);
        let ends = [i64::MIN, -1, 0, 1, 3, 5, 6, 7, 22, 23, i64::MAX];
        for start in ends {
            for end in ends {
                let truth = times.iter().filter(|time| start <= **time && **time < end).count() as u64;
                assert_eq!(all.count(start, end), truth, "{start}..{end}");
            }
        }
    }
}
