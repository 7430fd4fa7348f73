//! Real servers to test against: which ones, which versions, how to get, start and stop them.
//!
//! [`Server::install`] builds or fetches a server once per machine into the user's cache folder; [`Installed::start`] runs it on
//! free loopback ports with its data in a folder of its own; [`Running`] stops it and removes that folder when dropped. A server
//! never listens on anything but 127.0.0.1, never reports home, and does not outlive the process that started it.
//!
//! Everything comes through the package clients that a developer has anyway (`go`, `mvn`, `cargo`, `apt-get`): no server's binary is
//! downloaded from anywhere else, and the versions are pinned below.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Result, bail};

pub(crate) mod cache;
mod configure;
mod debian;
mod launch;
mod probe;
mod process;
mod recipe;
mod running;
pub(crate) mod scratch;
pub(crate) mod tools;

pub use cache::Install;
pub use running::{Access, Options, Running};

/// A database server that the end-to-end tests know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Server {
    /// InfluxDB 1.8.3: databases, optional users, line protocol by `/write` and by `/api/v2/write`.
    Influx1,
    /// InfluxDB 2.8.0: organisations, buckets, tokens, unsigned integers; keeps nothing of a batch with a bad line.
    Influx2,
    /// VictoriaMetrics 1.151.0, which takes line protocol and keeps numbers only.
    VictoriaMetrics,
    /// QuestDB 9.3.4, which makes SQL tables of line protocol.
    QuestDb,
    /// VictoriaLogs 1.52.1, which takes OTLP logs by HTTP and answers in LogsQL.
    VictoriaLogs,
    /// The receiver of the OpenTelemetry Collector 0.165.0, which takes OTLP by gRPC and HTTP and prints each request as a line of JSON.
    OtelCollector,
    /// Redis 7.0.15, which the examples of plugins write to. It speaks no HTTP.
    Redis,
}

impl Server {
    /// All servers, the quickest to get first.
    pub const ALL: [Self; 7] = [
        Self::Redis,
        Self::QuestDb,
        Self::VictoriaLogs,
        Self::VictoriaMetrics,
        Self::Influx1,
        Self::OtelCollector,
        Self::Influx2,
    ];

    /// The name by which commands take it and folders are called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Influx1 => "influxdb1",
            Self::Influx2 => "influxdb2",
            Self::VictoriaMetrics => "victoriametrics",
            Self::QuestDb => "questdb",
            Self::VictoriaLogs => "victorialogs",
            Self::OtelCollector => "otelcol",
            Self::Redis => "redis",
        }
    }

    /// The pinned version.
    pub fn version(self) -> &'static str {
        match self {
            Self::Influx1 => "1.8.3",
            Self::Influx2 => "2.8.0",
            Self::VictoriaMetrics => "1.151.0",
            Self::QuestDb => "9.3.4",
            Self::VictoriaLogs => "1.52.1",
            Self::OtelCollector => "0.165.0",
            Self::Redis => "7.0.15",
        }
    }

    /// Whether getting it takes about a minute or less on two cores. InfluxDB 2 does not: it compiles its query language, which is
    /// written in Rust, for some 8 minutes of CPU time.
    pub fn quick(self) -> bool {
        self != Self::Influx2
    }

    /// Makes sure the server is in the cache folder, building or fetching it when it is not. Safe to call from several threads and
    /// processes at once: one builds, the others wait for it.
    ///
    /// # Errors
    /// A tool is missing (the message names its Debian package), the build fails (the message ends with the build's own last
    /// words and names its log), or the cache folder cannot be written.
    pub fn install(self) -> Result<Installed> {
        cache::install(self, &cache::root()?)
    }

    /// What [`install`](Self::install) would find, without building anything.
    ///
    /// # Errors
    /// The user has no cache folder: neither `XDG_CACHE_HOME` nor `HOME` is set.
    pub fn installed(self) -> Result<Option<Installed>> {
        Ok(cache::find(self, &cache::root()?))
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name(), self.version())
    }
}

impl FromStr for Server {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> Result<Self> {
        match Self::ALL.into_iter().find(|server| server.name() == name) {
            Some(server) => Ok(server),
            None => bail!("no server is called `{name}`: choose from {}", Self::ALL.map(Self::name).join(", ")),
        }
    }
}

/// A server that is in the cache folder, ready to be started.
#[derive(Clone, Debug)]
pub struct Installed {
    server: Server,
    folder: PathBuf,
    how: Install,
}

impl Installed {
    /// Which server this is.
    pub fn server(&self) -> Server {
        self.server
    }

    /// The folder with its program.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether it was there already, or how long it took to get.
    pub fn how(&self) -> Install {
        self.how
    }

    /// Starts it on free loopback ports with an empty data folder and waits until it answers.
    ///
    /// # Errors
    /// It ends or stays silent (the message carries the end of its log), or its first user or token cannot be made.
    pub fn start(&self, options: &Options) -> Result<Running> {
        launch::start(self, options)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn every_server_is_found_by_its_name_and_a_wrong_name_lists_them() {
        for server in Server::ALL {
            assert_eq!(server.name().parse::<Server>().unwrap(), server);
        }
        let error = "influx".parse::<Server>().unwrap_err().to_string();
        assert!(error.contains("`influx`") && error.contains("influxdb1, otelcol, influxdb2"), "{error}");
    }
}
