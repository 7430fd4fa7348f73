//! `benchhost plugin check`: whether a plugin keeps the contract, rule by rule, for its author and for whoever is handed one.

use std::path::PathBuf;

use benchhost_conformance::{CheckPlan, Outcome, check};
use benchhost_net::Endpoint;
use benchhost_wasm::{Plugin, Role};

use super::plugin_list::json;
use crate::args::{FormatChoice, PluginCheckArgs};
use crate::console::{self, Console};
use crate::embedded::Embedded;
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};
use crate::plugin_path::PluginPath;
use crate::plugins::{self, Loaded};
use crate::settings::{Part, Router};
use crate::wiring::{self, Secrets, Way, endpoints, lacks_server, route, served};

/// Instances of the plugin that live at once.
const INSTANCES: u32 = 8;

/// How the reference server that throttles is started.
const THROTTLING: [&str; 2] = ["--inject", "throttle=100%"];

/// Checks it, and prints one line for each rule.
pub(crate) fn run(args: &PluginCheckArgs, secrets: &Secrets, console: &Console) -> Result<ExitStatus, Failure> {
    let file = PluginPath::from_environment().find(&args.plugin)?;
    let host = plugins::host(1, args.seed, console)?;
    let loaded = host.load(&file);
    drop(host);
    // A file that is no plugin has no settings to give it; the check itself says what is wrong with it.
    let prepared = match loaded {
        Ok(plugin) => prepare(args, secrets, file, plugin, console)?,
        Err(_) => Prepared { plan: plan(args, file, console), _servers: Vec::new() },
    };
    let report = check(&prepared.plan);
    let text = match args.print.format {
        FormatChoice::Json => json(&report)?,
        FormatChoice::Text => report.to_text(),
    };
    console::print(&text).or_internal()?;
    Ok(match (report.passed(), report.count(Outcome::Fail)) {
        (true, _) => ExitStatus::Success,
        (false, 0) => ExitStatus::Unreachable,
        (false, _) => ExitStatus::Contract,
    })
}

/// A check and the servers that were started for it; they end with this.
struct Prepared {
    plan: CheckPlan,
    _servers: Vec<Embedded>,
}

fn plan(args: &PluginCheckArgs, file: PathBuf, console: &Console) -> CheckPlan {
    let mut plan = CheckPlan::new(file);
    plan.seed = args.seed;
    plan.host = plugins::host_options(INSTANCES, args.seed, console);
    plan.http = wiring::http_options(&args.server, Way { request_timeout: args.timeout, connections: None });
    // Longer than any time-out of the host, so that a plugin is not blamed for its server.
    plan.call_limit = plan.call_limit.max(args.timeout * 2);
    plan
}

fn prepare(
    args: &PluginCheckArgs,
    secrets: &Secrets,
    file: PathBuf,
    plugin: Plugin,
    console: &Console,
) -> Result<Prepared, Failure> {
    let mut plan = plan(args, file, console);
    let mut servers = Vec::new();
    match plugin.role() {
        Role::Generator => {
            let dataset = Loaded { part: Part::Dataset, plugin };
            let mut router = Router::new(vec![dataset.accepts()]);
            args.params.iter().try_for_each(|pair| router.param(pair))?;
            dataset.resolve(&router.settings(Part::Dataset))?;
            plan.settings = router.settings(Part::Dataset);
        }
        Role::Target => {
            let target = Loaded { part: Part::Target, plugin };
            let endpoint = args.server.endpoint.as_deref().map(str::parse::<Endpoint>).transpose().or_usage()?;
            let mut router = route(&args.server, secrets, &args.params, &[&target])?;
            if lacks_server(&router, &target) {
                let (plain, throttling) = (Embedded::start()?, Embedded::start_with(&THROTTLING)?);
                plan.throttling = served(router.clone(), &target, throttling.addresses())?.settings(Part::Target);
                router = served(router, &target, plain.addresses())?;
                servers.extend([plain, throttling]);
            }
            plan.settings = router.settings(Part::Target);
            target.resolve(&plan.settings)?;
            plan.grants = wiring::grants(&args.server, endpoints(endpoint, &router, &target)?)?;
        }
    }
    Ok(Prepared { plan, _servers: servers })
}
