//! OTLP logs and metrics: over HTTP here, over gRPC in [`crate::grpc`].
//!
//! Two sets of paths, since GreptimeDB has its own ways. `/v1/logs` and `/v1/metrics` are as the specification has them: logs go to the
//! table `otlp_logs`, metrics to a table each ([`standard`]). `/v1/otlp/v1/logs` and `/v1/otlp/v1/metrics` answer as GreptimeDB 1.0.2 was
//! seen to: with its tables, its headers, and its words for what is wrong.

pub(crate) mod export;
mod failure;
mod frame;
mod http;
pub(crate) mod logs;
pub(crate) mod metrics;
mod names;
mod prometheus;
mod standard;
mod value;

pub(crate) use http::router;
