//! `/v1/sql`: statements by form or URL.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::get;

use super::format::{self, Format};
use super::{authorization, database, refusal, unauthorized};
use crate::auth;
use crate::http::params::Params;
use crate::http::write::status_of;
use crate::http::{body, reply};
use crate::shared::Shared;

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new().route("/v1/sql", get(by_url).post(by_form))
}

async fn by_url(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    answer(&shared, &headers, &Params::of(query.as_deref())).await
}

async fn by_form(
    State(shared): State<Arc<Shared>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: axum::body::Body,
) -> Response {
    let form = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if !form.is_some_and(|form| form.starts_with("application/x-www-form-urlencoded")) {
        let words = "Form requests must have `Content-Type: application/x-www-form-urlencoded`";
        return reply::text(StatusCode::UNSUPPORTED_MEDIA_TYPE, words);
    }
    let form = match body::read(&headers, body, body::MOST).await {
        Ok(form) => form,
        Err(error) => return error.greptime(),
    };
    let params = Params::of(query.as_deref()).and(Params::of(std::str::from_utf8(&form).ok()));
    answer(&shared, &headers, &params).await
}

async fn answer(shared: &Shared, headers: &HeaderMap, params: &Params) -> Response {
    if let Err(error) = auth::header(&shared.options, authorization(headers)) {
        return unauthorized(&error);
    }
    let began = Instant::now();
    let passed = || began.elapsed().as_millis() as u64;
    let Some(sql) = params.get("sql") else {
        return refusal(StatusCode::BAD_REQUEST, 1004, "sql parameter is required.", passed());
    };
    let database = database(headers, &[params.get("db")]);
    let found = match shared.store.sql(database, sql).await {
        Ok(outcomes) => format::answer(Format::of(params.get("format")), &outcomes, params.get("limit"), passed()),
        Err(error) => Err(error),
    };
    found.unwrap_or_else(|error| refusal(status_of(&error), error.greptime_code(), &error.message, passed()))
}
