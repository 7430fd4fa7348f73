//! `benchhost overhead`: what a plugin costs per operation when no server takes time. For authors who want to make theirs cheaper, and for
//! readers who want to know how much of a figure is the client's.

mod measure;
mod sheet;

use std::time::Duration;

use benchhost_core::{CONTROL_SESSION, StopToken, Target, Targets};
use benchhost_wasm::{Host, Role, WasmGenerators};
use measure::{TURNS, Writer, fill};
use sheet::{Cost, Sheet};
use tokio::runtime;

use super::plugin_list::json;
use crate::args::{FormatChoice, OverheadArgs};
use crate::console::{self, Console, printable};
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};
use crate::plugin_path::PluginPath;
use crate::plugins::{self, Loaded, call_failed};
use crate::settings::Part;
use crate::signals;
use crate::wiring::Secrets;
use crate::workbench::{Prepared, Workbench, batches};

/// The target that drops its rows.
const NULL: &str = "null";

/// Different batches that are written in turns: more than one, so that no plugin can answer from what it did before.
const BATCHES: u32 = 16;

/// It needs an answer of the server to replay, and has none.
#[derive(Debug, thiserror::Error)]
#[error("the requests of {0} cannot be answered from memory, so a server's time cannot be left out")]
struct NoReplay(String);

/// Measures it, and prints a line for each size.
pub(crate) fn run(args: &OverheadArgs, secrets: &Secrets, console: &Console) -> Result<ExitStatus, Failure> {
    let host = plugins::host(8, args.seed, console)?;
    let path = PluginPath::from_environment();
    let plugin = host.load(&path.find(&args.plugin)?).map_err(plugins::classify)?;
    let stop = StopToken::new();
    signals::watch(stop.clone(), signals::GRACE.min(args.timeout), console.clone())?;
    // Both sides take turns on one thread.
    let runtime = runtime::Builder::new_current_thread().enable_all().build().or_internal()?;
    let bench = Workbench {
        host: &host,
        server: &args.server,
        secrets,
        params: &args.params,
        seed: args.seed,
        timeout: args.timeout,
    };
    let (name, version, role) = (plugin.name().to_owned(), plugin.version().to_owned(), plugin.role());
    let costs = match role {
        Role::Generator => {
            let generators = bench.generators(&Loaded { part: Part::Dataset, plugin })?;
            runtime.block_on(filling(args, &generators, &stop))?
        }
        Role::Target => {
            let target = Loaded { part: Part::Target, plugin };
            let dataset = plugins::load(&host, &path, Part::Dataset, Some(&args.dataset))?;
            let prepared = bench.targets(&target, &dataset, stop.clone())?;
            let null = null(&host, &path, &stop)?;
            runtime.block_on(writing(args, &name, (&prepared, &null), &stop))?
        }
    };
    let interrupted = costs.len() < args.batch_rows.len();
    let sheet = Sheet { plugin: name, version, role, costs };
    let text = match args.print.format {
        FormatChoice::Json => json(&sheet)?,
        FormatChoice::Text => printable(sheet.text().trim_end()) + "\n",
    };
    console::print(&text).or_internal()?;
    Ok(if interrupted { ExitStatus::Interrupted } else { ExitStatus::Success })
}

/// The null target with its defaults, in the same sandbox.
fn null(host: &Host, path: &PluginPath, stop: &StopToken) -> Result<benchhost_wasm::WasmTargets, Failure> {
    let null = plugins::load(host, path, Part::Target, Some(NULL))?;
    let transport = benchhost_net::Transport::new(Default::default(), Default::default()).or_internal()?;
    let wiring = benchhost_wasm::TargetWiring { transport: transport.into(), stop: stop.clone() };
    host.targets(&null.plugin, &null.resolve(&[])?, wiring).map_err(plugins::classify)
}

/// One turn's length for each of `sides`.
fn turn_length(args: &OverheadArgs, sides: u32) -> Duration {
    args.duration / (TURNS * sides)
}

async fn filling(args: &OverheadArgs, generators: &WasmGenerators, stop: &StopToken) -> Result<Vec<Cost>, Failure> {
    let mut costs = Vec::new();
    for &rows in &args.batch_rows {
        let mut turns = Vec::new();
        for _ in 0..TURNS {
            if stop.level() > benchhost_core::StopLevel::Running {
                return Ok(costs);
            }
            turns.push(fill(generators, rows, turn_length(args, 1)).await?);
        }
        costs.push(Cost::new(rows, &turns, &[]));
    }
    Ok(costs)
}

async fn writing(
    args: &OverheadArgs,
    name: &str,
    (prepared, null): (&Prepared, &benchhost_wasm::WasmTargets),
    stop: &StopToken,
) -> Result<Vec<Cost>, Failure> {
    let mut control =
        prepared.targets.open(CONTROL_SESSION).await.map_err(|error| call_failed("open the control session", error))?;
    let mut sides = Vec::new();
    // All that needs the server comes first: from the replay on it answers nobody.
    for &rows in &args.batch_rows {
        let batches = batches(&prepared.generators, BATCHES, rows).await?;
        if let (true, Some(batch)) = (sides.is_empty(), batches.first()) {
            control.create_table(batch.table()).await.map_err(|error| call_failed("create the table", error))?;
        }
        let plugin = Writer::open(&prepared.targets, &batches).await?;
        sides.push((rows, plugin, Writer::open(null, &batches).await?));
    }
    if !prepared.targets.replay(true) {
        return Err(Failure::usage(NoReplay(name.to_owned())));
    }
    let length = turn_length(args, 2);
    let mut costs = Vec::new();
    'sizes: for (rows, plugin, null) in &mut sides {
        let (mut of_plugin, mut of_null) = (Vec::new(), Vec::new());
        for _ in 0..TURNS {
            if stop.level() > benchhost_core::StopLevel::Running {
                break 'sizes;
            }
            of_plugin.push(plugin.turn(length).await?);
            of_null.push(null.turn(length).await?);
        }
        costs.push(Cost::new(*rows, &of_plugin, &of_null));
    }
    prepared.targets.replay(false);
    for (_, plugin, null) in sides {
        plugin.close().await;
        null.close().await;
    }
    control.close().await;
    Ok(costs)
}
