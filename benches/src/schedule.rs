//! `schedule`: how exactly a high rate is held when the target costs next to nothing: the `null` plugin takes rows one by one.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use benchhost_core::{
    Arrival, CallError, Facts, Generator, Generators, NoObserver, Offered, Plan, PlanSpec, Profile, RunEnv, Stage,
    Step, StopToken,
};
use benchhost_data::{Batch, BatchBuilder, Column, DataType, Semantic, Table, TimeUnit};
use benchhost_net::{Grants, HttpOptions, Transport};
use benchhost_wasm::{Host, TargetWiring, WasmTargets};

use crate::figure::{Figures, median, say};
use crate::plugins;

const RATE_PER_S: f64 = 200_000.0;
const LENGTH: Duration = Duration::from_secs(5);
const WARMUP: Duration = Duration::from_millis(500);
const WORKERS: u32 = 8;
const THREADS: u32 = 2;
const ROUNDS: usize = 3;

/// The lag that 99 of 100 operations stay below.
const GOAL_US: f64 = 1_000.0;

pub(crate) fn run() -> Result<()> {
    let host = plugins::host(64)?;
    let null = null(&host)?;
    let rows = OneRow::new()?;
    let (mut achieved, mut lag, mut busiest) = (Vec::new(), Vec::new(), Vec::new());
    say(format!(
        "{:>14} {:>14} {:>12} {:>10} {:>16}",
        "offered/s", "achieved/s", "lag p99 µs", "goal µs", "busiest thread"
    ))?;
    for _ in 0..ROUNDS {
        let step = step(&null, &rows)?;
        let schedule = step.schedule.context("an open loop has a schedule")?;
        let p99 = step.recording.lag.value_at_quantile(0.99) as f64 / 1e3;
        let busy = step.busiest_thread() * 100.0;
        let (offered, started) = (schedule.offered_per_s, schedule.achieved_per_s);
        say(format!("{offered:>14.0} {started:>14.0} {p99:>12.1} {GOAL_US:>10.0} {busy:>14.1} %"))?;
        achieved.push(started);
        lag.push(p99);
        busiest.push(busy);
    }
    let mut figures = Figures::default();
    figures.add("schedule.null.achieved_per_s", median(achieved).round(), "operations/s");
    figures.add("schedule.null.lag_p99_us", (median(lag) * 10.0).round() / 10.0, "us");
    figures.add("schedule.null.busiest_thread_percent", (median(busiest) * 10.0).round() / 10.0, "%");
    figures.print()
}

/// One run; its measured step.
fn step(null: &WasmTargets, rows: &OneRow) -> Result<Step> {
    let profile = Profile::new(vec![Stage::constant(LENGTH, RATE_PER_S)]);
    let plan = Plan::new(PlanSpec {
        duration: Some(LENGTH),
        warmup: WARMUP,
        offered: Offered::Open { profile, arrival: Arrival::Uniform },
        workers: vec![WORKERS],
        threads: THREADS,
        generator_threads: THREADS,
        // A machine that cannot hold the rate shall say by how much.
        max_queue: u64::MAX,
        memory_budget_bytes: 4 << 30,
        ..PlanSpec::default()
    })?;
    let env = RunEnv { stop: StopToken::new(), observer: &mut NoObserver, probe: None };
    let result = benchhost_core::run(&plan, null, rows, env)?;
    // Batches that are made as the run goes would be what is measured.
    ensure!(!result.dataset.streamed, "the batches did not fit in memory");
    result.steps.into_iter().next().context("no measured step")
}

/// The `null` plugin, which encodes nothing.
fn null(host: &Host) -> Result<WasmTargets> {
    let plugin = plugins::load(host, "null")?;
    let settings = plugin.schema().resolve(&[])?;
    let transport = Arc::new(Transport::new(HttpOptions::default(), Grants::new([]))?);
    Ok(host.targets(&plugin, &settings, TargetWiring { transport, stop: StopToken::new() })?)
}

/// The same row over and over: a million batches of it are a million references, and fit in memory.
struct OneRow {
    facts: Facts,
    batch: Batch,
}

impl OneRow {
    fn new() -> Result<Self> {
        let column =
            |name: &str, semantic, data_type| Column { name: name.into(), semantic, data_type, nullable: false };
        let table = Arc::new(Table::new(
            "numbers",
            vec![
                column("value", Semantic::Field, DataType::Float64),
                column("ts", Semantic::Timestamp, DataType::Timestamp(TimeUnit::Millisecond)),
            ],
        )?);
        let mut builder = BatchBuilder::new(Arc::clone(&table), 0, 1);
        builder.append_float64s(0, vec![42.5])?;
        builder.append_timestamps(vec![1_704_067_200_000])?;
        let facts = Facts { tables: vec![table], rows: None, series: 1, seekable: true };
        Ok(Self { facts, batch: builder.finish()? })
    }
}

impl Generators for OneRow {
    type Session = Self;

    async fn open(&self) -> Result<Self, CallError> {
        Ok(Self { facts: self.facts.clone(), batch: self.batch.clone() })
    }
}

impl Generator for OneRow {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    async fn fill(&mut self, _: usize, _: u64, _: u32) -> Result<Batch, CallError> {
        Ok(self.batch.clone())
    }
}
