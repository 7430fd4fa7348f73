//! What is recorded of made-up operations.

use std::time::Duration;

use benchhost_core::{
    ErrorKind, OpError, OperationEnding, Recording, ServerSample, ServerUsage, Spans, Stamps, Step, ThreadUse,
};

pub(crate) const MILLISECOND: u64 = 1_000_000;
pub(crate) const BATCH_ROWS: u64 = 1000;
pub(crate) const FIELDS: u64 = 5;

/// A step of a closed loop that nothing is recorded of yet.
pub(crate) fn step(workers: u32, batches: u64) -> Step {
    let measured = Duration::from_micros(batches * 1_557);
    let used = ThreadUse { cpu: measured / 10, wall: measured };
    Step {
        workers,
        start: Duration::from_millis(125),
        schedule: None,
        recording: Recording::default(),
        intervals: Vec::new(),
        measured,
        drained: Duration::from_micros(41),
        cpu: Duration::from_micros(batches * 213),
        threads: vec![used; 2],
    }
}

/// Acknowledged batches of 1000 rows, in order; with a schedule, each lags this many nanoseconds more than the one before, and is
/// level again after a thousand.
pub(crate) fn fill(recording: &mut Recording, numbers: std::ops::Range<u64>, lag: Option<u64>) {
    for number in numbers {
        acknowledge(recording, number, lag.map(|lag| number % 1000 * lag));
    }
}

/// A batch of 1000 rows in about a millisecond, with a tail like that of a real server.
pub(crate) fn acknowledge(recording: &mut Recording, number: u64, lag: Option<u64>) {
    let spread = (number * 7919) % 1000;
    let tail = if spread >= 980 { (spread - 979) * 3 * MILLISECOND } else { 0 };
    let wait = MILLISECOND + spread * 700 + tail;
    let encode = 67_000 + spread * 20;
    let plugin = 2_100 + spread;
    let spans = Spans {
        encode: Duration::from_nanos(encode),
        wait: Duration::from_nanos(wait),
        plugin: Duration::from_nanos(plugin),
    };
    let pause = if number.is_multiple_of(100) { 2 * MILLISECOND } else { 0 };
    let service = Duration::from_nanos(encode + wait + plugin + pause);
    recording.operation(OperationEnding::Ok, stamps(lag, number * MILLISECOND, service), spans);
    recording.rows.sent += BATCH_ROWS;
    recording.rows.acknowledged += BATCH_ROWS;
    recording.volume.values += BATCH_ROWS * FIELDS;
    recording.volume.raw_bytes += 221_914;
    recording.volume.sent_bytes += 222_137;
    recording.volume.received_bytes += 312;
}

/// Of an operation that was due at a time, in nanoseconds.
pub(crate) fn stamps(lag: Option<u64>, due: u64, service: Duration) -> Stamps {
    let intended = Duration::from_nanos(due);
    let sent = intended + Duration::from_nanos(lag.unwrap_or(0));
    Stamps { intended: lag.map(|_| intended), sent, done: sent + service }
}

pub(crate) fn errors() -> [(OpError, u32); 3] {
    let partial = "partial write: field type conflict: input field \"cpu\" on measurement \"benchmark\" is type float, \
                   already exists as type integer dropped=1";
    [
        (OpError { code: Some("400".into()), ..OpError::new(ErrorKind::Partial, partial) }, 5),
        (OpError::new(ErrorKind::TimedOut, "no answer from 127.0.0.1:8086 within 30 s"), 14),
        (
            OpError {
                code: Some("reset".into()),
                ..OpError::new(ErrorKind::Unavailable, "\u{1b}[31mconnection reset")
            },
            2,
        ),
    ]
}

pub(crate) fn usage() -> ServerUsage {
    let sample = |second: u64, cpu| ServerSample {
        at: Duration::from_secs(second),
        cpu_percent: cpu,
        memory_bytes: Some(400_000_000 + second * 3_000_000),
        disk_read_bytes: None,
        disk_written_bytes: cpu.map(|_| 41_000_000),
        network_received_bytes: None,
        network_sent_bytes: None,
    };
    ServerUsage {
        probe: "name:influxd".into(),
        samples: vec![sample(0, None), sample(1, Some(61.5)), sample(2, Some(143.25))],
        max_cpu_percent: Some(143.25),
        mean_cpu_percent: Some(118.0),
        max_memory_bytes: Some(412_000_000),
        mean_memory_bytes: Some(404_500_000),
        disk_read_bytes: None,
        disk_written_bytes: Some(82_000_000),
        network_received_bytes: None,
        network_sent_bytes: None,
        observer_cpu: Duration::from_micros(2_750),
        failed: 1,
        first_failure: Some("process 4711 had ended".into()),
    }
}
