//! Writing the log, an interval at a time.

use std::fs::File;
use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use benchhost_stats::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, IntervalLogWriterError, Tag};

/// What readers expect as the first line.
const FORMAT: &str = "[Histogram log format version 1.3]";
const UNITS: &str = "[Values are nanoseconds, Interval_Max is milliseconds, a tag is operation.clock]";
const LEGEND: &[u8] = b"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n";
const NS_PER_MS: f64 = 1e6;

/// A log being written.
pub(crate) struct LogWriter {
    file: File,
    builder: IntervalLogWriterBuilder,
    serializer: V2DeflateSerializer,
    header: usize,
}

impl LogWriter {
    /// Writes the header. Times of intervals count from `started_at`.
    pub(crate) fn start(mut file: File, started_at: SystemTime) -> io::Result<Self> {
        let mut builder = IntervalLogWriterBuilder::new();
        builder.add_comment(FORMAT).add_comment(UNITS);
        builder.with_start_time(started_at).with_max_value_divisor(NS_PER_MS);
        let (mut header, mut serializer) = (Vec::new(), V2DeflateSerializer::new());
        builder.begin_log_with(&mut header, &mut serializer)?;
        file.write_all(&header)?;
        file.write_all(LEGEND)?;
        Ok(Self { file, builder, serializer, header: header.len() })
    }

    /// Writes a line for each histogram that holds anything, in one piece, so that a process that is killed leaves at most one
    /// line incomplete: the last.
    pub(crate) fn interval<'a>(
        &mut self,
        start: Duration,
        length: Duration,
        histograms: impl Iterator<Item = (String, &'a Histogram)>,
    ) -> io::Result<()> {
        // The crate's writer borrows what it writes to, so each interval has its own, which begins with the header again.
        let mut lines = Vec::new();
        let mut writer = self.builder.begin_log_with(&mut lines, &mut self.serializer)?;
        for (name, histogram) in histograms.filter(|(_, histogram)| !histogram.is_empty()) {
            let tag = Tag::new(&name).ok_or_else(|| io::Error::other(format!("`{name}` is no tag of a histogram")))?;
            writer.write_histogram(&histogram.hdr(), start, length, Some(tag)).map_err(|error| match error {
                IntervalLogWriterError::IoError(error) => error,
                IntervalLogWriterError::SerializeError(error) => io::Error::other(error),
            })?;
        }
        self.file.write_all(lines.get(self.header..).unwrap_or_default())
    }

    /// Returns when all of it is on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}
