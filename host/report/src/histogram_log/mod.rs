//! `latency.hlog`: every histogram of every interval, as a log that the official HdrHistogram tools read (format 1.3, V2 with deflate).
//! Values are nanoseconds; the column with the longest value of an interval is in milliseconds, as those tools want it.

mod read;
mod tags;
mod write;

pub use read::LogError;
pub(crate) use read::read;
pub(crate) use tags::{Tags, WARMUP, tag};
pub(crate) use write::LogWriter;
