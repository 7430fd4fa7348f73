//! What the developer commands and the end-to-end tests share: real database servers to test against, and a small HTTP client
//! to ask them what they stored.
//!
//! The client here is slow, blocking and independent of the product on purpose: a test that checks the product's transport
//! must not look through that same transport. Nothing here is part of the shipped program, and nothing here prints.

mod folders;
pub mod http;
pub mod log_reader;
pub mod servers;

pub use folders::cache_folder;
