//! What every path for writes answers, whether rows are stored or a fault was injected.

use axum::http::StatusCode;
use axum::response::Response;

use super::reply;
use crate::admit::{self, Denied};
use crate::shared::Shared;
use crate::store::{ErrorKind, Extra, Missing, Rows, StoreError};

/// What became of a write.
#[derive(Debug)]
pub(crate) enum Written {
    /// It is acknowledged.
    Acknowledged,
    /// The store refused it.
    Refused(StoreError),
    /// So many rows are stored, as a fault was injected, and so many are not.
    Partial {
        /// Stored.
        accepted: u64,
        /// Not stored.
        dropped: u64,
    },
    /// Any other fault that was injected: this is the answer.
    Injected(Response),
}

/// Writes rows, unless something is injected.
pub(crate) async fn write(
    shared: &Shared,
    database: &str,
    rows: Vec<Rows>,
    missing: &Missing,
    extra: Extra,
) -> Written {
    let count = admit::count(&rows);
    let store = |accepted| shared.store.write(database, admit::first(rows, accepted), missing, extra);
    match admit::write(shared, count, store).await {
        Ok(accepted) if accepted < count => Written::Partial { accepted, dropped: count - accepted },
        Ok(_) => Written::Acknowledged,
        Err(Denied::Refused(error)) => Written::Refused(error),
        Err(Denied::Fault) => {
            Written::Refused(StoreError::new(ErrorKind::Internal, "injected: the server has a fault"))
        }
        Err(Denied::Throttled(wait)) => {
            let words = serde_json::json!({ "error": "injected: too many requests" });
            let response = reply::json(StatusCode::TOO_MANY_REQUESTS, &words);
            Written::Injected(reply::with_header(response, "retry-after", &wait.as_secs().max(1).to_string()))
        }
        Err(Denied::Cut) => Written::Injected(reply::cut()),
    }
}

/// The status of a refusal.
pub(crate) fn status_of(error: &StoreError) -> StatusCode {
    match error.kind {
        ErrorKind::Execution | ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorKind::Full => StatusCode::INSUFFICIENT_STORAGE,
        _ => StatusCode::BAD_REQUEST,
    }
}
