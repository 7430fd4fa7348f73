//! GreptimeDB behind its Influx door: what is not a write goes through SQL.

use benchhost_greptime_sql::{Sql, TimeColumn};
use benchhost_plugin::{DataType, Result, Secret};

use crate::settings::Settings;

/// A way to ask the server. Only the control session needs one, so that no worker holds a second connection.
pub(crate) fn sql(settings: &Settings) -> Result<Sql> {
    let Settings { endpoint, database, user, password, token, .. } = settings;
    match token.as_ref().and_then(|token| token.expose().split_once(':')) {
        Some((user, password)) => Sql::connect(endpoint, database, Some(user), Some(&Secret::from(password))),
        None => Sql::connect(endpoint, database, user.as_deref(), password.as_ref()),
    }
}

/// The time of a table that the server has made for line protocol.
pub(crate) fn time_column() -> TimeColumn {
    TimeColumn::Timestamp { name: "greptime_timestamp".into(), data_type: DataType::TimestampNanosecond }
}
