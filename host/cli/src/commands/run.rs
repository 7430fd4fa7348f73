//! `benchhost run`: from flags to a plan, from a result to a report. Whatever can be wrong with flags and plugins is found before anything
//! connects or any folder is made.

mod output;
mod spec;

use std::sync::Arc;

use benchhost_core::{Plan, PlanSpec, RunEnv, RunError, StopLevel, StopToken};
use benchhost_net::{Endpoint, Scheme, Transport};
use benchhost_report::Document;
use benchhost_report::document::Network;
use benchhost_wasm::TargetWiring;
use output::{Output, Watchers};
use spec::{instances, spec};

use super::printed;
use crate::args::{FormatChoice, RunArgs};
use crate::config::FileLayer;
use crate::console::Console;
use crate::embedded::{Addresses, Embedded};
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};
use crate::host_facts;
use crate::observe::{self, ObserveSpec};
use crate::pairs::{self, Pair};
use crate::plugin_path::PluginPath;
use crate::plugins;
use crate::settings::Part;
use crate::signals;
use crate::wiring::{Secrets, Way, endpoints, lacks_server, route, served, transport};

/// What helps when the embedded server was no help.
const SPEAKS: &str = "no --endpoint was given, so the embedded reference server was written to, which speaks InfluxDB, GreptimeDB and OTLP: name your \
                      server by --endpoint";

/// What a run cannot do with these plugins.
#[derive(Debug, thiserror::Error)]
enum RunRefused {
    #[error("{0} cannot be written to: its plugin exports no `ingest`")]
    ReadOnly(String),
    #[error(
        "--connections does not apply to {0}: a byte stream belongs to one worker, so leave the flag out and choose the workers by -c"
    )]
    NothingToShare(String),
}

/// Runs, reports, and says how it ended.
pub(crate) fn run(
    args: &RunArgs,
    file: FileLayer,
    secrets: &Secrets,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let params = layered_pairs("BENCHHOST_PARAM", file.params, "-P", &args.params)?;
    let tags = layered_pairs("BENCHHOST_TAG", file.tags, "--tag", &args.tags)?;
    // A plan without plugins is checked first: compiling a plugin only to refuse `--rows 0` would waste the user's time.
    spec::check(&args.load).or_usage()?;
    let spec = spec(args, tags);
    Plan::new(spec.clone()).or_usage()?;
    let endpoint = args.server.endpoint.as_deref().map(str::parse::<Endpoint>).transpose().or_usage()?;

    let host = plugins::host(instances(&spec), args.seed, console)?;
    let path = PluginPath::from_environment();
    let target = plugins::load(&host, &path, Part::Target, args.plugin.as_deref())?;
    let dataset = plugins::load(&host, &path, Part::Dataset, args.dataset.as_deref())?;

    if !target.plugin.ingests() {
        return Err(Failure::usage(RunRefused::ReadOnly(target.plugin.name().into())));
    }
    let router = route(&args.server, secrets, &params, &[&target, &dataset])?;
    let dataset_settings = dataset.resolve(&router.settings(Part::Dataset))?;
    let embedded = if lacks_server(&router, &target) {
        // With any address, so that no server is started for settings that are wrong.
        target.resolve(&served(router.clone(), &target, &Addresses::nowhere())?.settings(Part::Target))?;
        Some(Embedded::start()?)
    } else {
        None
    };
    let router = match &embedded {
        Some(server) => served(router, &target, server.addresses())?,
        None => router,
    };
    let target_settings = target.resolve(&router.settings(Part::Target))?;
    let endpoints = endpoints(endpoint, &router, &target)?;
    let stream = endpoints.iter().find(|endpoint| matches!(endpoint.scheme(), Scheme::Tcp | Scheme::Tls));
    if let (Some(stream), Some(_)) = (stream, args.load.connections) {
        return Err(Failure::usage(RunRefused::NothingToShare(stream.to_string())));
    }
    let endpoint = endpoints.first();
    let plan = Plan::new(PlanSpec {
        target: target.choice(&target_settings),
        dataset: dataset.choice(&dataset_settings),
        endpoint: endpoint.map(Endpoint::to_string),
        ..spec
    })
    .or_usage()?;
    let way = Way {
        request_timeout: args.load.timeout,
        connections: args.load.connections.map(|connections| connections as usize),
    };
    let transport = Arc::new(transport(&args.server, way, endpoints)?);
    // Our own server is watched unasked, where processes can be.
    let own = embedded.as_ref().filter(|_| cfg!(target_os = "linux")).map(|server| ObserveSpec::Pid(server.pid()));
    let probe = args.observe.clone().or(own).as_ref().map(observe::open).transpose().or_usage()?;

    let output = Output::prepare(args.output.as_deref(), target.plugin.name(), dataset.plugin.name())?;
    let stop = StopToken::new();
    signals::watch(stop.clone(), signals::GRACE.min(plan.timeout), console.clone())?;
    let wiring = TargetWiring { transport: Arc::clone(&transport), stop: stop.clone() };
    let targets = host.targets(&target.plugin, &target_settings, wiring).map_err(plugins::classify)?;
    let generators = host.generators(&dataset.plugin, &dataset_settings, plan.seed).map_err(plugins::classify)?;
    let (facts, plugins) = (host_facts::gather(), [target.facts(), dataset.facts()]);
    let mut watchers = output.begin(&plan, &facts, &plugins, console)?;
    let env = RunEnv { stop: stop.clone(), observer: &mut watchers, probe };
    let result = benchhost_core::run(&plan, &targets, &generators, env);
    watchers.end_of_progress();
    match result {
        Ok(result) => {
            let document = Document::new(&result, &facts, &plugins)
                .with_network(network(&transport))
                .of_embedded_server(embedded.is_some());
            report(&document, watchers, args.print.format, console)?;
            Ok(ExitStatus::of(&result))
        }
        Err(error) => {
            watchers.discard();
            let failure = no_result(error, &stop);
            Err(if embedded.is_some() { failure.with_hint(SPEAKS) } else { failure })
        }
    }
}

/// Pairs from all places, by name.
pub(super) fn layered_pairs(
    variable: &'static str,
    file: Vec<Pair>,
    flag: &'static str,
    flags: &[Pair],
) -> Result<Vec<Pair>, Failure> {
    let environment = std::env::var(variable).unwrap_or_default();
    let environment = pairs::from_variable(&environment).or_usage().map_err(|failure| failure.context(variable))?;
    pairs::layered([("the configuration file", file), (variable, environment), (flag, flags.to_vec())]).or_usage()
}

/// What the kernel counted on the connections, where it tells.
fn network(transport: &Transport) -> Option<Network> {
    let totals = transport.tcp_totals();
    (totals.connections > 0).then(|| Network {
        connections: totals.connections,
        segments_sent: totals.segments_sent,
        retransmits: totals.retransmits,
        max_rtt_ns: u64::try_from(totals.max_rtt.as_nanos()).unwrap_or(u64::MAX),
    })
}

/// Writes the bundle first, then prints: a report that nobody can read any more must not keep the result from the disk.
fn report(document: &Document, watchers: Watchers, format: FormatChoice, console: &Console) -> Result<(), Failure> {
    let written = watchers.finish(document);
    printed(document, format, console)?;
    if let Some(file) = written? {
        console.line(&format!("result: {}", file.display()));
    }
    Ok(())
}

/// A run that could not be measured. Whatever fails once the user has asked to stop failed because of that.
fn no_result(error: RunError, stop: &StopToken) -> Failure {
    let status = if stop.level() > StopLevel::Running { ExitStatus::Interrupted } else { error.class().into() };
    Failure::new(status, error)
}
