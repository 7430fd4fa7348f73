//! Columns as pure functions of the row number. Loops run over exact ranges into buffers that are kept, and divide once
//! a call, not once a row.

use benchhost_plugin::random::{GAMMA, mix};

/// Keys that go round: each stands for `run` rows, then the next, and after the last the first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cycle {
    keys: u32,
    run: u32,
}

impl Cycle {
    /// `keys` keys of `run` rows each; neither may be 0.
    pub(crate) fn new(keys: u32, run: u32) -> Self {
        Self { keys, run }
    }

    /// The keys of `rows` rows from `first_row` on.
    pub(crate) fn keys(self, first_row: u64, rows: u32, into: &mut Vec<u32>) {
        let run = u64::from(self.run);
        let mut key = (first_row / run % u64::from(self.keys)) as u32;
        let mut left = self.run - (first_row % run) as u32;
        into.clear();
        into.extend((0..rows).map(|_| {
            let now = key;
            left -= 1;
            if left == 0 {
                left = self.run;
                key = if key + 1 == self.keys { 0 } else { key + 1 };
            }
            now
        }));
    }
}

/// Floats that are uniform in `[0, bound)`, of 53 random bits each: the `column + row * columns`th number of a
/// SplitMix64 sequence, which can be entered anywhere.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Uniform {
    state: u64,
    step: u64,
    scale: f64,
}

impl Uniform {
    /// One of `columns` columns.
    pub(crate) fn new(seed: u64, column: u64, columns: u64, bound: f64) -> Self {
        // Seeds are often neighbours, whose sequences would be the same one shifted: mixing parts them.
        let start = mix(mix(seed.wrapping_add(GAMMA)).wrapping_add(GAMMA));
        Self {
            state: start.wrapping_add(GAMMA.wrapping_mul(column + 1)),
            step: GAMMA.wrapping_mul(columns),
            scale: bound / (1_u64 << 53) as f64,
        }
    }

    /// The values of `rows` rows from `first_row` on.
    pub(crate) fn values(self, first_row: u64, rows: u32, into: &mut Vec<f64>) {
        let mut state = self.state.wrapping_add(self.step.wrapping_mul(first_row));
        into.clear();
        into.extend((0..rows).map(|_| {
            // Through a signed integer: the conversion of an unsigned one is several instructions.
            let value = (mix(state) >> 11) as i64 as f64 * self.scale;
            state = state.wrapping_add(self.step);
            value
        }));
    }
}

/// `rows` times from `start` on, `step` apart.
pub(crate) fn times(start: i64, step: i64, rows: u32, into: &mut Vec<i64>) {
    into.clear();
    into.extend((0..i64::from(rows)).map(|row| start + row * step));
}
