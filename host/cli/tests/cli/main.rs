//! The real binary, from the outside: exit codes, stdout, stderr and files. Nothing here needs a server.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod bad_input;
mod generate;
mod layers;
mod plugin;
mod run_null;
mod signals;
mod suite;
mod support;
