//! Reading a log back: all intervals of a tag as one histogram.

use std::collections::BTreeMap;
use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram as Hdr;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry, LogIteratorError};

/// Why a log cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// A line that is none of a log of histograms.
    #[error("line {line} is no line of a histogram log")]
    Line {
        /// Its number, from 1.
        line: usize,
    },
    /// A line whose histogram cannot be decoded.
    #[error("histogram {number}, with the tag `{tag}`, is broken: {cause}")]
    Histogram {
        /// Its number in the log, from 1.
        number: usize,
        /// Its tag.
        tag: String,
        /// What is wrong with it.
        cause: String,
    },
}

/// The histograms by tag. What stands behind the last complete line is left out: it was being written when its process ended.
pub(crate) fn read(log: &[u8]) -> Result<BTreeMap<String, Hdr<u64>>, LogError> {
    let complete = log.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let log = &log[..complete];
    let mut histograms: BTreeMap<String, Hdr<u64>> = BTreeMap::new();
    let mut number = 0;
    let mut deserializer = Deserializer::new();
    for entry in IntervalLogIterator::new(log) {
        let entry = entry.map_err(|LogIteratorError::ParseError { offset }| LogError::Line {
            line: log[..offset].iter().filter(|byte| **byte == b'\n').count() + 1,
        })?;
        let LogEntry::Interval(interval) = entry else { continue };
        number += 1;
        let tag = interval.tag().map(|tag| tag.as_str().to_owned()).unwrap_or_default();
        let broken = |cause: String| LogError::Histogram { number, tag: tag.clone(), cause };
        let bytes = STANDARD.decode(interval.encoded_histogram()).map_err(|error| broken(error.to_string()))?;
        let histogram: Hdr<u64> =
            deserializer.deserialize(&mut Cursor::new(bytes)).map_err(|error| broken(error.to_string()))?;
        match histograms.get_mut(&tag) {
            Some(merged) => merged.add(&histogram).map_err(|error| broken(error.to_string()))?,
            None => drop(histograms.insert(tag, histogram)),
        }
    }
    Ok(histograms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_none_is_named_by_its_number() {
        assert_eq!(read(b"#[a comment]\nwhatever\n").unwrap_err(), LogError::Line { line: 2 });
        assert!(read(b"").unwrap().is_empty());
    }

    #[test]
    fn a_histogram_that_cannot_be_decoded_is_named_by_its_tag() {
        for wrong in ["%%%", "AAAA"] {
            let log = format!("Tag=write.service,1.000,1.000,2.000,{wrong}\n");
            let error = read(log.as_bytes()).unwrap_err();
            assert!(matches!(&error, LogError::Histogram { number: 1, tag, .. } if tag == "write.service"), "{error}");
        }
    }
}
