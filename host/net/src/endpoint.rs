//! Endpoints: where a server is, as the user writes it.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use thiserror::Error;

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// HTTP over plain TCP, port 80 unless said.
    Http,
    /// HTTP over TLS, port 443 unless said.
    Https,
    /// A protocol of the plugin's own over plain TCP; the port must be said.
    Tcp,
    /// The same over TLS.
    Tls,
}

impl Scheme {
    /// As it is written in an endpoint.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
            Self::Tcp => "tcp",
            Self::Tls => "tls",
        }
    }

    /// The port that an endpoint without one means; none where it must be written.
    #[must_use]
    pub fn default_port(self) -> Option<u16> {
        match self {
            Self::Http => Some(80),
            Self::Https => Some(443),
            Self::Tcp | Self::Tls => None,
        }
    }

    /// Whether the connection is encrypted.
    pub(crate) fn is_encrypted(self) -> bool {
        matches!(self, Self::Https | Self::Tls)
    }

    /// Whether HTTP is spoken, and not a protocol of the plugin's own.
    pub(crate) fn is_http(self) -> bool {
        matches!(self, Self::Http | Self::Https)
    }
}

/// Why a text is not an endpoint. The text is shown without the parts that may hold a secret.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// Nothing before `://`.
    #[error("endpoint `{shown}` has no scheme: write http://{rest} or https://{rest}")]
    NoScheme {
        /// The text.
        shown: String,
        /// What would follow the scheme.
        rest: String,
    },
    /// A scheme that is not known.
    #[error("endpoint `{shown}` has the scheme `{scheme}`: write http://, https://, tcp:// or tls://")]
    Scheme {
        /// The text.
        shown: String,
        /// Its scheme.
        scheme: String,
    },
    /// A user name or password, which would end up in logs and results.
    #[error(
        "endpoint `{shown}` holds a user name or password: give them by --user and --password-file or --token-file"
    )]
    Credentials {
        /// The text, with `***` in their place.
        shown: String,
    },
    /// A query or fragment.
    #[error("endpoint `{shown}` has a query or fragment: end it after the path, and give settings by -P name=value")]
    Query {
        /// The text up to there.
        shown: String,
    },
    /// No host, or one that cannot be a host.
    #[error("endpoint `{shown}` {problem}: write http://host:port, an IPv6 address in brackets")]
    Host {
        /// The text.
        shown: String,
        /// What is wrong with its host.
        problem: &'static str,
    },
    /// No port where the scheme has none of its own.
    #[error("endpoint `{shown}` has no port, and {scheme}:// has none of its own: write {scheme}://host:port")]
    NoPort {
        /// The text.
        shown: String,
        /// The scheme.
        scheme: &'static str,
    },
    /// A port that is no number from 1 to 65535.
    #[error("endpoint `{shown}` has the port `{port}`: write a number from 1 to 65535")]
    Port {
        /// The text.
        shown: String,
        /// Its port.
        port: String,
    },
    /// A path with characters that cannot stand in a request line.
    #[error("endpoint `{shown}` has a path with spaces or characters other than visible ASCII: percent-encode them")]
    Path {
        /// The text.
        shown: String,
    },
}

/// A host: an address, or a name to look up.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Host {
    /// An address, never looked up.
    Ip(IpAddr),
    /// A name, in lower case.
    Name(String),
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(IpAddr::V6(ip)) => write!(f, "[{ip}]"),
            Self::Ip(ip) => write!(f, "{ip}"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

/// A server: scheme, host, port, and a path that goes before the path of every request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
    scheme: Scheme,
    host: Host,
    port: u16,
    base_path: String,
}

impl Endpoint {
    /// How it is spoken to.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host as it is written in a URL: a name in lower case, an IPv4 address, or an IPv6 address in brackets.
    #[must_use]
    pub fn host(&self) -> String {
        self.host.to_string()
    }

    /// The port, the scheme's own if none was written.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The path before every request's path: empty, or `/…` without a slash at its end.
    #[must_use]
    pub fn base_path(&self) -> &str {
        &self.base_path
    }

