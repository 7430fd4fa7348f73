//! What the developer commands and the end-to-end tests share: real database servers to test against, official clients to hold
//! against our own server, and a small HTTP client to ask what was stored.
//!
//! The client here is slow, blocking and independent of the product on purpose: a test that checks the product's transport
//! must not look through that same transport. Nothing here is part of the shipped program, and nothing here prints.

pub mod clients;
mod folders;
pub mod http;
pub mod log_reader;
mod npm;
mod python;
pub mod servers;
pub mod toolchains;

pub use folders::cache_folder;
