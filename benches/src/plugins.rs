//! Loading the plugins that are measured.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use benchhost_core::StopToken;
use benchhost_net::{Endpoint, Grants, HttpOptions, Transport};
use benchhost_wasm::{Host, HostOptions, Plugin, TargetWiring, WasmGenerators, WasmTargets};

/// A host for `instances` live instances.
pub(crate) fn host(instances: u32) -> Result<Host> {
    Ok(Host::new(HostOptions { instances, ..HostOptions::default() })?)
}

/// The plugin `name`, from where the build puts it.
pub(crate) fn load(host: &Host, name: &str) -> Result<Plugin> {
    let program = std::env::current_exe()?;
    let near = program.parent().map(|dir| dir.join("plugins")).unwrap_or_default();
    let path: PathBuf = near.join(format!("{name}.wasm"));
    host.load(&path).with_context(|| format!("cannot load {}: run `cargo xtask build` first", path.display()))
}

/// A transport that may dial `endpoint`.
pub(crate) fn transport(endpoint: &str) -> Result<Arc<Transport>> {
    let endpoint: Endpoint = endpoint.parse()?;
    Ok(Arc::new(Transport::new(HttpOptions::default(), Grants::new([endpoint]))?))
}

/// The `influx` plugin, v1, against `endpoint`.
pub(crate) fn influx(host: &Host, transport: &Arc<Transport>, endpoint: &str) -> Result<WasmTargets> {
    let plugin = load(host, "influx")?;
    let given = [("endpoint", endpoint), ("database", "bench"), ("api", "v1"), ("precision", "ms")];
    let given: Vec<_> = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let settings = plugin.schema().resolve(&given)?;
    let wiring = TargetWiring { transport: Arc::clone(transport), stop: StopToken::new() };
    Ok(host.targets(&plugin, &settings, wiring)?)
}

/// The `cpu` plugin with 100 hosts.
pub(crate) fn cpu(host: &Host) -> Result<WasmGenerators> {
    let plugin = load(host, "cpu")?;
    let settings = plugin.schema().resolve(&[("hosts".into(), "100".into())])?;
    Ok(host.generators(&plugin, &settings, 42)?)
}
