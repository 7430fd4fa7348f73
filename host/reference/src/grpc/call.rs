//! What the head of a call says: who calls, from where, for which database.

use axum::http::HeaderMap;
use tonic::{Code, Extensions, Status};

use super::connection::Scissors;
use super::status::{self, coded};
use crate::admit::Denied;
use crate::auth::{self, AuthError};
use crate::messages::greptime::v1::RequestHeader;
use crate::messages::greptime::v1::auth_header::AuthScheme;
use crate::shared::Shared;
use crate::store::PUBLIC;

/// The database of a call whose messages do not name one.
pub(super) const DATABASE: &str = "x-greptime-db-name";

/// The connection that a call came by.
pub(super) fn scissors(extensions: &Extensions) -> Option<Scissors> {
    extensions.get::<Scissors>().cloned()
}

/// A write's failure as a status. Cuts the connection if that is the fault.
pub(super) fn denied(denied: Denied, scissors: Option<&Scissors>) -> Status {
    match denied {
        Denied::Refused(error) => status::refused(error),
        Denied::Fault => status::injected(),
        Denied::Throttled(after) => status::throttled(after),
        Denied::Cut => {
            if let Some(scissors) = scissors {
                scissors.cut();
            }
            status::cut()
        }
    }
}

/// The database that `name` means: `public` if there is none; a catalog before it is dropped.
pub(super) fn database(name: &str) -> &str {
    match name.strip_prefix("greptime-").unwrap_or(name) {
        "" => PUBLIC,
        name => name,
    }
}

/// The database that the headers of a call name.
pub(super) fn database_of(headers: &HeaderMap) -> &str {
    database(headers.get(DATABASE).and_then(|name| name.to_str().ok()).unwrap_or_default())
}

/// The database that the header of a message names.
pub(super) fn database_in(header: Option<&RequestHeader>) -> &str {
    let Some(header) = header else { return PUBLIC };
    database(if header.dbname.is_empty() { &header.schema } else { &header.dbname })
}

/// Checks who calls, by the header of a message. Metadata does not count: a real server does not look at it there.
pub(super) fn authenticate_message(shared: &Shared, header: Option<&RequestHeader>) -> Result<(), Status> {
    let checked = match header.and_then(|header| header.authorization.as_ref()?.auth_scheme.as_ref()) {
        None => auth::header(&shared.options, None),
        Some(AuthScheme::Basic(basic)) => auth::check(&shared.options, &basic.username, &basic.password),
        Some(AuthScheme::Token(_)) => auth::header(&shared.options, Some("token in a message")),
    };
    checked.map_err(unauthenticated)
}

/// Checks who calls, by the metadata of the call: `x-greptime-auth` goes before `authorization`.
pub(super) fn authenticate_call(shared: &Shared, headers: &HeaderMap) -> Result<(), Status> {
    let header = headers.get("x-greptime-auth").or_else(|| headers.get("authorization"));
    auth::header(&shared.options, header.and_then(|header| header.to_str().ok())).map_err(unauthenticated)
}

fn unauthenticated(error: AuthError) -> Status {
    coded(Code::Unauthenticated, error.code, error.message)
}
