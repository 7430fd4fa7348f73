//! From the flags about a server to settings of the target and a way to it: what every command that reaches a server does alike.

use std::time::Duration;

use benchhost_net::{Endpoint, Grants, HttpOptions, TlsOptions, Transport};
use clap::parser::ValueSource;

use crate::args::ServerArgs;
use crate::embedded::Addresses;
use crate::failure::{Classify, Failure};
use crate::pairs::Pair;
use crate::plugins::Loaded;
use crate::secrets::{Secret, secret};
use crate::settings::{Part, Router};

/// The setting that says where a target's server is.
const ENDPOINT: &str = "endpoint";

/// What must not be shown.
pub(crate) struct Secrets {
    password: Option<Secret>,
    token: Option<Secret>,
}

/// Reads password and token.
pub(crate) fn secrets(
    server: &ServerArgs,
    password_from: Option<ValueSource>,
    token_from: Option<ValueSource>,
) -> Result<Secrets, Failure> {
    Ok(Secrets {
        password: secret("password", server.password_file.as_deref(), password_from)?,
        token: secret("token", server.token_file.as_deref(), token_from)?,
    })
}

/// Flags first, so that a `-P` for the same setting is the one that is told to go.
pub(crate) fn route(
    server: &ServerArgs,
    secrets: &Secrets,
    params: &[Pair],
    plugins: &[&Loaded],
) -> Result<Router, Failure> {
    let mut router = Router::new(plugins.iter().map(|plugin| plugin.accepts()).collect());
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

/// Whether the target needs a server and was given none.
pub(crate) fn lacks_server(router: &Router, target: &Loaded) -> bool {
    router.target_has(ENDPOINT) && target.addresses().all(|name| router.value(Part::Target, name).is_none())
}

/// The same settings, with the addresses of a reference server where the target wants addresses.
pub(crate) fn served(mut router: Router, target: &Loaded, server: &Addresses) -> Result<Router, Failure> {
    router.flag(ENDPOINT, &server.http)?;
    for name in target.addresses().filter(|name| *name != ENDPOINT) {
        router.param(&Pair::new(format!("{}.{name}", Part::Target.as_str()), &server.grpc))?;
    }
    Ok(router)
}

/// The servers that the user named, by flag or by -P: the target may connect to them. The first one is `endpoint`, if there is one.
pub(crate) fn endpoints(
    endpoint: Option<Endpoint>,
    router: &Router,
    target: &Loaded,
) -> Result<Vec<Endpoint>, Failure> {
    let mut endpoints: Vec<Endpoint> = endpoint.into_iter().collect();
    for name in target.addresses() {
        if let Some(value) = router.value(Part::Target, name) {
            let named =
                value.parse::<Endpoint>().or_usage().map_err(|failure| failure.context(format!("-P {name}")))?;
            if !endpoints.contains(&named) {
                endpoints.push(named);
            }
        }
    }
    Ok(endpoints)
}

/// What a command decides about its connections besides the flags of [`ServerArgs`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    /// The longest that one request may take.
    pub request_timeout: Duration,
    /// Connections that workers share; none: one for each.
    pub connections: Option<usize>,
}

/// The way to these servers and to those of `--allow-net`.
pub(crate) fn transport(server: &ServerArgs, way: Way, endpoints: Vec<Endpoint>) -> Result<Transport, Failure> {
    Transport::new(http_options(server, way), grants(server, endpoints)?).or_usage()
}

/// What may be dialled: these servers, and what `--allow-net` adds.
pub(crate) fn grants(server: &ServerArgs, endpoints: Vec<Endpoint>) -> Result<Grants, Failure> {
    let mut grants = Grants::new(endpoints);
    for address in &server.allow_net {
        grants
            .allow_host_port(address)
            .or_usage()
            .map_err(|failure| failure.context(format!("--allow-net {address}")))?;
    }
    Ok(grants)
}

/// Time-outs and TLS of the way.
pub(crate) fn http_options(server: &ServerArgs, way: Way) -> HttpOptions {
    HttpOptions {
        connect_timeout: server.connect_timeout,
        request_timeout: way.request_timeout,
        connections: way.connections,
        tls: TlsOptions {
            ca_cert: server.cacert.clone(),
            client_cert: server.cert.clone(),
            client_key: server.key.clone(),
            insecure: server.insecure,
        },
        ..HttpOptions::default()
    }
}