    /// `host:port`, the form that a grant has.
    #[must_use]
    pub fn host_port(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// `host` or `host:port`, the form that a `Host` header has.
    pub(crate) fn authority(&self) -> String {
        if Some(self.port) == self.scheme.default_port() { self.host() } else { self.host_port() }
    }

    /// The host, typed.
    pub(crate) fn host_ref(&self) -> &Host {
        &self.host
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme.as_str(), self.authority(), self.base_path)
    }
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        let shown = redacted(text);
        let Some((scheme, rest)) = text.split_once("://") else {
            let rest = shown.trim_start_matches("***@").to_owned();
            return Err(EndpointError::NoScheme { shown, rest });
        };
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            "tcp" => Scheme::Tcp,
            "tls" => Scheme::Tls,
            _ => {
                let scheme = shown.split("://").next().unwrap_or_default().to_owned();
                return Err(EndpointError::Scheme { shown, scheme });
            }
        };
        let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        // Also behind a slash, where it may belong to a password that was not encoded.
        if rest.contains('@') {
            return Err(EndpointError::Credentials { shown });
        }
        if path.contains(['?', '#']) {
            return Err(EndpointError::Query { shown });
        }
        if !path.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(EndpointError::Path { shown });
        }
        let (host, port) =
            split_port(authority).map_err(|problem| EndpointError::Host { shown: shown.clone(), problem })?;
        let host = parse_host(host).map_err(|problem| EndpointError::Host { shown: shown.clone(), problem })?;
        let port = match port {
            None => scheme.default_port().ok_or_else(|| EndpointError::NoPort { shown, scheme: scheme.as_str() })?,
            Some(digits) => parse_port(digits).ok_or_else(|| EndpointError::Port { shown, port: escaped(digits) })?,
        };
        Ok(Self { scheme, host, port, base_path: path.trim_end_matches('/').to_owned() })
    }
}

/// The text for an error: what stands before an `@`, and what follows a `?` or `#`, may be a secret. With both in it there is no
/// telling where a secret ends, so nothing is left. It may come from a plugin, so it cannot steer a terminal either.
pub(crate) fn redacted(text: &str) -> String {
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) if !scheme.contains(['@', '?', '#']) => (format!("{scheme}://"), rest),
        _ => (String::new(), text),
    };
    let shown = match (rest.rfind('@'), rest.find(['?', '#'])) {
        (None, None) => format!("{scheme}{rest}"),
        (Some(at), None) => format!("{scheme}***{}", &rest[at..]),
        (None, Some(end)) => format!("{scheme}{}***", &rest[..end]),
        (Some(_), Some(_)) => format!("{scheme}***"),
    };
    escaped(&shown)
}

/// `text` with control characters made visible.
pub(crate) fn escaped(text: &str) -> String {
    text.escape_debug().to_string()
}

/// Host and port of `host`, `host:port`, `[v6]` or `[v6]:port`.
pub(crate) fn split_port(authority: &str) -> Result<(&str, Option<&str>), &'static str> {
    if let Some(inside) = authority.strip_prefix('[') {
        let (_, after) = inside.split_once(']').ok_or("has a bracket that is not closed")?;
        let host = &authority[..authority.len() - after.len()];
        return match after {
            "" => Ok((host, None)),
            _ => after.strip_prefix(':').map(|port| (host, Some(port))).ok_or("has text between its host and its port"),
        };
    }
    match authority.split_once(':') {
        None => Ok((authority, None)),
        Some((_, port)) if port.contains(':') => Err("has several colons outside brackets"),
        Some((host, port)) => Ok((host, Some(port))),
    }
}

/// A host as it is written in a URL.
pub(crate) fn parse_host(text: &str) -> Result<Host, &'static str> {
    if let Some(inside) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let ip: Ipv6Addr = inside.parse().map_err(|_| "has brackets around something that is no IPv6 address")?;
        return Ok(Host::Ip(IpAddr::V6(ip)));
    }
    if let Ok(ip) = text.parse::<IpAddr>() {
        return Ok(Host::Ip(ip));
    }
    let named = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    match text {
        "" => Err("has no host"),
        _ if text.bytes().all(named) => Ok(Host::Name(text.to_ascii_lowercase())),
        _ => Err("has a host with characters that no host name has"),
    }
}

/// A port as it is written in a URL.
pub(crate) fn parse_port(digits: &str) -> Option<u16> {
    let number = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u16>().ok()).flatten();
    number.filter(|&port| port != 0)
}
