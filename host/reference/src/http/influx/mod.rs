//! The paths of InfluxDB 1, 2 and 3.
//!
//! All three write into the same databases, which are buckets to InfluxDB 2. Which one the server says that it is, is an option: by it clients
//! choose how they make databases and count. Rows with the same tags and time are one, with the last value of each field.

mod condition;
mod flux;
mod influxql;
mod lines;
mod query;
mod v1;
mod v2;
mod v3;

use std::sync::Arc;

use axum::Router;
use axum::http::HeaderMap;

use super::params::Params;
use crate::auth::{self, AuthError};
use crate::http::greptime::authorization;
use crate::shared::Shared;
use crate::store::{ErrorKind, Merge, Missing, StoreError, TableOptions};

/// The name of the time in a table that a line makes.
const TIME: &str = "time";

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new().merge(v1::router()).merge(v2::router()).merge(v3::router())
}

/// Whether the server says that it is InfluxDB 3, which makes databases as they are written to and acknowledges at its flush.
fn is_v3(shared: &Shared) -> bool {
    shared.options.influx_version.trim_start_matches('v').starts_with("3.")
}

/// By header, or by `u` and `p` as InfluxDB 1 has it.
fn let_in(shared: &Shared, headers: &HeaderMap, params: &Params) -> Result<(), AuthError> {
    match (params.get("u"), params.get("p")) {
        (Some(user), Some(password)) => auth::check(&shared.options, user, password),
        _ => auth::header(&shared.options, authorization(headers)),
    }
}

/// Tables are made as lines come.
fn made_as_they_come() -> Missing {
    Missing::Create(TableOptions { merge: Merge::LastNonNull, ..TableOptions::default() })
}

/// Makes a database, unless it is there.
fn ensure_database(shared: &Shared, name: &str) -> Result<(), StoreError> {
    if shared.store.has_database(name) {
        return Ok(());
    }
    match shared.store.create_database(name) {
        Err(error) if error.kind == ErrorKind::DatabaseExists => Ok(()),
        other => other,
    }
}
