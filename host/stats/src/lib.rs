//! Histograms of durations and what is read off them. Pure functions: this crate does no I/O, reads no clock and never prints.
//!
//! All values are nanoseconds. Histograms merge without loss; percentiles never average.

mod drift;
mod histogram;
mod summary;

pub use drift::drift;
pub use histogram::{Exact, HIGHEST_NS, Histogram};
pub use summary::{SAMPLES_BEYOND, Summary, earned};
