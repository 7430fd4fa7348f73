//! The messages and services of `proto/`, as the build script generates them.

#![allow(
    missing_docs,
    unreachable_pub,
    unused_qualifications,
    dead_code,
    clippy::all,
    clippy::allow_attributes_without_reason,
    reason = "generated; what the fields mean is said in proto/"
)]

include!(concat!(env!("OUT_DIR"), "/server/messages.rs"));
