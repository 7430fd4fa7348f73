//! `suite.json`: every repetition of every run, and the medians. Names are snake_case with their units and are never renamed within a
//! [`SCHEMA_VERSION`]; what was not measured is absent.
//!
//! A repetition whose verdict is invalid, or that has no result at all, is in no median. It is not passed over either: it stands in the list,
//! is counted beside the medians, and decides about the exit code.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;

use super::Suite;
use super::medians::Medians;
use super::repetition::{Outcome, Repetition};
use crate::exit::ExitStatus;

/// Changes when a name goes or changes its meaning; names may be added within a version.
const SCHEMA_VERSION: &str = "1";

/// The whole document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Record {
    /// [`SCHEMA_VERSION`] of the writer.
    pub schema_version: &'static str,
    /// Version of the program.
    pub benchhost_version: &'static str,
    /// The suite's name.
    pub name: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The suite's file, as the user named it.
    pub file: PathBuf,
    /// When it began: RFC 3339, UTC.
    pub started_at: String,
    /// How it came to its end.
    pub ended: Ended,
    /// Repetitions that were asked for, of every run.
    pub runs: u32,
    /// The runs, in the order of the file.
    pub entries: Vec<EntryRecord>,
}

/// How a suite came to its end, if it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ended {
    /// Every repetition took place.
    Complete,
    /// The user stopped it.
    Interrupted,
    /// It has not, or its process was killed.
    Running,
}

/// One run and its repetitions so far.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct EntryRecord {
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Repetitions by what became of them.
    pub verdicts: Verdicts,
    /// Of the repetitions that are valid or suspect; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median: Option<Medians>,
    /// In the order in which they ran.
    pub repetitions: Vec<Repetition>,
}

/// How many repetitions ended how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Verdicts {
    /// Fit to be quoted.
    pub valid: u32,
    /// To be quoted with care.
    pub suspect: u32,
    /// Not to be quoted.
    pub invalid: u32,
    /// Nothing was measured.
    pub no_result: u32,
}

impl Record {
    /// The record of a suite that begins.
    pub(crate) fn new(suite: &Suite, file: &Path, now: SystemTime) -> Self {
        let entries = suite.entries.iter().map(|entry| EntryRecord {
            name: entry.name.clone(),
            about: entry.about.clone(),
            verdicts: Verdicts::default(),
            median: None,
            repetitions: Vec::new(),
        });
        Self {
            schema_version: SCHEMA_VERSION,
            benchhost_version: env!("CARGO_PKG_VERSION"),
            name: suite.name.clone(),
            about: suite.about.clone(),
            file: file.into(),
            started_at: humantime::format_rfc3339_millis(now).to_string(),
            ended: Ended::Running,
            runs: suite.runs,
            entries: entries.collect(),
        }
    }

    /// Takes a repetition in.
    pub(crate) fn add(&mut self, run: usize, repetition: Repetition) {
        let Some(entry) = self.entries.get_mut(run) else { return };
        let count = match repetition.outcome {
            Outcome::Valid => &mut entry.verdicts.valid,
            Outcome::Suspect => &mut entry.verdicts.suspect,
            Outcome::Invalid => &mut entry.verdicts.invalid,
            Outcome::NoResult => &mut entry.verdicts.no_result,
        };
        *count += 1;
        entry.repetitions.push(repetition);
        entry.median = Medians::of(&entry.repetitions);
    }

    /// The worst answer of all repetitions.
    pub(crate) fn status(&self) -> ExitStatus {
        let repetitions = self.entries.iter().flat_map(|entry| &entry.repetitions);
        let worst = repetitions
            .map(|repetition| ExitStatus::of_process(repetition.exit_code))
            .fold(ExitStatus::Success, ExitStatus::worse);
        if self.ended == Ended::Interrupted { ExitStatus::Interrupted } else { worst }
    }
}

#[cfg(test)]
mod tests;
