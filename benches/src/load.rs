//! One run of the real load loop against a sink, for its processor time.

use anyhow::{Result, ensure};
use benchhost_core::{Generators, NoObserver, Plan, PlanSpec, RunEnv, RunResult, StopToken, Targets, run};

/// The shape of a load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) rows: u64,
    pub(crate) batch_rows: u32,
    pub(crate) workers: u32,
}

/// Runs it on one thread: the sink has the other processor.
pub(crate) fn load<T: Targets, G: Generators>(shape: Shape, targets: &T, generators: &G) -> Result<RunResult> {
    load_as(shape, PlanSpec::default(), targets, generators)
}

/// The same, with what else the plan says.
pub(crate) fn load_as<T: Targets, G: Generators>(
    shape: Shape,
    spec: PlanSpec,
    targets: &T,
    generators: &G,
) -> Result<RunResult> {
    let plan = Plan::new(PlanSpec {
        rows: Some(shape.rows),
        batch_rows: shape.batch_rows,
        workers: vec![shape.workers],
        generator_threads: 2,
        memory_budget_bytes: 4 << 30,
        ..spec
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
