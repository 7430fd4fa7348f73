//! Storing an export, however it came: what HTTP and gRPC share.

use std::time::{SystemTime, UNIX_EPOCH};

use super::logs::{self, Layout};
use super::metrics::{self, Shape};
use crate::admit::{self, Denied};
use crate::messages::opentelemetry::proto::collector::logs::v1::{
    ExportLogsPartialSuccess, ExportLogsServiceRequest, ExportLogsServiceResponse,
};
use crate::messages::opentelemetry::proto::collector::metrics::v1::{
    ExportMetricsPartialSuccess, ExportMetricsServiceRequest, ExportMetricsServiceResponse,
};
use crate::shared::Shared;
use crate::store::{Extra, Merge, Missing, TableOptions};

/// The table of the standard paths for logs.
pub(crate) const LOGS: &str = "otlp_logs";

/// Where and how logs are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogTable {
    /// The database.
    pub(crate) database: String,
    /// The table.
    pub(crate) table: String,
    /// What a record becomes.
    pub(crate) layout: Layout,
    /// How long rows are kept, if the client says so.
    pub(crate) ttl: Option<String>,
}

/// Stores log records: all or none, unless a partial success is injected.
///
/// # Errors
///
/// Records that do not fit, or an injected fault.
pub(crate) async fn logs(
    shared: &Shared,
    request: &ExportLogsServiceRequest,
    to: &LogTable,
) -> Result<ExportLogsServiceResponse, Denied> {
    let (store, sent) = (&shared.store, logs::count(request));
    // A log table keeps every row, whatever a client asks for.
    let options = TableOptions { merge: Merge::Append, ttl: to.ttl.clone(), ..TableOptions::default() };
    let write = |accepted| {
        let rows = logs::rows(request, accepted, &to.table, &to.layout, now())?;
        if rows.batch.num_rows() == 0 {
            return Ok(0);
        }
        store.write(&to.database, vec![rows], &Missing::Create(options), Extra::AddColumns)
    };
    let rejected = sent - admit::write(shared, sent, write).await?.min(sent);
    let partial_success = (rejected > 0).then(|| ExportLogsPartialSuccess {
        rejected_log_records: i64::try_from(rejected).unwrap_or(i64::MAX),
        error_message: words(rejected, "log records"),
    });
    Ok(ExportLogsServiceResponse { partial_success })
}

/// Stores data points: all or none, unless a partial success is injected.
///
/// # Errors
///
/// Points that do not fit, or an injected fault.
pub(crate) async fn metrics(
    shared: &Shared,
    request: &ExportMetricsServiceRequest,
    database: &str,
    shape: Shape,
) -> Result<ExportMetricsServiceResponse, Denied> {
    let sent = metrics::count(request);
    let write = |accepted| {
        let rows = metrics::rows(request, accepted, shape)?;
        shared.store.write(database, rows, &Missing::Create(TableOptions::default()), Extra::AddColumns)?;
        Ok(accepted)
    };
    let rejected = sent - admit::write(shared, sent, write).await?.min(sent);
    let partial_success = (rejected > 0).then(|| ExportMetricsPartialSuccess {
        rejected_data_points: i64::try_from(rejected).unwrap_or(i64::MAX),
        error_message: words(rejected, "data points"),
    });
    Ok(ExportMetricsServiceResponse { partial_success })
}

fn words(rejected: u64, what: &str) -> String {
    format!("{rejected} {what} were rejected (injected)")
}

/// Nanoseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
