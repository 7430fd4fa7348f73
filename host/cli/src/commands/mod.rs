//! One file for each command.

pub(crate) mod generate;
pub(crate) mod plugin_inspect;
pub(crate) mod plugin_list;
pub(crate) mod run;
