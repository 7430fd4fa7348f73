//! Plugins in their sandbox: every test of this crate that loads one, in one program, since each program brings an engine.

#![allow(clippy::unwrap_used, reason = "tests")]

mod cache;
mod common;
#[path = "common/component.rs"]
mod component;
mod faults;
mod generators;
mod isolation;
mod load;
mod settings;
mod targets;
