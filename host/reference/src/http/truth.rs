//! What the server has, for people and tests: `GET /truth`.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use serde_json::json;

use super::reply;
use crate::shared::Shared;

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new().route("/truth", get(truth))
}

async fn truth(State(shared): State<Arc<Shared>>) -> Response {
    let store = Arc::clone(&shared.store);
    // Rows that replace each other are found here, which may take a while.
    match tokio::task::spawn_blocking(move || store.truth()).await {
        Ok(Ok(tables)) => reply::json(StatusCode::OK, &json!({ "tables": tables })),
        Ok(Err(error)) => reply::json(StatusCode::INTERNAL_SERVER_ERROR, &json!({ "error": error.message })),
        Err(error) => reply::json(StatusCode::INTERNAL_SERVER_ERROR, &json!({ "error": error.to_string() })),
    }
}
