//! A server that answers with the message it got.

use super::{GrpcServer, Setup};

pub(crate) const METHOD: &str = "/greptime.v1.GreptimeDatabase/Handle";

pub(crate) async fn echo() -> GrpcServer {
    echo_with(Setup::default()).await
}

pub(crate) async fn echo_with(setup: Setup) -> GrpcServer {
    GrpcServer::start_with(setup, |_, mut call| async move {
        let message = call.message().await.unwrap_or_default();
        let answer = call.begin(&[("x-where", "head"), ("x-head", "1")]);
        answer.message(0, &message);
        answer.end(&[("grpc-status", "0"), ("x-where", "trailers")]);
    })
    .await
}
