//! Documents and bundles: all in one program.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bundle;
mod common;
mod merging;
mod reading;
mod searching;
mod text;
mod writing;
