//! The time at the end of a line, in the precision that was asked for, without loss.

use crate::error::Problem;
use crate::types::TimeUnit;

use super::digits::{put_digits8, put_i64};
use super::put::put;

const LOW: i64 = 100_000_000;

/// Writes times of one column.
///
/// The rows of a batch lie close together, so all but the last eight digits are kept from the row before.
#[derive(Debug)]
pub(super) struct Clock {
    unit: TimeUnit,
    precision: TimeUnit,
    factor: i64,
    divisor: i64,
    /// What `high_text` says; negative if nothing.
    high: i64,
    high_text: [u8; 16],
    high_len: usize,
}

impl Clock {
    pub(super) fn new(unit: TimeUnit, precision: TimeUnit) -> Self {
        let (from, to) = (unit.nanoseconds(), precision.nanoseconds());
        let (factor, divisor) = if from >= to { (from / to, 1) } else { (1, to / from) };
        Self { unit, precision, factor, divisor, high: -1, high_text: [0; 16], high_len: 0 }
    }

    /// Writes `time` and returns where it ends.
    #[inline(always)]
    pub(super) fn put(&mut self, out: &mut [u8], at: usize, time: i64) -> Result<usize, Problem> {
        let time = if self.unit == self.precision { time } else { self.convert(time)? };
        if time < LOW {
            return Ok(put_i64(out, at, time));
        }
        let (high, low) = (time / LOW, time % LOW);
        if high != self.high {
            self.remember(high);
        }
        put(out, at, &self.high_text);
        Ok(put_digits8(out, at + self.high_len, low as u64))
    }

    fn convert(&self, time: i64) -> Result<i64, Problem> {
        let (value, unit, precision) = (time, self.unit, self.precision);
        if time % self.divisor != 0 {
            return Err(Problem::PrecisionLoss { value, unit, precision });
        }
        (time / self.divisor).checked_mul(self.factor).ok_or(Problem::TimeOverflow { value, unit, precision })
    }

    #[cold]
    fn remember(&mut self, high: i64) {
        // Up to 11 digits, and what copies write past them.
        let mut text = [0; 32];
        self.high_len = put_i64(&mut text, 0, high);
        self.high_text.copy_from_slice(&text[..16]);
        self.high = high;
    }
}
