//! Guests that attack their host, one behaviour each: all are contained, in bounded time and in words that name plugin, call and rule.
//! `docs/sandbox.md` has a row for every one of them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "../all/common/mod.rs"]
mod common;
#[path = "../all/common/component.rs"]
mod component;

mod calls;
mod dataset;
mod exports;
mod files;
mod lab;
mod network;
mod words;
