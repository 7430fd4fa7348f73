//! The reference server over real sockets: what each protocol answers, and what is read back.

#![allow(clippy::unwrap_used, reason = "tests")]

mod faults;
mod greptime;
mod influx1;
mod influx2;
mod influx3;
mod server;
mod support;
