//! `intervals.csv`: a line for every interval of the load, for spreadsheets and plots. Empty cells are what was not measured, or what too
//! few samples tell.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write as _};

use benchhost_core::{Interval, PhaseName};
use benchhost_stats::Histogram;

/// Names of the columns. `step` counts from 0 and is empty in the warm-up; times are seconds on the run's clock.
const HEADER: &str = "phase,step,start_s,length_s,rows,ok,failed,timed_out,retried,\
    service_p50_ns,service_p90_ns,service_p99_ns,service_p999_ns,service_max_ns,\
    response_p50_ns,response_p90_ns,response_p99_ns,response_p999_ns,response_max_ns,\
    lag_p99_ns,lag_max_ns,raw_bytes,sent_bytes,received_bytes\n";

/// A series being written.
pub(crate) struct IntervalCsv {
    file: File,
}

impl IntervalCsv {
    /// Writes the header.
    pub(crate) fn start(mut file: File) -> io::Result<Self> {
        file.write_all(HEADER.as_bytes())?;
        Ok(Self { file })
    }

    /// Writes the line of an interval, in one piece.
    pub(crate) fn interval(&mut self, interval: &Interval<'_>) -> io::Result<()> {
        self.file.write_all(line(interval).as_bytes())
    }

    /// Returns when all of it is on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

fn line(interval: &Interval<'_>) -> String {
    let Interval { phase, step, start, length, recording, .. } = interval;
    let mut line = phase.as_str().to_owned();
    let mut cell = |value: Option<u64>| {
        line.push(',');
        if let Some(value) = value {
            // Writing to a string does not fail.
            let _ = write!(line, "{value}");
        }
    };
    cell((*phase != PhaseName::Warmup).then_some(*step as u64));
    let _ = write!(line, ",{:.6},{:.6}", start.as_secs_f64(), length.as_secs_f64());
    let mut cell = |value: Option<u64>| {
        line.push(',');
        if let Some(value) = value {
            let _ = write!(line, "{value}");
        }
    };
    let operations = recording.operations;
    for count in
        [recording.rows.acknowledged, operations.ok, operations.failed, operations.timed_out, operations.retried]
    {
        cell(Some(count));
    }
    percentiles(&recording.service).into_iter().for_each(&mut cell);
    percentiles(&recording.response).into_iter().for_each(&mut cell);
    let lag = recording.lag.summary();
    cell(lag.p99_ns);
    cell(lag.max_ns);
    for bytes in [recording.volume.raw_bytes, recording.volume.sent_bytes, recording.volume.received_bytes] {
        cell(Some(bytes));
    }
    line.push('\n');
    line
}

fn percentiles(histogram: &Histogram) -> [Option<u64>; 5] {
    let summary = histogram.summary();
    [summary.p50_ns, summary.p90_ns, summary.p99_ns, summary.p999_ns, summary.max_ns]
}
