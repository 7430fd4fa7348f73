//! What the server truly did, request by request.

use serde::{Deserialize, Serialize};

use crate::calibration::samples::{Percentiles, Samples};

/// Samples that are kept; later ones are only counted.
pub const MAX_SAMPLES: usize = 2_000_000;

/// What the server did with the writes since the last reset.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Truth {
    /// Writes that were answered, whatever the answer was.
    pub writes: u64,
    /// Writes beyond [`MAX_SAMPLES`]: they are in no percentile.
    pub not_kept: u64,
    /// From the moment when a request was read to the moment when its answer was handed to the socket, by the clock. Handing it over is
    /// not in it: the client may have the answer before that call returns.
    pub held: Percentiles,
    /// The drawn service times of the same requests, without stalls and rate limit.
    pub nominal: Percentiles,
}

/// The samples.
#[derive(Debug)]
pub(crate) struct Record {
    /// Held and nominal times.
    samples: Vec<(u64, u64)>,
    not_kept: u64,
}

impl Record {
    /// Takes its address space at once, so that no request ever waits for samples to be moved; memory follows as samples come.
    pub(crate) fn new() -> Self {
        Self { samples: Vec::with_capacity(MAX_SAMPLES), not_kept: 0 }
    }

    pub(crate) fn add(&mut self, held: u64, nominal: u64) {
        if self.samples.len() < MAX_SAMPLES {
            self.samples.push((held, nominal));
        } else {
            self.not_kept += 1;
        }
    }

    pub(crate) fn reset(&mut self) {
        self.samples.clear();
        self.not_kept = 0;
    }

    /// The samples as they are now, to be summed up where nobody waits.
    pub(crate) fn copy(&self) -> Copied {
        Copied { samples: self.samples.clone(), not_kept: self.not_kept }
    }
}

/// A copy of a record.
pub(crate) struct Copied {
    samples: Vec<(u64, u64)>,
    not_kept: u64,
}

impl Copied {
    pub(crate) fn truth(self) -> Truth {
        let (held, nominal): (Vec<u64>, Vec<u64>) = self.samples.into_iter().unzip();
        Truth {
            writes: held.len() as u64 + self.not_kept,
            not_kept: self.not_kept,
            held: Samples::new(held).percentiles(),
            nominal: Samples::new(nominal).percentiles(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_beyond_the_bound_are_counted_and_not_kept() {
        let mut record = Record::new();
        for held in 0..MAX_SAMPLES as u64 + 3 {
            record.add(held, 1);
        }
        let truth = record.copy().truth();
        assert_eq!((truth.writes, truth.not_kept), (MAX_SAMPLES as u64 + 3, 3));
        assert_eq!((truth.held.max_ns, truth.nominal.max_ns), (Some(MAX_SAMPLES as u64 - 1), Some(1)));
        record.reset();
        assert_eq!(record.copy().truth(), Truth::default());
    }
}
