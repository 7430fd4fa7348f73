//! The write paths, and which of them a server is made for.

use benchhost_plugin::lp::Precision;
use benchhost_plugin::{Client, Error, Query, Result};

use crate::answer::refused;
use crate::settings::Settings;
use crate::with_database;

/// A generation of InfluxDB, or what GreptimeDB has instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    V1,
    V2,
    V3,
    Greptime,
}

impl Api {
    /// The generation of a version such as `1.8.3` or `v2.7.4`; none for one that this plugin does not know.
    pub(crate) fn of_version(version: &str) -> Option<Self> {
        match version.trim_start_matches('v').split('.').next() {
            Some("1") => Some(Self::V1),
            Some("2") => Some(Self::V2),
            Some("3") => Some(Self::V3),
            _ => None,
        }
    }

    /// As settings and reports spell it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
            Self::V3 => "v3",
            Self::Greptime => "greptime",
        }
    }

    /// Where batches are posted to; `server` is the server's own generation, if it is known.
    pub(crate) fn write_path(self, settings: &Settings, server: Option<Self>) -> Result<Query> {
        let precision = self.spelling(settings.precision, server)?;
        Ok(match self {
            Self::V1 => with_database(Query::new("/write"), settings).with_some("precision", precision),
            Self::V2 => Query::new("/api/v2/write")
                .with("org", &settings.org)
                .with("bucket", &settings.database)
                .with_some("precision", precision),
            Self::V3 => {
                let path = Query::new("/api/v3/write_lp")
                    .with("db", &settings.database)
                    .with_some("precision", precision)
                    .with("accept_partial", if settings.accept_partial { "true" } else { "false" });
                if settings.no_sync { path.with("no_sync", "true") } else { path }
            }
            Self::Greptime => Query::new("/v1/influxdb/api/v2/write")
                .with("bucket", &settings.database)
                .with_some("precision", precision),
        })
    }

    /// Whether the path can be told only when the server's generation is known.
    pub(crate) fn depends_on_server(self, precision: Precision) -> bool {
        (self, precision) == (Self::V1, Precision::Us)
    }

    /// The unit as this path spells it; none where the unit is the default.
    ///
    /// Nothing may be sent that the server might not know: InfluxDB 1 answers an unknown spelling with an error and
    /// stores the rows as nanoseconds all the same, and the v1 path of InfluxDB 2 does so without the error. To the
    /// former, microseconds are `u` and `us` is unknown; to the latter it is the other way round.
    fn spelling(self, precision: Precision, server: Option<Self>) -> Result<Option<&'static str>> {
        Ok(match (self, precision) {
            (Self::V1, Precision::Ns) => None,
            (Self::V1, Precision::Us) => match server {
                Some(Self::V1) => Some("u"),
                Some(Self::V2 | Self::V3 | Self::Greptime) => Some("us"),
                None => {
                    return Err(Error::unsupported(
                        "the v1 path of InfluxDB 1 and 2 spells microseconds differently, and the server does not say \
                         at `/ping` which one it is: set `precision` to ms or ns",
                    ));
                }
            },
            (Self::V1 | Self::V2 | Self::Greptime, other) => Some(other.as_str()),
            (Self::V3, Precision::S) => Some("second"),
            (Self::V3, Precision::Ms) => Some("millisecond"),
            (Self::V3, Precision::Us) => Some("microsecond"),
            (Self::V3, Precision::Ns) => Some("nanosecond"),
        })
    }
}

/// What the server says its version is; none when it says nothing.
pub(crate) fn version(client: &Client) -> Result<Option<String>> {
    let response =
        client.call("GET", &Query::new("/ping"))?.success("ask for the version at `/ping`").map_err(refused)?;
    if let Some(version) = response.header("x-influxdb-version") {
        return Ok(Some(version));
    }
    let body: Option<serde_json::Value> = serde_json::from_str(&response.text()).ok();
    Ok(body.and_then(|body| body["version"].as_str().map(str::to_owned)))
}
