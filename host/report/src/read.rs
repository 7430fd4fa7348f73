//! Reading a bundle back, of a run that ended or of one that was killed.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use benchhost_stats::{Exact, Histogram};
use serde::Deserialize;

use crate::bundle::{LOG_FILE, RUN_FILE};
use crate::document::{Document, Figures, SCHEMA_VERSION, StepFigures, WRITE, kinds};
use crate::histogram_log::{self, LogError, Tags, WARMUP, tag};

/// Why a bundle cannot be read. Each message names the file and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// There is no document in the folder, or no folder.
    #[error("`{}` is no result of a run: it holds no {RUN_FILE}; give the folder that a run was told to write to with -o", .folder.display())]
    NoBundle {
        /// The folder.
        folder: PathBuf,
    },
    /// A file of the bundle cannot be read.
    #[error("cannot read `{}`: {cause}; check its permissions", .file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The document is not what its schema says.
    #[error("`{}` is broken: {cause}; take it from a backup, or run it again", .file.display())]
    Broken {
        /// The file.
        file: PathBuf,
        /// Where and why.
        cause: serde_json::Error,
    },
    /// The document has names that this version does not know the meaning of.
    #[error("`{}` has schema version {version}, and this benchhost reads version {SCHEMA_VERSION}; use the benchhost that wrote it, or a newer one", .file.display())]
    OtherSchema {
        /// The file.
        file: PathBuf,
        /// Its version.
        version: String,
    },
    /// The log of histograms cannot be read.
    #[error("`{}` is broken: {cause}; take it from a backup, or run it again", .file.display())]
    Log {
        /// The file.
        file: PathBuf,
        /// Where and why.
        cause: LogError,
    },
}

/// The document of a bundle.
///
/// # Errors
///
/// When the folder is no bundle, its document is broken, or another version wrote it.
pub fn show(folder: &Path) -> Result<Document, ReadError> {
    let file = folder.join(RUN_FILE);
    let text = std::fs::read_to_string(&file).map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::NoBundle { folder: folder.into() },
        _ => ReadError::Unreadable { file: file.clone(), cause },
    })?;
    // The version first: a document of another one may lack what this one needs, and is not broken for that.
    let broken = |cause| ReadError::Broken { file: file.clone(), cause };
    let Versioned { schema_version } = serde_json::from_str(&text).map_err(broken)?;
    if schema_version != SCHEMA_VERSION {
        return Err(ReadError::OtherSchema { file, version: schema_version });
    }
    serde_json::from_str(&text).map_err(broken)
}

#[derive(Deserialize)]
struct Versioned {
    schema_version: String,
}

/// The histograms of a bundle by their tags in its log, such as `write.service`. Minimum, maximum and mean are exact where the document
/// knows them.
///
/// # Errors
///
/// When the log cannot be read or is broken. A last line that was not written to its end is left out.
pub fn histograms(folder: &Path, document: &Document) -> Result<BTreeMap<String, Histogram>, ReadError> {
    let file = folder.join(LOG_FILE);
    let log = std::fs::read(&file).map_err(|cause| ReadError::Unreadable { file: file.clone(), cause })?;
    let logged = histogram_log::read(&log).map_err(|cause| ReadError::Log { file: file.clone(), cause })?;
    let figures = by_tag(document);
    let mut histograms = BTreeMap::new();
    for (number, (tag, hdr)) in logged.into_iter().enumerate() {
        // The document of a run that was killed may be an interval behind its log.
        let exact = figures.get(&tag).filter(|figures| figures.count == hdr.len()).and_then(exact);
        let Some(histogram) = Histogram::from_hdr(&hdr, exact) else {
            let cause = "it has longer durations than an hour".to_owned();
            return Err(ReadError::Log { file, cause: LogError::Histogram { number: number + 1, tag, cause } });
        };
        histograms.insert(tag, histogram);
    }
    Ok(histograms)
}

/// The document's figures by the tags of their histograms.
pub(crate) fn by_tag(document: &Document) -> BTreeMap<String, Figures> {
    let tags = Tags::of_document(document);
    let steps = document.steps.iter().enumerate().filter_map(|(index, step)| Some((tags.step(index)?, step)));
    let stretches = document.warmup.iter().map(|warmup| (WARMUP, warmup)).chain(steps);
    let figures = |step: &StepFigures, kind| {
        let of = step.latency.get(kind).or_else(|| step.spans.get(kind))?;
        of.get(WRITE).copied()
    };
    stretches
        .flat_map(|(prefix, step)| kinds::all().filter_map(move |kind| Some((tag(prefix, kind), figures(step, kind)?))))
        .collect()
}

fn exact(figures: &Figures) -> Option<Exact> {
    let sum = figures.mean_ns? * figures.count as f64;
    Some(Exact { min: figures.min_ns?, max: figures.max_ns?, sum: sum.round() as u128, saturated: figures.saturated })
}
