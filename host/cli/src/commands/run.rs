//! `benchhost run`: from flags to a plan, from a result to a report. Whatever can be wrong with flags and plugins is found before anything
//! connects or any folder is made.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use benchhost_core::{Existing, Plan, PlanSpec, PluginChoice, RunEnv, RunError, RunResult, StopLevel, StopToken};
use benchhost_net::{Endpoint, Grants, HttpOptions, TlsOptions, Transport};
use benchhost_report::{Bundle, Document, Style};
use benchhost_wasm::TargetWiring;
use clap::parser::ValueSource;

use crate::args::{ExistingChoice, FormatChoice, RunArgs, ServerArgs};
use crate::config::FileLayer;
use crate::console::{self, Console};
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};
use crate::host_facts;
use crate::pairs::{self, Pair};
use crate::plugin_path::PluginPath;
use crate::plugins::{self, Loaded};
use crate::progress::TerminalObserver;
use crate::secrets::{Secret, secret};
use crate::settings::{Part, Router};
use crate::signals;

/// Memory for batches where the system does not say how much there is.
const MEMORY_UNKNOWN: u64 = 1 << 30;

/// Where results go when nothing else is said.
const RESULTS: &str = "benchhost-results";

/// The word for no folder at all. A folder of that name is `./none`.
const NOWHERE: &str = "none";

/// What a run cannot do with these plugins.
#[derive(Debug, thiserror::Error)]
enum RunRefused {
    #[error("{0} cannot be written to: its plugin exports no `ingest`")]
    ReadOnly(String),
}

/// What must not be shown.
pub(crate) struct Secrets {
    password: Option<Secret>,
    token: Option<Secret>,
}

