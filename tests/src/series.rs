//! `intervals.csv` as a spreadsheet reads it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

/// The lines of a series, by column.
#[derive(Debug, Clone)]
pub struct Series(Vec<BTreeMap<String, String>>);

impl Series {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// It is not there, has no header, or a line has more or fewer cells than that.
    pub fn read(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().context("a series without a header")?.split(',').collect();
        let lines = lines.map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            ensure!(cells.len() == names.len(), "{} cells where {} are named: {line}", cells.len(), names.len());
            Ok(names.iter().zip(cells).map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect())
        });
        lines.collect::<Result<_>>().map(Self)
    }

    /// The lines of a phase.
    #[must_use]
    pub fn of(&self, phase: &str) -> Self {
        Self(self.0.iter().filter(|line| line.get("phase").is_some_and(|name| name == phase)).cloned().collect())
    }

    /// How many lines there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no line.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The cells of a column, which are all of this type.
    ///
    /// # Errors
    ///
    /// There is no such column, or a cell is something else.
    pub fn column<T: std::str::FromStr>(&self, name: &str) -> Result<Vec<T>> {
        let cells = self.0.iter().map(|line| {
            let cell = line.get(name).with_context(|| format!("the series has no column {name}"))?;
            cell.parse().ok().with_context(|| format!("`{cell}` is no value of {name}"))
        });
        cells.collect()
    }

    /// The sum of a column of counts.
    ///
    /// # Errors
    ///
    /// There is no such column, or a cell is no count.
    pub fn sum(&self, name: &str) -> Result<u64> {
        Ok(self.column::<u64>(name)?.iter().sum())
    }
}
