//! What a user can set.

use benchhost_plugin::lp::Precision;
use benchhost_plugin::{Error, Result, Secret};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::Api;

/// The write path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ApiSetting {
    /// By the version that the server says at `/ping`.
    #[default]
    Auto,
    /// `/write`.
    V1,
    /// `/api/v2/write`.
    V2,
    /// `/api/v3/write_lp`.
    V3,
    /// GreptimeDB's `/v1/influxdb/api/v2/write`; tables are counted and dropped by SQL. A token is `user:password`.
    Greptime,
}

/// What a user can set.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Settings {
    /// URL of the server: `http://host:port`.
    pub endpoint: String,
    /// Database (v1, v3, greptime) or bucket (v2); `database/policy` names a retention policy of v1.
    #[serde(default = "default_name")]
    pub database: String,
    /// Write path.
    #[serde(default)]
    pub api: ApiSetting,
    /// User name, for servers without tokens.
    pub user: Option<String>,
    /// Password of `user`.
    pub password: Option<Secret>,
    /// API token; instead of `user`.
    pub token: Option<Secret>,
    /// Organisation (v2).
    #[serde(default = "default_name")]
    pub org: String,
    /// Unit of timestamps on the wire. A batch with finer times is refused.
    #[serde(default = "default_precision")]
    pub precision: Precision,
    /// Compress requests with gzip.
    #[serde(default)]
    pub gzip: bool,
    /// v3: store the good lines of a batch that has bad ones.
    #[serde(default = "default_accept_partial")]
    pub accept_partial: bool,
    /// v3: acknowledge before the write is durable.
    #[serde(default)]
    pub no_sync: bool,
}

fn default_name() -> String {
    "benchhost".into()
}

fn default_precision() -> Precision {
    Precision::Ns
}

fn default_accept_partial() -> bool {
    true
}

impl Settings {
    /// Refuses settings that contradict each other.
    pub(crate) fn check(&self) -> Result<()> {
        if self.database.is_empty() {
            return Err(Error::invalid("setting `database`: the name is empty"));
        }
        if self.api == ApiSetting::Greptime && self.token.as_ref().is_some_and(|token| !token.expose().contains(':')) {
            return Err(Error::invalid("setting `token`: GreptimeDB takes `user:password`"));
        }
        if self.token.is_some() && self.user.is_some() {
            return Err(Error::invalid("both `token` and `user` are set: give one of them"));
        }
        Ok(())
    }

    /// Refuses settings that `api` has no words for.
    pub(crate) fn check_for(&self, api: Api) -> Result<()> {
        let only_v3 = match self {
            Self { no_sync: true, .. } => "no_sync=true",
            Self { accept_partial: false, .. } => "accept_partial=false",
            _ => return Ok(()),
        };
        if api == Api::V3 {
            return Ok(());
        }
        Err(Error::invalid(format!("{only_v3} is only for api v3, and this is {}", api.as_str())))
    }

    /// The parts of `database/policy`.
    pub(crate) fn database_and_policy(&self) -> (&str, Option<&str>) {
        match self.database.split_once('/') {
            Some((database, policy)) => (database, Some(policy)),
            None => (&self.database, None),
        }
    }
}
