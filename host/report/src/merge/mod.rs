//! One result of several bundles: the parts of one load that ran at the same time, from several machines.
//!
//! Such parts add up: rates and counts are sums, the measured time is that of the union, and percentiles come from the merged
//! histograms, never from percentiles. The verdict is the worst of all, because one bad part spoils the sum.

mod alike;
mod combine;
mod steps;
mod when;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use benchhost_stats::Histogram;

use crate::bundle::{Bundle, BundleError, LOG_FILE};
use crate::document::Document;
use crate::histogram_log::LogWriter;
use crate::read::{ReadError, by_tag, histograms, show};

/// Why bundles cannot be merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// No bundle was given.
    #[error("there is nothing to merge; give the folders of two or more runs")]
    Nothing,
    /// A bundle cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The same folder was given more than once.
    #[error("`{}` is given twice, and its work would count twice; give each folder once", .0.display())]
    Twice(PathBuf),
    /// The parts were not of one load.
    #[error(
        "`{other}` is no part of the same load as `{first}`: its {part} is {there}, not {here}; merge runs that differ in seed and endpoint only"
    )]
    Different {
        /// The first part.
        first: String,
        /// The one that differs from it.
        other: String,
        /// What differs, as a path into the plan.
        part: String,
        /// Its value in the first.
        here: String,
        /// Its value in the other.
        there: String,
    },
    /// A search goes its own way on each machine.
    #[error(
        "`{name}` is of a search (--find-max), whose rates are those of one client; merge runs that offer the same load, or look at it alone"
    )]
    Search {
        /// The bundle.
        name: String,
    },
    /// Log and document of a bundle disagree.
    #[error(
        "`{name}` is not complete: its {LOG_FILE} has {logged} samples of {tag}, and its document {counted}; take it from a backup, or leave it out"
    )]
    Incomplete {
        /// The bundle.
        name: String,
        /// The tag of the histogram.
        tag: String,
        /// Samples in the log.
        logged: u64,
        /// Samples in the document.
        counted: u64,
    },
}

/// A bundle that takes part.
pub(crate) struct Source {
    /// Name of its folder; the path where two folders have the same name.
    pub(crate) name: String,
    pub(crate) document: Document,
    pub(crate) histograms: BTreeMap<String, Histogram>,
}

/// What came of merging.
#[derive(Debug)]
pub struct Merged {
    /// The document, whose `parts` tell where it comes from.
    pub document: Document,
    /// The histograms by their tags, such as `write.service`.
    pub histograms: BTreeMap<String, Histogram>,
}

/// Merges bundles.
///
/// # Errors
///
/// When a bundle cannot be read or is not complete, or when they are not parts of one load.
pub fn merge(folders: &[PathBuf]) -> Result<Merged, MergeError> {
    let mut sources = Vec::with_capacity(folders.len());
    for (index, folder) in folders.iter().enumerate() {
        let same = |other: &PathBuf| match (folder.canonicalize(), other.canonicalize()) {
            (Ok(this), Ok(other)) => this == other,
            _ => folder == other,
        };
        if folders[..index].iter().any(same) {
            return Err(MergeError::Twice(folder.clone()));
        }
        sources.push(source(folder, folders)?);
    }
    let (first, others) = sources.split_first().ok_or(MergeError::Nothing)?;
    others.iter().try_for_each(|other| alike::check(first, other))?;
    Ok(combine::all(&sources))
}

fn source(folder: &Path, all: &[PathBuf]) -> Result<Source, MergeError> {
    let document = show(folder)?;
    let histograms = histograms(folder, &document)?;
    let named_so = all.iter().filter(|other| other.file_name() == folder.file_name()).count();
    let name = match folder.file_name() {
        Some(name) if named_so == 1 => name.to_string_lossy().into_owned(),
        _ => folder.display().to_string(),
    };
    let source = Source { name, document, histograms };
    complete(&source)?;
    Ok(source)
}

/// The log of a run that ended has what its document counts. One that was killed may have an interval more.
fn complete(source: &Source) -> Result<(), MergeError> {
    if source.document.ended == crate::document::Ended::Running {
        return Ok(());
    }
    let figures = by_tag(&source.document);
    for tag in figures.keys().chain(source.histograms.keys()) {
        let counted = figures.get(tag).map_or(0, |figures| figures.count);
        let logged = source.histograms.get(tag).map_or(0, Histogram::count);
        if counted != logged {
            return Err(MergeError::Incomplete { name: source.name.clone(), tag: tag.clone(), logged, counted });
        }
    }
    Ok(())
}

impl Merged {
    /// Writes document, log and distributions as a bundle. Gives the path of the document. The series of the parts stay with them.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn write(&self, bundle: &Bundle) -> Result<PathBuf, BundleError> {
        let failed = |cause| bundle.failed(LOG_FILE, cause);
        let file = bundle.new_file(LOG_FILE)?;
        let mut log = LogWriter::start(file, when::started(&self.document)).map_err(failed)?;
        for (tag, histogram) in &self.histograms {
            let (start, length) = when::of_tag(&self.document, tag);
            log.interval(start, length, std::iter::once((tag.clone(), histogram))).map_err(failed)?;
            bundle.write_distribution(tag, histogram)?;
        }
        log.sync().map_err(failed)?;
        bundle.write(&self.document)
    }
}