/// Reads password and token.
pub(crate) fn secrets(
    args: &RunArgs,
    password_from: Option<ValueSource>,
    token_from: Option<ValueSource>,
) -> Result<Secrets, Failure> {
    Ok(Secrets {
        password: secret("password", args.server.password_file.as_deref(), password_from)?,
        token: secret("token", args.server.token_file.as_deref(), token_from)?,
    })
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
    let router = route(&args.server, secrets, &params, &target, &dataset)?;
    let target_settings = target.resolve(&router.settings(Part::Target))?;
    let dataset_settings = dataset.resolve(&router.settings(Part::Dataset))?;
    // An endpoint that came by -P was named by the user just as well.
    let endpoint = match (endpoint, router.value(Part::Target, "endpoint")) {
        (None, Some(named)) => Some(named.parse::<Endpoint>().or_usage()?),
        (endpoint, _) => endpoint,
    };
    let plan = Plan::new(PlanSpec {
        target: target.choice(&target_settings),
        dataset: dataset.choice(&dataset_settings),
        endpoint: endpoint.as_ref().map(Endpoint::to_string),
        ..spec
    })
    .or_usage()?;
    let transport = Arc::new(transport(args, endpoint)?);

    let output = Output::prepare(args, &target, &dataset)?;
    let stop = StopToken::new();
    signals::watch(stop.clone(), signals::GRACE.min(plan.timeout), console.clone())?;
    let wiring = TargetWiring { transport, stop: stop.clone() };
    let targets = host.targets(&target.plugin, &target_settings, wiring).map_err(plugins::classify)?;
    let generators = host.generators(&dataset.plugin, &dataset_settings, plan.seed).map_err(plugins::classify)?;
    let mut observer = TerminalObserver::new(console.clone());
    let result =
        benchhost_core::run(&plan, &targets, &generators, RunEnv { stop: stop.clone(), observer: &mut observer });
    drop(observer);
    match result {
        Ok(result) => report(&result, &output, &[target.facts(), dataset.facts()], args.format, console),
        Err(error) => {
            output.discard();
            Err(no_result(error, &stop))
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

/// The plan without its plugins.
fn spec(args: &RunArgs, tags: Vec<Pair>) -> PlanSpec {
    let unknown = |name: &Option<String>| PluginChoice {
        name: name.clone().unwrap_or_default(),
        version: String::new(),
        sha256: String::new(),
        settings: Default::default(),
    };
    let load = &args.load;
    let processors = host_facts::logical_cpus();
    PlanSpec {
        target: unknown(&args.plugin),
        dataset: unknown(&args.dataset),
        endpoint: None,
        rows: args.rows,
        batch_rows: load.batch_rows,
        workers: load.workers,
        connections: load.connections,
        threads: load.threads.unwrap_or(processors),
        generator_threads: processors,
        timeout: load.timeout,
        retries: load.retries,
        max_errors: load.max_errors,
        max_crashes: load.max_crashes,
        memory_budget_bytes: load
            .memory
            .unwrap_or_else(|| host_facts::usable_memory().map_or(MEMORY_UNKNOWN, |all| all / 4)),
        existing: match load.existing {
            ExistingChoice::Refuse => Existing::Refuse,
            ExistingChoice::Drop => Existing::Drop,
            ExistingChoice::Append => Existing::Append,
        },
        verify_timeout: load.verify_timeout,
        seed: args.seed,
        tags: tags.into_iter().map(|tag| (tag.name, tag.value)).collect(),
    }
}

/// Every worker has an instance of the target, every thread that makes batches one of the dataset; one more of each creates and counts.
fn instances(spec: &PlanSpec) -> u32 {
    let makers = spec.generator_threads.max(spec.threads.min(spec.workers));
    spec.workers.saturating_add(makers).saturating_add(2)
}

/// Flags first, so that a `-P` for the same setting is the one that is told to go.
fn route(
    server: &ServerArgs,
    secrets: &Secrets,
    params: &[Pair],
    target: &Loaded,
    dataset: &Loaded,
) -> Result<Router, Failure> {
    let mut router = Router::new(vec![target.accepts(), dataset.accepts()]);
    let flags = [("endpoint", &server.endpoint), ("database", &server.database), ("user", &server.user)];
    for (name, value) in flags {
        if let Some(value) = value {
            router.flag(name, value)?;
        }
    }
    for (name, secret) in [("password", &secrets.password), ("token", &secrets.token)] {
        // A variable that holds a secret may have been set for another target; a file was named for this one.
        if let Some(secret) = secret.as_ref().filter(|secret| secret.named || router.target_has(name)) {
            router.flag(name, &secret.value)?;
        }
    }
    for pair in params {
        router.param(pair)?;
    }
    Ok(router)
}

fn transport(args: &RunArgs, endpoint: Option<Endpoint>) -> Result<Transport, Failure> {
    let server = &args.server;
    let mut grants = Grants::new(endpoint);
    for address in &server.allow_net {
        grants
            .allow_host_port(address)
            .or_usage()
            .map_err(|failure| failure.context(format!("--allow-net {address}")))?;
    }
    let options = HttpOptions {
        connect_timeout: server.connect_timeout,
        request_timeout: args.load.timeout,
        connections: args.load.connections.map(|connections| connections as usize),
        tls: TlsOptions {
            ca_cert: server.cacert.clone(),
            client_cert: server.cert.clone(),
            client_key: server.key.clone(),
            insecure: server.insecure,
        },
        ..HttpOptions::default()
    };
    Transport::new(options, grants).or_usage()
}

/// Where the result goes.
struct Output {
    bundle: Option<Bundle>,
    /// Whether the folder was not there before.
    fresh: bool,
}

impl Output {
    fn prepare(args: &RunArgs, target: &Loaded, dataset: &Loaded) -> Result<Self, Failure> {
        if args.output.as_deref() == Some(Path::new(NOWHERE)) {
            return Ok(Self { bundle: None, fresh: false });
        }
        let folder = args.output.clone().unwrap_or_else(|| unused_folder(target.plugin.name(), dataset.plugin.name()));
        let fresh = !folder.exists();
        let bundle = Bundle::create(&folder).or_usage()?;
        Ok(Self { bundle: Some(bundle), fresh })
    }

    /// A run without a result leaves no empty folder behind. A folder with anything in it stays.
    fn discard(&self) {
        if let Some(bundle) = self.bundle.as_ref().filter(|_| self.fresh) {
            let _ = std::fs::remove_dir(bundle.folder());
            if let Some(results) = bundle.folder().parent().filter(|parent| parent.ends_with(RESULTS)) {
                let _ = std::fs::remove_dir(results);
            }
        }
    }
}

/// `benchhost-results/20260102T030405Z-influx-cpu`, with a number behind it where two runs begin in one second.
fn unused_folder(target: &str, dataset: &str) -> PathBuf {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string().replace(['-', ':'], "");
    let name = format!("{now}-{target}-{dataset}");
    let first = Path::new(RESULTS).join(&name);
    if !first.exists() {
        return first;
    }
    let numbered = (2..u32::MAX).map(|number| Path::new(RESULTS).join(format!("{name}-{number}")));
    numbered.into_iter().find(|folder| !folder.exists()).unwrap_or(first)
}

/// Writes the bundle first, then prints: a report that nobody can read any more must not keep the result from the disk.
fn report(
    result: &RunResult,
    output: &Output,
    plugins: &[benchhost_report::PluginFacts],
    format: FormatChoice,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let document = Document::new(result, &host_facts::gather(), plugins);
    let written = output.bundle.as_ref().map(|bundle| bundle.write(&document)).transpose();
    let text = match format {
        FormatChoice::Json => document.to_json(),
        FormatChoice::Text => benchhost_report::text(&document, style(console)),
    };
    console::print(&text).or_internal().map_err(|failure| failure.context("cannot write the report to stdout"))?;
    if let Some(file) = written.or_internal()? {
        console.line(&format!("result: {}", file.display()));
    }
    Ok(ExitStatus::of(result))
}

fn style(console: &Console) -> Style {
    let width = terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0);
    Style { color: console.color_on_stdout(), width }
}

/// A run that could not be measured. Whatever fails once the user has asked to stop failed because of that.
fn no_result(error: RunError, stop: &StopToken) -> Failure {
    let status = if stop.level() > StopLevel::Running { ExitStatus::Interrupted } else { error.class().into() };
    Failure::new(status, error)
}
