//! Runs made by hand: what a report can meet, without a database.

#![allow(dead_code, reason = "every test binary uses its own part")]

pub(crate) mod asked;
pub(crate) mod bundles;
pub(crate) mod recorded;

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use benchhost_core::{
    Arrival, Bound, ClientCost, Crash, DatasetFacts, Ending, ErrorKind, Evidence, Existing, Found, Kept, Offered,
    OpError, OperationEnding, Phase, PhaseName, Plan, PlanSpec, PluginChoice, Profile, Purpose, RateProbe, RunResult,
    Schedule, Spans, Stage, Stored, judge,
};
use benchhost_report::{Document, HostFacts, PluginFacts, PluginRole};

use asked::{influx, spec};
use recorded::{BATCH_ROWS, FIELDS, errors, fill, stamps, step, usage};

pub(crate) fn document(result: &RunResult) -> Document {
    Document::new(result, &host(), &plugins(result))
}

/// Every kind of run, by name.
pub(crate) fn all() -> [(&'static str, RunResult); 9] {
    [
        ("complete", complete()),
        ("troubled", troubled()),
        ("interrupted", interrupted()),
        ("streamed", streamed()),
        ("unverifiable", unverifiable()),
        ("scheduled", scheduled()),
        ("ladder", ladder()),
        ("searched", searched()),
        ("nothing_held", nothing_held()),
    ]
}

/// A million rows into InfluxDB, all of them found there.
pub(crate) fn complete() -> RunResult {
    let mut result = base(spec(), 1000);
    fill(&mut result.steps[0].recording, 0..1000, None);
    finish(&mut result, Ending::Complete, Stored::Rows)
}

/// Retries, errors of several kinds, time-outs, a crash, and fewer rows found than acknowledged.
pub(crate) fn troubled() -> RunResult {
    let mut result = base(PlanSpec { existing: Existing::Drop, connections: Some(2), ..spec() }, 400);
    let recording = &mut result.steps[0].recording;
    fill(recording, 0..393, None);
    let mut gave_up = |ending, after| recording.operation(ending, stamps(None, 0, after), Spans::default());
    for number in 0..4 {
        gave_up(OperationEnding::Failed, Duration::from_millis(3 + number));
    }
    for _ in 0..2 {
        gave_up(OperationEnding::TimedOut, Duration::from_secs(30));
    }
    gave_up(OperationEnding::Failed, Duration::from_secs(2 * 3600));
    recording.operations.retried = 14;
    recording.operations.crashed = 1;
    recording.rows.sent += 7 * BATCH_ROWS;
    recording.rows.unknown = 2 * BATCH_ROWS;
    for error in errors() {
        for _ in 0..error.1 {
            recording.errors.add(&error.0);
        }
    }
    result.steps[0].drained = Duration::from_secs(2 * 3600);
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
    result.steps[0].threads.clear();
    result.steps[0].drained = Duration::ZERO;
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
    fill(&mut result.steps[0].recording, 0..20_000, None);
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
    let recording = &mut result.steps[0].recording;
    for _ in 0..30 {
        let spans = Spans { plugin: Duration::from_nanos(310), ..Spans::default() };
        recording.operation(OperationEnding::Ok, stamps(None, 0, Duration::from_nanos(355)), spans);
        recording.rows.sent += BATCH_ROWS;
        recording.rows.acknowledged += BATCH_ROWS;
        recording.volume.values += BATCH_ROWS * FIELDS;
    }
    result.server = vec![("product".into(), "none: rows are dropped in the plugin".into())];
    finish(&mut result, Ending::Complete, |_| Stored::NotAsked { why: "target `null` keeps nothing".into() })
}

/// An offered rate with a warm-up and objectives, on an observed server.
pub(crate) fn scheduled() -> RunResult {
    let second = Duration::from_secs(1);
    let profile = Profile::new(vec![
        Stage { length: second * 10, from_per_s: 0.0, to_per_s: 360.0 },
        Stage::constant(second * 20, 360.0),
    ]);
    let objectives = ["p99<50ms", "lag.p99<1ms", "p99.9<1s", "errors<0.1%"].map(|text| text.parse().unwrap());
    let spec = PlanSpec {
        rows: None,
        duration: Some(second * 30),
        warmup: second * 5,
        offered: Offered::Open { profile, arrival: Arrival::Poisson },
        objectives: objectives.into(),
        ..spec()
    };
    let mut result = base(spec, 9_000);
    let schedule = Schedule {
        operations: 9_000.0,
        offered_per_s: 300.0,
        achieved_per_s: 299.4,
        max_queue: 31,
        unsent: 0,
        given_up: false,
    };
    let measured = &mut result.steps[0];
    fill(&mut measured.recording, 0..9_000, Some(40 * 1_000));
    (measured.schedule, measured.start, measured.measured) = (Some(schedule), second * 6, second * 30);
    let mut warmup = step(8, 2_500);
    fill(&mut warmup.recording, 0..2_500, Some(90 * 1_000));
    (warmup.schedule, warmup.start, warmup.measured) = (Some(schedule), second, second * 5);
    result.warmup = Some(warmup);
    result.phases.retain(|phase| phase.name != PhaseName::Generate);
    result.phases[2].time = second * 30;
    result.phases.insert(2, Phase { name: PhaseName::Warmup, time: second * 5, rows: 2_500 * BATCH_ROWS });
    result.client.batch_bytes = 0;
    result.dataset.streamed = true;
    result.dataset.rows = 11_500 * BATCH_ROWS;
    result.headroom = Some(14.2);
    result.server_usage = Some(usage());
    finish(&mut result, Ending::Complete, Stored::Rows)
}

/// One step for each number of workers.
pub(crate) fn ladder() -> RunResult {
    let mut result = base(PlanSpec { workers: vec![1, 4, 16], rows: Some(2_000_000), ..spec() }, 6_000);
    result.steps.clear();
    for (index, (workers, batch_micros)) in [(1, 1_800), (4, 620), (16, 655)].into_iter().enumerate() {
        let mut step = step(workers, 2_000);
        fill(&mut step.recording, 0..2_000, None);
        step.start = Duration::from_secs(5 * index as u64 + 1);
        step.measured = Duration::from_micros(batch_micros * 2_000);
        result.steps.push(step);
    }
    let late = &mut result.steps[2].recording;
    late.operation(OperationEnding::TimedOut, stamps(None, 0, Duration::from_secs(30)), Spans::default());
    late.rows.sent += BATCH_ROWS;
    late.rows.unknown += BATCH_ROWS;
    late.errors.add(&OpError::new(ErrorKind::TimedOut, "no answer from 127.0.0.1:8086 within 30 s"));
    finish(&mut result, Ending::Complete, Stored::Rows)
}

/// A search that found the server's ceiling.
pub(crate) fn searched() -> RunResult {
    searched_until(Bound::Server)
}

/// A search that something kept from finding more.
pub(crate) fn searched_until(bound: Bound) -> RunResult {
    let rates = [
        (Purpose::Double, 200.0, None),
        (Purpose::Double, 400.0, None),
        (Purpose::Double, 800.0, Some("lag grew from 0.120 ms to 431.000 ms")),
        (Purpose::Bisect, 565.7, Some("p99<50ms: it was 61.3 ms")),
        (Purpose::Bisect, 475.7, None),
        (Purpose::Confirm, 475.7, Some("p99<50ms: it was 51.2 ms")),
    ];
    let confirming = [(Purpose::Confirm, 466.2, None); 5];
    let mut result = search_of(&[&rates[..], &confirming].concat());
    result.search = Some(Found {
        rate_per_s: Some(466.2),
        rows_per_s: Some(466_200.0),
        bound,
        confirmed: 5,
        ..result.search.unwrap()
    });
    result.headroom = Some(14.2);
    finish(&mut result, Ending::Complete, Stored::Rows)
}

/// A search that found nothing.
pub(crate) fn nothing_held() -> RunResult {
    let why = Some("p99<50ms: it was 61.3 ms");
    let mut result = search_of(&[(Purpose::Double, 200.0, why), (Purpose::Double, 100.0, why)]);
    finish(&mut result, Ending::Complete, Stored::Rows)
}

/// The probes of a search, by their rates and why they failed, of some seconds each.
fn search_of(rates: &[(Purpose, f64, Option<&str>)]) -> RunResult {
    let second = Duration::from_secs(1);
    let spec = PlanSpec {
        rows: None,
        offered: Offered::Search { arrival: Arrival::Uniform, probe: second * 5, start_per_s: Some(200.0) },
        objectives: vec!["p99<50ms".parse().unwrap()],
        ..spec()
    };
    let mut result = base(spec, 0);
    result.steps.clear();
    let mut probes = Vec::new();
    for (number, (purpose, rate, why)) in rates.iter().enumerate() {
        let length = second * if *purpose == Purpose::Confirm { 15 } else { 5 };
        let due = (rate * length.as_secs_f64()) as u64;
        let mut step = step(8, due);
        let lag = if why.is_some() { 30_000 } else { 1_000 + number as u64 * 100 };
        fill(&mut step.recording, 0..due, Some(lag));
        let achieved = rate * if why.is_some() { 0.985 } else { 1.0 };
        let (max_queue, operations) = (u64::from(why.is_some()) * 70, due as f64);
        let (offered_per_s, achieved_per_s) = (*rate, achieved);
        let (unsent, given_up) = (0, false);
        step.schedule = Some(Schedule { operations, offered_per_s, achieved_per_s, max_queue, unsent, given_up });
        (step.start, step.measured) = (second * 20 * number as u32, length);
        result.steps.push(step);
        let why: Vec<String> = why.iter().map(|why| (*why).to_owned()).collect();
        let (purpose, passed) = (*purpose, why.is_empty());
        probes.push(RateProbe { offered_per_s, achieved_per_s, purpose, passed, why, step: number });
    }
    result.search = Some(Found { rate_per_s: None, rows_per_s: None, bound: Bound::NothingHeld, probes, confirmed: 0 });
    result.phases.retain(|phase| !matches!(phase.name, PhaseName::Generate | PhaseName::Measure | PhaseName::Drain));
    result.client.batch_bytes = 0;
    result.dataset.streamed = true;
    result
}

fn base(spec: PlanSpec, batches: u64) -> RunResult {
    let rows = batches.max(1000) * BATCH_ROWS;
    let phase = |name, micros, rows| Phase { name, time: Duration::from_micros(micros), rows };
    let workers = spec.workers[0];
    let spec = match (spec.rows, spec.workers.len()) {
        (Some(_), 1) => PlanSpec { rows: Some(rows), ..spec },
        _ => spec,
    };
    RunResult {
        started_at: UNIX_EPOCH + Duration::from_millis(1_772_366_400_123),
        plan: Plan::new(spec).unwrap(),
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
        warmup: None,
        steps: vec![step(workers, batches)],
        rows: Default::default(),
        operations: Default::default(),
        volume: Default::default(),
        errors: Default::default(),
        stored: Stored::Rows(0),
        headroom: None,
        search: None,
        objectives: Vec::new(),
        client: ClientCost { max_rss_bytes: Some(312_475_648), batch_bytes: rows * 64 },
        server: vec![
            ("product".into(), "InfluxDB".into()),
            ("version".into(), "1.8.3".into()),
            ("api".into(), "v1".into()),
        ],
        server_usage: None,
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

/// Adds up and judges the run as a real one is.
pub(crate) fn finish(result: &mut RunResult, ending: Ending, stored: impl FnOnce(u64) -> Stored) -> RunResult {
    for step in result.warmup.iter().chain(&result.steps) {
        result.rows += step.recording.rows;
        result.operations += step.recording.operations;
        result.volume += step.recording.volume;
        result.errors.merge(&step.recording.errors);
    }
    let judged = result.search.as_ref().map_or(&result.steps[..1], |found| found.confirmed_steps(&result.steps));
    for objective in &result.plan.objectives {
        let kept = judged.first().map_or(Kept::TooFew, |step| objective.check(&step.recording, step.measured));
        result.objectives.push((objective.clone(), kept));
    }
    result.ending = ending;
    result.stored = stored(result.rows.acknowledged);
    result.verdict = judge(Evidence {
        plan: &result.plan,
        ending,
        rows: result.rows,
        stored: &result.stored,
        operations: result.operations,
        steps: &result.steps,
        headroom: result.headroom,
        headroom_failures: None,
        search: result.search.as_ref(),
        dataset_failure: (ending == Ending::DatasetFailed).then_some("it ran out of rows"),
        server_usage: result.server_usage.as_ref(),
    });
    result.clone()
}

pub(crate) fn host() -> HostFacts {
    HostFacts {
        os: "linux".into(),
        arch: "x86_64".into(),
        kernel: Some("6.8.0-45-generic".into()),
        cpu_model: Some("AMD EPYC 7763 64-Core Processor".into()),
        logical_cpus: Some(2),
        memory_bytes: Some(8_340_426_752),
        physical_cpus: Some(2),
        cpu_governor: Some("performance".into()),
        cpu_quota: Some(1.5),
        clock_source: Some("tsc".into()),
        clock_read_ns: Some(21.5),
    }
}

pub(crate) fn plugins(result: &RunResult) -> Vec<PluginFacts> {
    let facts = |role, choice: &PluginChoice| PluginFacts {
        role,
        name: choice.name.clone(),
        version: choice.version.clone(),
        sha256: choice.sha256.clone(),
    };
    vec![facts(PluginRole::Target, &result.plan.target), facts(PluginRole::Dataset, &result.plan.dataset)]
}
