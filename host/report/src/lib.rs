//! What a run leaves behind: the [document](Document) that is `run.json`, the [bundle](Bundle) it is kept in with its series and
//! histograms, and the [report](text()) for people, which is made from the document alone so that a bundle can be [shown](show) again
//! later. A [`BundleWriter`] writes a bundle as its run goes on; [`merge()`] makes one of several that ran at the same time.
//!
//! Nothing here measures, judges or prints: figures come from `benchhost-core`, text is returned.

mod bundle;
pub mod document;
mod histogram_log;
mod interval_csv;
mod merge;
mod percentile_distribution;
mod read;
mod text;
pub mod units;
mod writer;

pub use bundle::{Bundle, BundleError, INTERVALS_FILE, LOG_FILE, RUN_FILE};
pub use document::{Document, HostFacts, PluginFacts, PluginRole};
pub use histogram_log::LogError;
pub use merge::{MergeError, Merged, merge};
pub use percentile_distribution::percentile_distribution;
pub use read::{ReadError, histograms, show};
pub use text::{Style, text};
pub use writer::BundleWriter;

/// The JSON Schema (2020-12) of `run.json`.
pub const SCHEMA: &str = include_str!("../schema/run-1.schema.json");
