//! What a user can set.

use benchhost_greptime_sql::Sql;
use benchhost_plugin::{BodyCompression, Error, MessageCompression, Result, Secret};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How rows reach the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// One call a batch (`GreptimeDatabase/Handle`).
    Unary,
    /// One call of many batches, acknowledged at its end (`GreptimeDatabase/HandleRequests`); batches have no time to acknowledgement.
    Stream,
    /// Arrow Flight (`DoPut`), with several batches in flight and an acknowledgement for each.
    #[default]
    Bulk,
}

/// Who makes the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Create {
    /// A statement over HTTP.
    #[default]
    Sql,
    /// The server, from one unary row that has nothing but the time 1900-01-01: it stays in the table, outside of the range in which rows are counted.
    Probe,
}

/// How the buffers of a record batch are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// LZ4 frames.
    Lz4,
    /// Zstandard.
    Zstd,
}

/// How gRPC messages are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GrpcCompression {
    /// Not at all.
    #[default]
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

/// What becomes of rows of one series and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MergeMode {
    /// The last row replaces the others.
    LastRow,
    /// Of each column the last value that is not NULL stays.
    LastNonNull,
}

/// What a user can set.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Settings {
    /// URL of the HTTP server: `http://host:port`; tables are made, dropped and counted there.
    pub endpoint: String,
    /// URL of the gRPC server, where rows are written: `http://host:port`; usually port 4001.
    #[schemars(extend("format" = "endpoint"))]
    pub grpc_endpoint: Option<String>,
    /// How rows reach the server.
    #[serde(default)]
    pub protocol: Protocol,
    /// Database.
    #[serde(default = "default_database")]
    pub database: String,
    /// User name.
    pub user: Option<String>,
    /// Password of `user`.
    pub password: Option<Secret>,
    /// Who makes the table.
    #[serde(default)]
    pub create: Create,
    /// How long the table keeps rows: `7d`. The probe row of create=probe, being old, goes at once.
    pub ttl: Option<String>,
    /// Whether the table keeps all rows of one series and time. Without it the last one replaces the others.
    pub append_mode: Option<bool>,
    /// What becomes of rows of one series and time; not with append_mode=true.
    pub merge_mode: Option<MergeMode>,
    /// Whether writes skip the write-ahead log: faster, and lost when the server dies.
    pub skip_wal: Option<bool>,
    /// bulk: how the buffers of a record batch are compressed.
    #[serde(default)]
    pub compression: Compression,
    /// How gRPC messages are compressed.
    #[serde(default)]
    pub grpc_compression: GrpcCompression,
    /// bulk: batches of one stream that wait for their acknowledgement at a time. GreptimeDB drops acknowledgements past 32.
    #[serde(default = "default_max_in_flight")]
    #[schemars(range(min = 1, max = 1000))]
    pub max_in_flight: u32,
}

fn default_database() -> String {
    "public".into()
}

fn default_max_in_flight() -> u32 {
    31
}

impl Settings {
    /// Refuses settings that contradict each other.
    pub(crate) fn check(&self) -> Result<()> {
        if self.database.is_empty() {
            return Err(Error::invalid("setting `database`: the name is empty"));
        }
        if self.password.is_some() && self.user.is_none() {
            return Err(Error::invalid("`password` is set without `user`"));
        }
        if self.compression != Compression::None && self.protocol != Protocol::Bulk {
            return Err(Error::invalid("`compression` is only for protocol=bulk: set `grpc_compression` instead"));
        }
        if self.append_mode == Some(true) && self.merge_mode.is_some() {
            return Err(Error::invalid(
                "append_mode=true keeps all rows, so there is nothing to merge: leave `merge_mode` out",
            ));
        }
        if !(1..=1000).contains(&self.max_in_flight) {
            return Err(Error::invalid(format!(
                "setting `max_in_flight`: {} is not from 1 to 1000",
                self.max_in_flight
            )));
        }
        // Hints are parted by commas.
        match &self.ttl {
            Some(ttl) if ttl.is_empty() || ttl.contains([',', '=']) || !ttl.is_ascii() => {
                Err(Error::invalid(format!("setting `ttl`: `{ttl}` is no time such as 7d")))
            }
            _ => Ok(()),
        }
    }

    /// A way to ask the server. Only the control session needs one, so that no worker holds a second connection.
    pub(crate) fn sql(&self) -> Result<Sql> {
        Sql::connect(&self.endpoint, &self.database, self.user.as_deref(), self.password.as_ref())
    }

    /// Where rows are written to.
    pub(crate) fn grpc_endpoint(&self) -> Result<&str> {
        self.grpc_endpoint.as_deref().ok_or_else(|| {
            let (protocol, host) = (self.protocol.as_str(), host(&self.endpoint));
            Error::invalid(format!("protocol={protocol} writes over gRPC: set -P grpc_endpoint=http://{host}:4001"))
        })
    }

    /// What the table is asked to be, in the words that SQL and hints share.
    pub(crate) fn table_options(&self) -> Vec<(&'static str, String)> {
        let merge_mode = self.merge_mode.map(|mode| match mode {
            MergeMode::LastRow => "last_row".to_owned(),
            MergeMode::LastNonNull => "last_non_null".to_owned(),
        });
        [
            ("ttl", self.ttl.clone()),
            ("append_mode", self.append_mode.map(|on| on.to_string())),
            ("merge_mode", merge_mode),
            ("skip_wal", self.skip_wal.map(|on| on.to_string())),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
    }

    /// The same as a header; none when nothing is asked for.
    pub(crate) fn hints(&self) -> Option<String> {
        let options: Vec<String> =
            self.table_options().into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        (!options.is_empty()).then(|| options.join(","))
    }
}

/// The host of a URL, as well as it can be seen.
fn host(endpoint: &str) -> &str {
    let (_, rest) = endpoint.split_once("://").unwrap_or(("", endpoint));
    let authority = rest.split('/').next().unwrap_or(rest);
    match authority.rsplit_once(':') {
        Some((host, _)) if !host.is_empty() => host,
        _ if authority.is_empty() => "HOST",
        _ => authority,
    }
}

impl Protocol {
    /// As settings and reports spell it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Unary => "unary",
            Self::Stream => "stream",
            Self::Bulk => "bulk",
        }
    }
}

impl Compression {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        }
    }

    pub(crate) fn of_body(self) -> BodyCompression {
        match self {
            Self::None => BodyCompression::None,
            Self::Lz4 => BodyCompression::Lz4Frame,
            Self::Zstd => BodyCompression::Zstd,
        }
    }
}

impl GrpcCompression {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    pub(crate) fn of_messages(self) -> Option<MessageCompression> {
        match self {
            Self::None => None,
            Self::Gzip => Some(MessageCompression::Gzip),
            Self::Zstd => Some(MessageCompression::Zstd),
        }
    }
}
