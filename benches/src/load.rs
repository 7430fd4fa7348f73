//! One run of the real load loop against a sink, for its processor time.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Result, ensure};
use benchhost_core::{
    Existing, Generators, NoObserver, Offered, Plan, PlanSpec, PluginChoice, RunEnv, RunResult, StopToken, Targets, run,
};

/// The shape of a load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) rows: u64,
    pub(crate) batch_rows: u32,
    pub(crate) workers: u32,
}

/// Runs it on one thread: the sink has the other processor.
pub(crate) fn load<T: Targets, G: Generators>(shape: Shape, targets: &T, generators: &G) -> Result<RunResult> {
    let plugin =
        PluginChoice { name: String::new(), version: String::new(), sha256: String::new(), settings: BTreeMap::new() };
    let plan = Plan::new(PlanSpec {
        target: plugin.clone(),
        dataset: plugin,
        endpoint: None,
        rows: Some(shape.rows),
        duration: None,
        warmup: Duration::ZERO,
        offered: Offered::Closed,
        batch_rows: shape.batch_rows,
        workers: vec![shape.workers],
        connections: None,
        threads: 1,
        spin: false,
        generator_threads: 2,
        timeout: Duration::from_secs(30),
        retries: 0,
        max_errors: 0,
        max_queue: 0,
        interval: Duration::from_secs(1),
        headroom: Duration::ZERO,
        objectives: Vec::new(),
        max_crashes: 0,
        memory_budget_bytes: 4 << 30,
        existing: Existing::Refuse,
        verify_timeout: Duration::ZERO,
        seed: 42,
        tags: BTreeMap::new(),
    })?;
    let result =
        run(&plan, targets, generators, RunEnv { stop: StopToken::new(), observer: &mut NoObserver, probe: None })?;
    let rows = result.rows;
    ensure!(
        rows.acknowledged == shape.rows,
        "{} of {} rows acknowledged: {:?}",
        rows.acknowledged,
        shape.rows,
        result.errors.counts()
    );
    Ok(result)
}
