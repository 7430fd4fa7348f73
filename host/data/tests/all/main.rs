//! Tables, batches and their forms: all in one program.

#![allow(clippy::unwrap_used, reason = "tests")]

mod builder;
mod common;
mod export;
mod fingerprint;
mod flight;
mod line_protocol;
