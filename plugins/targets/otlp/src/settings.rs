//! What a user can set.

use benchhost_plugin::{Error, Header, Result, Secret};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How requests reach the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Protobuf over HTTP, to `endpoint`.
    #[default]
    Http,
    /// gRPC, to `grpc_endpoint`.
    Grpc,
}

/// Which server it is: OTLP says neither which table rows go to nor how to count them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// Any server or collector. Rows cannot be counted.
    #[default]
    Plain,
    /// GreptimeDB, over HTTP: rows are counted and tables dropped by SQL.
    Greptime,
    /// VictoriaLogs, over HTTP: rows are counted by LogsQL.
    Victorialogs,
}

/// What a user can set.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Settings {
    /// URL of the HTTP server: `http://host:port`.
    pub endpoint: Option<String>,
    /// URL of the gRPC server, for protocol=grpc: `http://host:port`; usually port 4317.
    #[schemars(extend("format" = "endpoint"))]
    pub grpc_endpoint: Option<String>,
    /// How requests reach the server.
    #[serde(default)]
    pub protocol: Protocol,
    /// Which server it is.
    #[serde(default)]
    pub dialect: Dialect,
    /// http: path that logs are posted to. By default that of the dialect: `/v1/logs`, `/v1/otlp/v1/logs` (greptime) or `/insert/opentelemetry/v1/logs`
    /// (victorialogs).
    pub path: Option<String>,
    /// Further headers: `name:value,name:value`. They are shown in reports: a secret goes into `token` or `password`.
    #[serde(default)]
    pub headers: String,
    /// Bearer token.
    pub token: Option<Secret>,
    /// User name, instead of `token`.
    pub user: Option<String>,
    /// Password of `user`.
    pub password: Option<Secret>,
    /// Compress requests with gzip.
    #[serde(default)]
    pub gzip: bool,
    /// Column that is the body of a record; by default the body is `benchmark`.
    pub body_column: Option<String>,
    /// Column that is the severity of a record: a text such as INFO or WARN. By default all records are INFO.
    pub severity_column: Option<String>,
    /// greptime: database.
    #[serde(default = "default_database")]
    pub database: String,
    /// greptime: pipeline that makes columns of a record; empty for none.
    #[serde(default = "default_pipeline")]
    pub pipeline: String,
}

fn default_database() -> String {
    "public".into()
}

fn default_pipeline() -> String {
    "greptime_identity".into()
}

impl Settings {
    /// Refuses settings that contradict each other.
    pub(crate) fn check(&self) -> Result<()> {
        if self.token.is_some() && self.user.is_some() {
            return Err(Error::invalid("both `token` and `user` are set: give one of them"));
        }
        if self.password.is_some() && self.user.is_none() {
            return Err(Error::invalid("`password` is set without `user`"));
        }
        if self.protocol == Protocol::Grpc && self.dialect != Dialect::Plain {
            let dialect = self.dialect.as_str();
            return Err(Error::invalid(format!("dialect={dialect} takes logs over HTTP only: set protocol=http")));
        }
        if self.protocol == Protocol::Grpc && self.path.is_some() {
            return Err(Error::invalid("`path` is only for protocol=http: gRPC has a path of its own"));
        }
        if self.body_column.is_some() && self.body_column == self.severity_column {
            return Err(Error::invalid("`body_column` and `severity_column` name the same column"));
        }
        if self.path.as_ref().is_some_and(|path| !path.starts_with('/')) {
            return Err(Error::invalid("setting `path`: it must begin with `/`"));
        }
        self.headers().map(drop)
    }

    /// The further headers.
    pub(crate) fn headers(&self) -> Result<Vec<Header>> {
        let parts = self.headers.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts
            .map(|part| match part.split_once(':') {
                Some((name, value)) if !name.trim().is_empty() => Ok(Header::new(name.trim(), value.trim())),
                _ => Err(Error::invalid(format!("setting `headers`: `{part}` is not `name:value`"))),
            })
            .collect()
    }

    /// Where logs are posted to.
    pub(crate) fn path(&self) -> &str {
        self.path.as_deref().unwrap_or(match self.dialect {
            Dialect::Plain => "/v1/logs",
            Dialect::Greptime => "/v1/otlp/v1/logs",
            Dialect::Victorialogs => "/insert/opentelemetry/v1/logs",
        })
    }

    pub(crate) fn endpoint(&self) -> Result<&str> {
        self.endpoint
            .as_deref()
            .ok_or_else(|| Error::invalid("protocol=http needs `endpoint`: set --endpoint http://HOST:PORT"))
    }

    pub(crate) fn grpc_endpoint(&self) -> Result<&str> {
        let endpoint = self.grpc_endpoint.as_deref();
        endpoint.ok_or_else(|| Error::invalid("protocol=grpc writes over gRPC: set -P grpc_endpoint=http://HOST:4317"))
    }
}

impl Protocol {
    /// As settings and reports spell it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Grpc => "grpc",
        }
    }
}

impl Dialect {
    /// As settings and reports spell it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Greptime => "greptime",
            Self::Victorialogs => "victorialogs",
        }
    }
}
