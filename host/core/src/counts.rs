//! Counts of rows, operations and bytes: integers that add up, kept per thread and merged.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use crate::error::{ErrorKind, OpError};

/// Rows, by what became of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowCounts {
    /// Rows of operations that were sent at least once.
    pub sent: u64,
    /// Rows that the server acknowledged.
    pub acknowledged: u64,
    /// Rows of attempts whose answer never came, one count an attempt, also when a later attempt succeeded.
    pub unknown: u64,
}

impl AddAssign for RowCounts {
    fn add_assign(&mut self, other: Self) {
        self.sent += other.sent;
        self.acknowledged += other.acknowledged;
        self.unknown += other.unknown;
    }
}

/// Operations, by how they ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OperationCounts {
    /// Acknowledged whole, or handed over.
    pub ok: u64,
    /// Those of them that were handed over to a stream, which is acknowledged at its end: their times are of handing over.
    pub handed_over: u64,
    /// Ended with an error other than a time-out, retries included.
    pub failed: u64,
    /// Ended with a time-out, retries included.
    pub timed_out: u64,
    /// Attempts after the first.
    pub retried: u64,
    /// Sessions that died in an operation. Such an operation is also `failed`.
    pub crashed: u64,
}

impl OperationCounts {
    /// Operations that did not succeed.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.failed + self.timed_out
    }
}

impl AddAssign for OperationCounts {
    fn add_assign(&mut self, other: Self) {
        self.ok += other.ok;
        self.handed_over += other.handed_over;
        self.failed += other.failed;
        self.timed_out += other.timed_out;
        self.retried += other.retried;
        self.crashed += other.crashed;
    }
}

/// Work that was acknowledged, and what it took on the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Volume {
    /// Field values in acknowledged rows.
    pub values: u64,
    /// Payload bytes of acknowledged operations, before compression.
    pub raw_bytes: u64,
    /// Bytes written to the network, every attempt included.
    pub sent_bytes: u64,
    /// Bytes read from the network.
    pub received_bytes: u64,
}

impl AddAssign for Volume {
    fn add_assign(&mut self, other: Self) {
        self.values += other.values;
        self.raw_bytes += other.raw_bytes;
        self.sent_bytes += other.sent_bytes;
        self.received_bytes += other.received_bytes;
    }
}

/// Errors of one kind and code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorCount {
    /// The class.
    pub kind: ErrorKind,
    /// The server's own code.
    pub code: Option<String>,
    /// How often, attempts that were tried again included.
    pub count: u64,
    /// The text of the first one.
    pub example: String,
}

/// At most this many different codes are told apart; the rest is counted under its kind alone. A server that puts a request number in its
/// code must not fill the memory.
const MAX_DISTINCT: usize = 256;

/// Errors by kind and code, with one example each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErrorTable {
    entries: BTreeMap<(ErrorKind, Option<String>), (u64, String)>,
}

impl ErrorTable {
    /// Counts one error.
    pub fn add(&mut self, error: &OpError) {
        self.add_many(error.kind, error.code.clone(), 1, &error.message);
    }

    /// Adds the counts of another table.
    pub fn merge(&mut self, other: &Self) {
        for ((kind, code), (count, example)) in &other.entries {
            self.add_many(*kind, code.clone(), *count, example);
        }
    }

    fn add_many(&mut self, kind: ErrorKind, code: Option<String>, count: u64, example: &str) {
        let mut key = (kind, code);
        if self.entries.len() >= MAX_DISTINCT && !self.entries.contains_key(&key) {
            key.1 = None;
        }
        self.entries.entry(key).or_insert_with(|| (0, example.to_owned())).0 += count;
    }

    /// The errors, the most frequent first.
    #[must_use]
    pub fn counts(&self) -> Vec<ErrorCount> {
        let mut counts: Vec<_> = self
            .entries
            .iter()
            .map(|((kind, code), (count, example))| ErrorCount {
                kind: *kind,
                code: code.clone(),
                count: *count,
                example: example.clone(),
            })
            .collect();
        counts.sort_by_key(|entry| std::cmp::Reverse(entry.count));
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: &str) -> OpError {
        OpError { code: Some(code.into()), ..OpError::new(ErrorKind::Rejected, format!("text of {code}")) }
    }

    #[test]
    fn errors_are_counted_by_kind_and_code_with_the_first_text() {
        let mut table = ErrorTable::default();
        table.add(&error("400"));
        table.add(&OpError { message: "later".into(), ..error("400") });
        let mut other = ErrorTable::default();
        other.add(&error("500"));
        other.add(&error("400"));
        table.merge(&other);
        let counts = table.counts();
        assert_eq!(counts.len(), 2);
        assert_eq!((counts[0].count, counts[0].example.as_str()), (3, "text of 400"));
        assert_eq!(counts[1].code.as_deref(), Some("500"));
    }

    #[test]
    fn endless_codes_do_not_fill_the_memory_and_no_error_is_lost() {
        let mut table = ErrorTable::default();
        for number in 0..10_000 {
            table.add(&error(&number.to_string()));
        }
        assert!(table.counts().len() <= MAX_DISTINCT + 1);
        assert_eq!(table.counts().iter().map(|c| c.count).sum::<u64>(), 10_000);
    }
}
