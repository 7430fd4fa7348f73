//! What a suite would run: the document that `suite show` and `--dry-run` print.

use serde::Serialize;
use toml::Table;

use super::{Overrides, Suite, turns};

/// A suite and the order of its repetitions.
#[derive(Debug, Serialize)]
pub(crate) struct Planned<'a> {
    /// The suite's name.
    pub name: &'a str,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<&'a str>,
    /// Repetitions of every run.
    pub runs: u32,
    /// The runs.
    pub entries: Vec<RunPlanned<'a>>,
    /// All repetitions in their order, by the names of their folders.
    pub order: Vec<String>,
}

/// One run of it.
#[derive(Debug, Serialize)]
pub(crate) struct RunPlanned<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<&'a str>,
    /// What `benchhost run --config` gets.
    pub config: &'a Table,
    /// What the command line adds to it.
    pub flags: Vec<String>,
}

impl<'a> Planned<'a> {
    /// The plan of a suite.
    pub(crate) fn new(suite: &'a Suite, overrides: &Overrides) -> Self {
        let entries = suite.entries.iter().map(|entry| RunPlanned {
            name: &entry.name,
            about: entry.about.as_deref(),
            config: &entry.config,
            flags: overrides.words(entry),
        });
        Self {
            name: &suite.name,
            about: suite.about.as_deref(),
            runs: suite.runs,
            entries: entries.collect(),
            order: turns(suite.entries.len(), suite.runs)
                .map(|turn| folder_name(&suite.entries[turn.run].name, turn.repetition))
                .collect(),
        }
    }
}

/// The folder of a repetition, in the suite's.
pub(crate) fn folder_name(run: &str, repetition: u32) -> String {
    format!("{run}-{repetition}")
}
