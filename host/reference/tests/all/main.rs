//! The reference server over its sockets, what each protocol answers and what is read back: all in one program, since each brings a query
//! engine.

#![allow(clippy::unwrap_used, reason = "tests")]

mod client;
mod faults;
mod flight;
mod greptime;
mod grpc;
mod http;
mod influx1;
mod influx2;
mod influx3;
mod otlp;
mod server;
