//! `run.json` as a script reads it: by path, without the program's own types.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

/// A parsed result.
#[derive(Debug, Clone, PartialEq)]
pub struct Document(pub Value);

/// The four counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// `counts.rows.sent`.
    pub sent: u64,
    /// `counts.rows.acknowledged`.
    pub acknowledged: u64,
    /// `counts.rows.unknown`.
    pub unknown: u64,
    /// `counts.rows.stored`, if it is there.
    pub stored: Option<u64>,
}

impl Rows {
    /// The counts of a run without any loss.
    #[must_use]
    pub fn all(rows: u64) -> Self {
        Self { sent: rows, acknowledged: rows, unknown: 0, stored: Some(rows) }
    }
}

impl Document {
    /// Reads a document.
    ///
    /// # Errors
    ///
    /// It is not JSON.
    pub fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text).map(Self).with_context(|| format!("not one JSON document:\n{text}"))
    }

    /// What stands at a path such as `counts.rows.sent` or `errors.0.kind`; null where there is nothing.
    #[must_use]
    pub fn at(&self, path: &str) -> &Value {
        let pointer = format!("/{}", path.replace('.', "/"));
        self.0.pointer(&pointer).unwrap_or(&Value::Null)
    }

    /// A count.
    ///
    /// # Errors
    ///
    /// There is none at that path.
    pub fn count(&self, path: &str) -> Result<u64> {
        self.at(path).as_u64().with_context(|| format!("no count at {path} of {}", self.0))
    }

    /// A text.
    ///
    /// # Errors
    ///
    /// There is none at that path.
    pub fn text(&self, path: &str) -> Result<&str> {
        self.at(path).as_str().with_context(|| format!("no text at {path} of {}", self.0))
    }

    /// The four counts.
    ///
    /// # Errors
    ///
    /// One of the first three is missing.
    pub fn rows(&self) -> Result<Rows> {
        Ok(Rows {
            sent: self.count("counts.rows.sent")?,
            acknowledged: self.count("counts.rows.acknowledged")?,
            unknown: self.count("counts.rows.unknown")?,
            stored: self.at("counts.rows.stored").as_u64(),
        })
    }

    /// The verdict's word.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn verdict(&self) -> Result<&str> {
        self.text("verdict.status")
    }

    /// Whether nothing speaks against the run but the speed of the machine that it was made on.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        const MACHINE: [&str; 4] = ["drift", "client-busy", "client-share", "headroom"];
        let reasons = self.at("verdict.reasons").as_array().map_or(&[][..], Vec::as_slice);
        reasons.iter().all(|reason| {
            reason["weight"] == "valid"
                || MACHINE.iter().any(|code| reason["code"] == *code && reason["weight"] != "invalid")
        })
    }

    /// Passes when not one of the rows was lost, doubted or doubled, and the run is valid, or doubted only for what a busy machine does
    /// to a short run.
    ///
    /// # Errors
    ///
    /// Anything is otherwise; the message has the whole document.
    pub fn expect_all(&self, rows: u64) -> Result<&Self> {
        if self.is_sound() && self.rows()? == Rows::all(rows) && self.at("partial").is_null() {
            return Ok(self);
        }
        bail!("not a valid run of {rows} rows: {:#}", self.0)
    }

    /// The codes of the verdict's reasons, but for the note that a run was short: that is the machine's doing.
    #[must_use]
    pub fn reasons(&self) -> Vec<&str> {
        let reasons = self.at("verdict.reasons").as_array().map_or(&[][..], Vec::as_slice);
        let codes = reasons.iter().filter_map(|reason| reason["code"].as_str());
        codes.filter(|code| *code != "short").collect()
    }

    /// How often each kind and code of error came: `("rejected", "400", 3)`.
    #[must_use]
    pub fn errors(&self) -> Vec<(&str, &str, u64)> {
        let errors = self.at("errors").as_array().map_or(&[][..], Vec::as_slice);
        errors
            .iter()
            .filter_map(|error| {
                Some((error["kind"].as_str()?, error["code"].as_str().unwrap_or(""), error["count"].as_u64()?))
            })
            .collect()
    }
}
