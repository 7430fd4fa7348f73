//! InfluxDB's line protocol, read into columns of Arrow.

mod columns;
mod parse;
mod table;
mod text;

pub(crate) use columns::{Batch, Conflict, Known, Refused};
pub(crate) use parse::{Line, Lines};

/// The unit of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Nanoseconds in one.
    pub(crate) nanoseconds: i64,
}

impl Unit {
    /// Nanoseconds.
    pub(crate) const NANOSECOND: Self = Self { nanoseconds: 1 };
    /// Microseconds.
    pub(crate) const MICROSECOND: Self = Self { nanoseconds: 1_000 };
    /// Milliseconds.
    pub(crate) const MILLISECOND: Self = Self { nanoseconds: 1_000_000 };
    /// Seconds.
    pub(crate) const SECOND: Self = Self { nanoseconds: 1_000_000_000 };

    /// By the short spellings of InfluxDB 1 and 2 and of GreptimeDB.
    pub(crate) fn short(name: &str) -> Option<Self> {
        Some(match name {
            "n" | "ns" => Self::NANOSECOND,
            "u" | "us" | "µ" => Self::MICROSECOND,
            "ms" => Self::MILLISECOND,
            "s" => Self::SECOND,
            "m" => Self { nanoseconds: 60_000_000_000 },
            "h" => Self { nanoseconds: 3_600_000_000_000 },
            _ => return None,
        })
    }
}
