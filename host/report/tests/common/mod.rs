//! Runs made by hand: what a report can meet, without a database.

#![allow(dead_code, reason = "every test binary uses its own part")]

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use benchhost_core::{
    ClientCost, Crash, DatasetFacts, Ending, ErrorKind, Evidence, Existing, OpError, OperationEnding, Phase, PhaseName,
    Plan, PlanSpec, PluginChoice, Recording, RunResult, Spans, Stored, judge,
};
use benchhost_report::{Document, HostFacts, PluginFacts, PluginRole};

const MILLISECOND: u64 = 1_000_000;
const BATCH_ROWS: u64 = 1000;
const FIELDS: u64 = 5;

pub(crate) fn document(result: &RunResult) -> Document {
    Document::new(result, &host(), &plugins(result))
}

/// Every kind of run, by name.
pub(crate) fn all() -> [(&'static str, RunResult); 5] {
    [
        ("complete", complete()),
        ("troubled", troubled()),
        ("interrupted", interrupted()),
        ("streamed", streamed()),
        ("unverifiable", unverifiable()),
    ]
}

/// A million rows into InfluxDB, all of them found there.
pub(crate) fn complete() -> RunResult {
    let mut result = base(spec(), 1000);
    for number in 0..1000 {
        acknowledge(&mut result.recording, number);
    }
    finish(&mut result, Ending::Complete, Stored::Rows)
}

/// Retries, errors of several kinds, time-outs, a crash, and fewer rows found than acknowledged.
pub(crate) fn troubled() -> RunResult {
    let mut result = base(PlanSpec { existing: Existing::Drop, connections: Some(2), ..spec() }, 400);
    for number in 0..393 {
        acknowledge(&mut result.recording, number);
    }
    let recording = &mut result.recording;
    let spans = Spans::default();
    for number in 0..4 {
        recording.operation(OperationEnding::Failed, Duration::from_millis(3 + number), spans);
    }
    for _ in 0..2 {
        recording.operation(OperationEnding::TimedOut, Duration::from_secs(30), spans);
    }
    recording.operation(OperationEnding::Failed, Duration::from_secs(2 * 3600), spans);
    recording.operations.retried = 14;
    recording.operations.crashed = 1;
    recording.rows.sent += 7 * BATCH_ROWS;
    recording.rows.unknown = 2 * BATCH_ROWS;
    for error in errors() {
        for _ in 0..error.1 {
            recording.errors.add(&error.0);
        }
    }
    result.first_crash = Some(Crash {
        plugin: "influx 0.1.0".into(),
        call: "ingest.send".into(),
        reason: "it used more than its 256 MiB of memory".into(),
        stderr: "thread '<unnamed>' panicked at src/lib.rs:88:14:\nmemory allocation of 268435456 bytes failed\n"
            .into(),
    });
    finish(&mut result, Ending::Complete, |acknowledged| Stored::Rows(acknowledged - 1250))
}

/// Stopped by the user before anything was acknowledged.
pub(crate) fn interrupted() -> RunResult {
    let mut result = base(spec(), 0);
    result.phases.truncate(3);
    result.client.cpu = Duration::ZERO;
    result.dataset.fingerprint = None;
    result.server.clear();
    let none = |_| Stored::NotAsked { why: "the run was stopped before it could be asked".into() };
    finish(&mut result, Ending::Interrupted, none)
}

/// More rows than the memory budget holds.
pub(crate) fn streamed() -> RunResult {
    let spec = PlanSpec {
        memory_budget_bytes: 2_000_000_000,
        tags: BTreeMap::from([("ticket".into(), "A-17".into())]),
        ..spec()
    };
    let mut result = base(spec, 20_000);
    for number in 0..20_000 {
        acknowledge(&mut result.recording, number);
    }
    result.phases.retain(|phase| phase.name != PhaseName::Generate);
    result.client.batch_bytes = 0;
    result.dataset.streamed = true;
    finish(&mut result, Ending::Complete, Stored::Rows)
}

/// A target without a server, which cannot be asked for what it stored.
pub(crate) fn unverifiable() -> RunResult {
    let target =
        PluginChoice { name: "null".into(), settings: BTreeMap::from([("format".into(), "none".into())]), ..influx() };
    let mut result = base(PlanSpec { target, endpoint: None, retries: 1, max_errors: u64::MAX, ..spec() }, 30);
    for _ in 0..30 {
        let spans = Spans { plugin: Duration::from_nanos(310), ..Spans::default() };
        result.recording.operation(OperationEnding::Ok, Duration::from_nanos(355), spans);
        result.recording.rows.sent += BATCH_ROWS;
        result.recording.rows.acknowledged += BATCH_ROWS;
        result.recording.volume.values += BATCH_ROWS * FIELDS;
    }
    result.server = vec![("product".into(), "none: rows are dropped in the plugin".into())];
    finish(&mut result, Ending::Complete, |_| Stored::NotAsked { why: "target `null` keeps nothing".into() })
}

/// A batch of 1000 rows in about a millisecond, with a tail like that of a real server.
fn acknowledge(recording: &mut Recording, number: u64) {
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
    recording.operation(OperationEnding::Ok, Duration::from_nanos(encode + wait + plugin + pause), spans);
    recording.rows.sent += BATCH_ROWS;
    recording.rows.acknowledged += BATCH_ROWS;
    recording.volume.values += BATCH_ROWS * FIELDS;
    recording.volume.raw_bytes += 221_914;
    recording.volume.sent_bytes += 222_137;
    recording.volume.received_bytes += 312;
}

fn errors() -> [(OpError, u32); 3] {
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

fn base(spec: PlanSpec, batches: u64) -> RunResult {
    let rows = batches.max(1000) * BATCH_ROWS;
    let phase = |name, micros, rows| Phase { name, time: Duration::from_micros(micros), rows };
    RunResult {
        started_at: UNIX_EPOCH + Duration::from_millis(1_772_366_400_123),
        plan: Plan::new(PlanSpec { rows, ..spec }).unwrap(),
        ending: Ending::Complete,
        verdict: benchhost_core::Verdict::from_reasons(Vec::new()),
        phases: vec![
            phase(PhaseName::Prepare, 12_400, 0),
            phase(PhaseName::Generate, 104_220, rows),
            phase(PhaseName::Open, 8_310, 0),
            phase(PhaseName::Measure, batches * 1_557, batches * BATCH_ROWS),
            phase(PhaseName::Drain, 41, 0),
            phase(PhaseName::Verify, 1_203_000, rows),
            phase(PhaseName::Close, 950, 0),
        ],
        recording: Recording::default(),
        stored: Stored::Rows(0),
        client: ClientCost {
            cpu: Duration::from_micros(batches * 213),
            max_rss_bytes: Some(312_475_648),
            batch_bytes: rows * 64,
        },
        server: vec![
            ("product".into(), "InfluxDB".into()),
            ("version".into(), "1.8.3".into()),
            ("api".into(), "v1".into()),
        ],
        dataset: DatasetFacts {
            rows,
            series: 100,
            tables: vec!["benchmark".into()],
            fingerprint: Some("3f9ac0b1d27e4f5588a1c6dd0e9b7a42".into()),
            streamed: false,
        },
        first_crash: None,
    }
}

/// Judges the run as a real one is judged.
fn finish(result: &mut RunResult, ending: Ending, stored: impl FnOnce(u64) -> Stored) -> RunResult {
    let recording = &result.recording;
    result.ending = ending;
    result.stored = stored(recording.rows.acknowledged);
    result.verdict = judge(Evidence {
        ending,
        rows: recording.rows,
        stored: &result.stored,
        errors: recording.operations.errors(),
        crashes: recording.operations.crashed,
        max_errors: result.plan.max_errors,
        max_crashes: result.plan.max_crashes,
        dataset_failure: (ending == Ending::DatasetFailed).then_some("it ran out of rows"),
    });
    result.clone()
}

fn spec() -> PlanSpec {
    PlanSpec {
        target: influx(),
        dataset: PluginChoice {
            name: "cpu".into(),
            version: "0.1.0".into(),
            sha256: "b4".repeat(32),
            settings: BTreeMap::from([("hosts".into(), "100".into())]),
        },
        endpoint: Some("http://127.0.0.1:8086".into()),
        rows: 1_000_000,
        batch_rows: 1000,
        workers: 8,
        connections: None,
        threads: 2,
        generator_threads: 2,
        timeout: Duration::from_secs(30),
        retries: 3,
        max_errors: 100,
        max_crashes: 10,
        memory_budget_bytes: 2_000_000_000,
        existing: Existing::Refuse,
        verify_timeout: Duration::from_secs(60),
        seed: 42,
        tags: BTreeMap::new(),
    }
}

fn influx() -> PluginChoice {
    let settings = [
        ("api", "v1"),
        ("create", "true"),
        ("database", "bench"),
        ("gzip", "off"),
        ("password", "***"),
        ("precision", "ms"),
        ("user", "bench"),
    ];
    PluginChoice {
        name: "influx".into(),
        version: "0.1.0".into(),
        sha256: "1f".repeat(32),
        settings: settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
    }
}

fn host() -> HostFacts {
    HostFacts {
        os: "linux".into(),
        arch: "x86_64".into(),
        kernel: Some("6.8.0-45-generic".into()),
        cpu_model: Some("AMD EPYC 7763 64-Core Processor".into()),
        logical_cpus: Some(2),
        memory_bytes: Some(8_340_426_752),
    }
}

fn plugins(result: &RunResult) -> Vec<PluginFacts> {
    let facts = |role, choice: &PluginChoice| PluginFacts {
        role,
        name: choice.name.clone(),
        version: choice.version.clone(),
        sha256: choice.sha256.clone(),
    };
    vec![facts(PluginRole::Target, &result.plan.target), facts(PluginRole::Dataset, &result.plan.dataset)]
}
