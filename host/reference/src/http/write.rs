//! What every path for writes does: the injected faults, then the store.

use axum::http::StatusCode;
use axum::response::Response;

use super::reply;
use crate::inject::Action;
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
        accepted: usize,
        /// Not stored.
        dropped: usize,
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
    let count = rows.iter().map(|rows| rows.batch.num_rows()).sum();
    let store = |rows| shared.store.write(database, rows, missing, extra);
    match shared.injector.before_write(count).await {
        Action::Store => match store(rows) {
            Ok(_) => Written::Acknowledged,
            Err(error) => Written::Refused(error),
        },
        Action::Lose => Written::Acknowledged,
        Action::Refuse => Written::Refused(StoreError::new(ErrorKind::Internal, "injected: the server has a fault")),
        Action::Throttle(wait) => {
            let words = serde_json::json!({ "error": "injected: too many requests" });
            let response = reply::json(StatusCode::TOO_MANY_REQUESTS, &words);
            Written::Injected(reply::with_header(response, "retry-after", &wait.as_secs().max(1).to_string()))
        }
        Action::Reset { store: stores } => {
            if stores {
                // Whether it could be stored is what the client will never know.
                let _ = store(rows);
            }
            Written::Injected(reply::cut())
        }
        Action::Partial { accepted } => match shared.write_first(database, rows, accepted, missing, extra) {
            Ok(_) => Written::Partial { accepted, dropped: count - accepted },
            Err(error) => Written::Refused(error),
        },
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
