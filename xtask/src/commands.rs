//! One module per command.

pub(crate) mod bench;
pub(crate) mod build;
pub(crate) mod demo;
pub(crate) mod fuzz;
pub(crate) mod lint;
pub(crate) mod servers;
pub(crate) mod test;
