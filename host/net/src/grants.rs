//! Grants: the endpoints that the user named. Everything else is refused.
//!
//! The check is made on the address that is dialled. A host that was named in so many words may be dialled at whatever it
//! resolves to at that moment; the addresses that were checked are the ones that are dialled, there is no second lookup. An
//! address, or `localhost`, that was not named itself may be dialled where a named host of the same port resolves to it. Any
//! other name is refused without looking it up: a lookup alone can carry data to whoever runs that name's DNS.

use std::net::{IpAddr, SocketAddr};

use crate::dial::resolve;
use crate::endpoint::{Endpoint, EndpointError, Host, escaped, parse_host, parse_port, redacted, split_port};
use crate::error::NetError;

/// What a plugin may dial: hosts with ports.
#[derive(Debug, Clone, Default)]
pub struct Grants {
    named: Vec<(Host, u16)>,
    encrypted: bool,
}

impl Grants {
    /// Grants for these endpoints; their paths play no part.
    #[must_use]
    pub fn new(endpoints: impl IntoIterator<Item = Endpoint>) -> Self {
        let mut grants = Self::default();
        for endpoint in endpoints {
            grants.allow(&endpoint);
        }
        grants
    }

    /// Grants one more endpoint.
    pub fn allow(&mut self, endpoint: &Endpoint) {
        self.encrypted |= endpoint.scheme().is_encrypted();
        self.named.push((endpoint.host_ref().clone(), endpoint.port()));
    }

    /// Grants `host:port`, as `--allow-net` has it.
    ///
    /// # Errors
    ///
    /// When it is not `host:port`.
    pub fn allow_host_port(&mut self, host_port: &str) -> Result<(), EndpointError> {
        let shown = redacted(host_port);
        let host_error = |problem| EndpointError::Host { shown: shown.clone(), problem };
        let (host, port) = split_port(host_port).map_err(host_error)?;
        let port = port.ok_or(host_error("has no port"))?;
        let number =
            parse_port(port).ok_or_else(|| EndpointError::Port { shown: shown.clone(), port: escaped(port) })?;
        self.named.push((parse_host(host).map_err(host_error)?, number));
        Ok(())
    }

    /// Whether an `https` or `tls` endpoint is among them.
    pub(crate) fn any_encrypted(&self) -> bool {
        self.encrypted
    }

    /// The addresses of `endpoint` that may be dialled, in the order of its lookup.
    ///
    /// # Errors
    ///
    /// `Denied` when there is none, `Resolve` when a granted name has no address.
    pub(crate) async fn addresses(&self, endpoint: &Endpoint) -> Result<Vec<SocketAddr>, NetError> {
        let (host, port) = (endpoint.host_ref(), endpoint.port());
        if self.named.iter().any(|(named, at)| named == host && *at == port) {
            return look_up(endpoint).await;
        }
        let local = match host {
            Host::Ip(_) => true,
            Host::Name(name) => name == "localhost",
        };
        if !local || !self.named.iter().any(|(_, at)| *at == port) {
            return Err(denied(endpoint));
        }
        let mut granted: Vec<IpAddr> = Vec::new();
        for (named, _) in self.named.iter().filter(|(_, at)| *at == port) {
            // A granted name that does not resolve grants nothing, and is not what was asked for.
            granted.extend(resolve(named, port).await.unwrap_or_default().iter().map(|at| at.ip().to_canonical()));
        }
        let mut addresses = look_up(endpoint).await?;
        addresses.retain(|at| granted.contains(&at.ip().to_canonical()));
        if addresses.is_empty() { Err(denied(endpoint)) } else { Ok(addresses) }
    }
}

async fn look_up(endpoint: &Endpoint) -> Result<Vec<SocketAddr>, NetError> {
    resolve(endpoint.host_ref(), endpoint.port()).await.map_err(|reason| NetError::Resolve {
        endpoint: endpoint.to_string(),
        host: endpoint.host(),
        reason,
    })
}

fn denied(endpoint: &Endpoint) -> NetError {
    NetError::Denied { endpoint: endpoint.to_string(), host_port: endpoint.host_port() }
}
