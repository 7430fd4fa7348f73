//! From the plan's settings to sessions of the plugin, and to the server behind them.

use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use benchhost_core::StopToken;
use benchhost_net::{Endpoint, Grants, HttpOptions, Transport};
use benchhost_wasm::{TargetWiring, WasmTargets};

use super::{Blocked, is_strange};
use crate::Subject;
use crate::worker::Trouble;

/// How long a server is knocked at.
const KNOCK: Duration = Duration::from_secs(3);

/// Settings, and the servers that they name.
#[derive(Clone)]
pub(super) struct Way {
    settings: Vec<(String, String)>,
    endpoints: Vec<(String, Endpoint)>,
}

impl Way {
    /// The way of the plan. Somebody listens at each of its endpoints.
    pub(super) fn find(subject: &Subject<'_>) -> Result<Self, Blocked> {
        let way = Self::of(subject, subject.plan.settings.clone())?;
        let wanted = endpoint_names(subject);
        if way.endpoints.is_empty() && !wanted.is_empty() {
            let says = format!("no server was named: the plugin has the setting {}", wanted.join(", "));
            return Err(Blocked::new(says, "start its server and name it with --endpoint"));
        }
        for (name, endpoint) in &way.endpoints {
            if let Err(reason) = knock(endpoint) {
                let says = format!("nobody answers at {endpoint} ({name}): {reason}");
                return Err(Blocked::new(says, "start the server, or name the one that runs with --endpoint"));
            }
        }
        Ok(way)
    }

    /// The way of the plan with some of its settings replaced.
    pub(super) fn with(&self, subject: &Subject<'_>, others: &[(String, String)]) -> Result<Self, Blocked> {
        let kept = self.settings.iter().filter(|(name, _)| others.iter().all(|(other, _)| other != name));
        Self::of(subject, kept.chain(others).cloned().collect())
    }

    fn of(subject: &Subject<'_>, settings: Vec<(String, String)>) -> Result<Self, Blocked> {
        let mut endpoints = Vec::new();
        for name in endpoint_names(subject) {
            if let Some((_, text)) = settings.iter().find(|(given, _)| given == name) {
                let endpoint = text.parse().map_err(|error: benchhost_net::EndpointError| {
                    Blocked::new(error.to_string(), format!("set {name} to an address"))
                })?;
                endpoints.push((name.to_owned(), endpoint));
            }
        }
        Ok(Self { settings, endpoints })
    }

    /// Without settings.
    #[cfg(test)]
    pub(super) fn nowhere() -> Self {
        Self { settings: Vec::new(), endpoints: Vec::new() }
    }

    /// The settings that are addresses.
    pub(super) fn endpoints(&self) -> &[(String, Endpoint)] {
        &self.endpoints
    }

    /// Sessions on this way, with the plan's time-outs.
    pub(super) fn targets(&self, subject: &Subject<'_>) -> Result<WasmTargets, Blocked> {
        self.targets_with(subject, subject.plan.http.clone())
    }

    /// Sessions on this way, with these time-outs.
    pub(super) fn targets_with(&self, subject: &Subject<'_>, http: HttpOptions) -> Result<WasmTargets, Blocked> {
        let settings = subject
            .plugin
            .schema()
            .resolve(&self.settings)
            .map_err(|error| Blocked::new(error.to_string(), "give the plugin's settings with -P name=value"))?;
        let mut grants: Grants = subject.plan.grants.clone();
        for (_, endpoint) in &self.endpoints {
            grants.allow(endpoint);
        }
        let transport = Transport::new(http, grants)
            .map_err(|error| Blocked::new(error.to_string(), "set the options of the connection right"))?;
        let wiring = TargetWiring { transport: Arc::new(transport), stop: StopToken::new() };
        subject.host.targets(subject.plugin, &settings, wiring).map_err(|error| Blocked::host(error.to_string()))
    }

    /// An error in one of the first calls that says that the server is not the plugin's.
    pub(super) fn stranger(&self, call: &str, trouble: &Trouble) -> Result<(), Blocked> {
        if !is_strange(trouble) {
            return Ok(());
        }
        let at: Vec<String> = self.endpoints.iter().map(|(_, endpoint)| endpoint.to_string()).collect();
        let says = format!("`{call}` got nowhere with the server {}: {trouble}", at.join(", "));
        let advice = "see that this is the plugin's kind of server and lets it in: --endpoint, --user, --password-file, -P; if it is, mend the call";
        Err(Blocked::new(says, advice))
    }
}

/// The settings that name servers: those of the format, and one that has the name.
fn endpoint_names<'a>(subject: &Subject<'a>) -> Vec<&'a str> {
    let properties = subject.plugin.schema().properties();
    properties
        .iter()
        .filter(|property| property.is_endpoint() || property.name() == "endpoint")
        .map(|property| property.name())
        .collect()
}

/// Whether anybody takes a connection there.
fn knock(endpoint: &Endpoint) -> Result<(), String> {
    let mut reason = "its name has no address".to_owned();
    for address in endpoint.host_port().to_socket_addrs().map_err(|error| error.to_string())? {
        match TcpStream::connect_timeout(&address, KNOCK) {
            Ok(_) => return Ok(()),
            Err(error) => reason = error.to_string(),
        }
    }
    Err(reason)
}
