//! A plugin set up for a few calls by one worker: what its author's commands share.

use std::sync::Arc;
use std::time::Duration;

use benchhost_core::{Generator, Generators, StopToken};
use benchhost_data::Batch;
use benchhost_net::Endpoint;
use benchhost_wasm::{Host, TargetWiring, WasmGenerators, WasmTargets};

use crate::args::ServerArgs;
use crate::embedded::{Addresses, Embedded};
use crate::failure::{Classify, Failure};
use crate::pairs::Pair;
use crate::plugins::{self, Loaded};
use crate::settings::{Part, Router};
use crate::wiring::{Secrets, Way, endpoints, lacks_server, route, served, transport};

/// What the user gave for it.
pub(crate) struct Workbench<'a> {
    pub host: &'a Host,
    pub server: &'a ServerArgs,
    pub secrets: &'a Secrets,
    pub params: &'a [Pair],
    pub seed: u64,
    /// The longest that one request may take.
    pub timeout: Duration,
}

/// A target with its settings, and rows for it.
pub(crate) struct Prepared {
    pub targets: WasmTargets,
    pub generators: WasmGenerators,
    /// The server that was started for it; it ends with this.
    _server: Option<Embedded>,
}

impl Workbench<'_> {
    /// A generator alone.
    pub(crate) fn generators(&self, dataset: &Loaded) -> Result<WasmGenerators, Failure> {
        let mut router = Router::new(vec![dataset.accepts()]);
        self.params.iter().try_for_each(|pair| router.param(pair))?;
        self.made(dataset, &router)
    }

    /// Everything that is needed before the first call of a target, so that nothing is called for settings that are wrong.
    pub(crate) fn targets(&self, target: &Loaded, dataset: &Loaded, stop: StopToken) -> Result<Prepared, Failure> {
        let endpoint = self.server.endpoint.as_deref().map(str::parse::<Endpoint>).transpose().or_usage()?;
        let mut router = route(self.server, self.secrets, self.params, &[target, dataset])?;
        let mut server = None;
        if lacks_server(&router, target) {
            // With any address first, so that no server is started for settings that are wrong.
            target.resolve(&served(router.clone(), target, &Addresses::nowhere())?.settings(Part::Target))?;
            let embedded = Embedded::start()?;
            router = served(router, target, embedded.addresses())?;
            server = Some(embedded);
        }
        let settings = target.resolve(&router.settings(Part::Target))?;
        let way = Way { request_timeout: self.timeout, connections: None };
        let transport = Arc::new(transport(self.server, way, endpoints(endpoint, &router, target)?)?);
        let wiring = TargetWiring { transport, stop };
        let targets = self.host.targets(&target.plugin, &settings, wiring).map_err(plugins::classify)?;
        Ok(Prepared { targets, generators: self.made(dataset, &router)?, _server: server })
    }

    fn made(&self, dataset: &Loaded, router: &Router) -> Result<WasmGenerators, Failure> {
        let settings = dataset.resolve(&router.settings(Part::Dataset))?;
        self.host.generators(&dataset.plugin, &settings, self.seed).map_err(plugins::classify)
    }
}

/// That many batches of the first table, one after the other.
pub(crate) async fn batches(generators: &WasmGenerators, count: u32, rows: u32) -> Result<Vec<Arc<Batch>>, Failure> {
    let open = generators.open().await;
    let mut session = open.map_err(|error| plugins::call_failed("open the dataset", error))?;
    let mut batches = Vec::new();
    for number in 0..u64::from(count) {
        let batch = session.fill(0, number * u64::from(rows), rows).await;
        batches.push(Arc::new(batch.map_err(|error| plugins::call_failed("generate rows", error))?));
    }
    Ok(batches)
}
