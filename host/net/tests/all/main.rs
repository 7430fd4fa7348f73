//! The transport against servers of its own: all in one program.

#![allow(clippy::unwrap_used, reason = "tests")]

mod exchanges;
mod failures;
mod grpc;
mod grpc_connecting;
mod grpc_put;
mod grpc_put_failures;
mod grpc_put_random;
mod grpc_stream;
mod grpc_unary;
mod reconnects;
mod replay;
mod rights;
mod sharing;
mod streams;
mod support;
#[cfg(target_os = "linux")]
mod tcp_facts;
mod tls;
