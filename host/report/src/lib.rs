//! What a run leaves behind: the [document](Document) that is `run.json`, the [bundle](Bundle) it is kept in, and the
//! [report](text()) for people, which is made from the document alone so that a bundle can be shown again later.
//!
//! Nothing here measures, judges or prints: figures come from `benchhost-core`, text is returned.

mod bundle;
pub mod document;
mod text;
pub mod units;

pub use bundle::{Bundle, BundleError, RUN_FILE};
pub use document::{Document, HostFacts, PluginFacts, PluginRole};
pub use text::{Style, text};

/// The JSON Schema (2020-12) of `run.json`.
pub const SCHEMA: &str = include_str!("../schema/run-1.schema.json");
