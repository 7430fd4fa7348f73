//! What a generator plugin is: one trait.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{BatchBuilder, Result};

pub use crate::bindings::generator::exports::benchhost::plugin::dataset::Facts;

/// A source of rows. [`export_generator!`](crate::export_generator) makes a plugin of the type.
pub trait Generator: Sized + 'static {
    /// What a user can set. Its documentation becomes the help text.
    type Settings: DeserializeOwned + JsonSchema;
    /// The name that a user types; lower case.
    const NAME: &'static str;
    /// What it is, in one line.
    const SUMMARY: &'static str;

    /// An instance, and what the dataset is with these settings. The same settings and seed give the same rows.
    ///
    /// # Errors
    ///
    /// `invalid` for settings that contradict each other.
    fn open(settings: Self::Settings, seed: u64) -> Result<(Self, Facts)>;

    /// Writes `rows` rows of table number `table` (from 0), from `first_row` on: every column that is not nullable,
    /// exactly `rows` values each.
    ///
    /// # Errors
    ///
    /// `invalid` for rows that the dataset does not have.
    fn fill(&mut self, table: u32, first_row: u64, rows: u32, into: &BatchBuilder) -> Result<()>;
}
