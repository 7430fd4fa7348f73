//! What a user can set: what of the dataset a server can take.

use benchhost_plugin::TimeUnit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a user can set.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Settings {
    /// Name of the table.
    #[serde(default = "default_table")]
    pub table: String,
    /// Names of the columns.
    #[serde(default)]
    pub names: Names,
    /// Unit of the timestamp column; rows are one unit apart.
    #[serde(default)]
    pub unit: Unit,
    /// Columns of unsigned integers, which some servers lack.
    #[serde(default = "yes")]
    pub unsigned: bool,
    /// The columns `boolean` and `utf8`, which servers of numbers lack.
    #[serde(default = "yes")]
    pub text: bool,
    /// Rows without a value in every column but `sequence` and two tags.
    #[serde(default = "yes")]
    pub nulls: bool,
    /// Backslashes in tag values; servers differ in how they read those in line protocol.
    #[serde(default = "yes")]
    pub backslashes: bool,
    /// Newlines in the column `utf8`.
    #[serde(default)]
    pub newlines: bool,
}

/// Names of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Names {
    /// Letters and digits.
    #[default]
    Plain,
    /// With spaces, commas, equals signs, quotes and other letters than English ones.
    Awkward,
}

/// Unit of the timestamp column. It is not called `precision`, because targets have a setting of that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Seconds.
    S,
    /// Milliseconds.
    Ms,
    /// Microseconds.
    Us,
    /// Nanoseconds.
    #[default]
    Ns,
}

impl Unit {
    /// As a column says it.
    pub(crate) fn time_unit(self) -> TimeUnit {
        match self {
            Self::S => TimeUnit::Second,
            Self::Ms => TimeUnit::Millisecond,
            Self::Us => TimeUnit::Microsecond,
            Self::Ns => TimeUnit::Nanosecond,
        }
    }

    /// Nanoseconds of one unit.
    pub(crate) fn nanoseconds(self) -> i64 {
        match self {
            Self::S => 1_000_000_000,
            Self::Ms => 1_000_000,
            Self::Us => 1000,
            Self::Ns => 1,
        }
    }
}

fn default_table() -> String {
    "types".into()
}

fn yes() -> bool {
    true
}
