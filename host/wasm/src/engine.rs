//! The engine and its numbers.

use std::num::NonZeroUsize;

use wasmtime::component::{Component, Linker};
use wasmtime::{Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Result, WasmBacktraceDetails};

use crate::crash::MAX_FRAMES;
use crate::host;
use crate::options::HostOptions;
use crate::state::State;
use crate::watchdog::Ticks;

/// Stack that a guest may use. wasmtime's own default, written down because the tests on deep recursion rely on it.
const WASM_STACK: usize = 512 << 10;

/// Stack of a fiber: the guest's, and 1.5 MiB for the host functions that it calls. Only what is touched takes memory.
const FIBER_STACK: usize = 2 << 20;

/// Instances beyond those of the run: one that describes itself, and a few that are opened while dead ones are still dropped.
const SPARE_INSTANCES: u32 = 8;

/// Core instances of one component: 38 in a Python one. The number reserves nothing, it is only counted.
const CORE_INSTANCES: u32 = 64;

/// Memories and tables that the pool has for each instance. Every component seen so far has one memory and two tables; one that has
/// more runs outside of the pool.
const POOLED_MEMORIES: u32 = 2;
const POOLED_TABLES: u32 = 8;

/// What one instance may take for its own bookkeeping: large interpreters pass the default of 1 MiB.
const INSTANCE_SIZE: usize = 10 << 20;

/// An engine, what drives its epochs, and what its guests can call.
pub(crate) struct Runtime {
    pub(crate) engine: Engine,
    pub(crate) ticks: Ticks,
    pub(crate) linker: Linker<State>,
}

impl Runtime {
    /// An engine that allocates each instance when it is made.
    pub(crate) fn on_demand() -> Result<Self> {
        Self::new(&config())
    }

    /// An engine with a pool for the run's instances. An error where the address space for it cannot be had: 4 GiB a memory, which fails
    /// under `ulimit -v`, strict overcommit and 39-bit addresses.
    pub(crate) fn pooled(options: &HostOptions) -> Result<Self> {
        let instances = options.instances.saturating_add(SPARE_INSTANCES);
        let mut pool = PoolingAllocationConfig::new();
        pool.total_component_instances(instances)
            .total_core_instances(instances.saturating_mul(CORE_INSTANCES))
            .total_memories(instances.saturating_mul(POOLED_MEMORIES))
            .total_tables(instances.saturating_mul(POOLED_TABLES))
            .total_stacks(instances)
            .max_memories_per_module(POOLED_MEMORIES)
            .max_tables_per_module(POOLED_TABLES)
            .table_elements(options.table_elements)
            .max_component_instance_size(INSTANCE_SIZE)
            .max_core_instance_size(INSTANCE_SIZE);
        let mut config = config();
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        Self::new(&config)
    }

    fn new(config: &Config) -> Result<Self> {
        let engine = Engine::new(config)?;
        let ticks = Ticks::start(&engine)?;
        let mut linker = Linker::new(&engine);
        host::add_to_linker(&mut linker)?;
        Ok(Self { engine, ticks, linker })
    }
}

/// Whether the pool has room for as many instances of the component as it was made for.
pub(crate) fn fits_pool(component: &Component) -> bool {
    component
        .resources_required()
        .is_some_and(|needs| needs.num_memories <= POOLED_MEMORIES && needs.num_tables <= POOLED_TABLES)
}

fn config() -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        // Without the machinery for concurrent tasks in one store a call in costs 0.2 µs instead of 1.1, a call out half. The contract
        // is sync-typed, so nothing needs it.
        .concurrency_support(false)
        // Costs ordinary guest code 14 to 20 %: the price of surviving a plugin that never returns.
        .epoch_interruption(true)
        .max_wasm_stack(WASM_STACK)
        .async_stack_size(FIBER_STACK)
        .wasm_backtrace_max_frames(NonZeroUsize::new(MAX_FRAMES * 4))
        // File and line would need the plugin's DWARF, which is stripped; names of functions are kept.
        .wasm_backtrace_details(WasmBacktraceDetails::Disable);
    config
}
