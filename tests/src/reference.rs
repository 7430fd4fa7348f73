//! The embedded reference server, started as a user does: `benchhost serve`.

use anyhow::Result;
use serde_json::Value;
use xtask::http;

use crate::program;
use crate::serving::Serving;
use crate::stored::{Stored, sql};

/// A running reference server on free ports.
#[derive(Debug)]
pub struct Reference(Serving);

impl Reference {
    /// Starts one, with these further arguments, separated by spaces.
    ///
    /// # Errors
    ///
    /// There is no program to start, or it is not ready in time.
    pub fn start(arguments: &str) -> Result<Self> {
        let mut command = program::command()?;
        command.args(["serve", "--until-stdin-closes"]).args(arguments.split_whitespace());
        Serving::start(command).map(Self)
    }

    /// Its address for HTTP.
    #[must_use]
    pub fn http(&self) -> &str {
        &self.0.http
    }

    /// Its address for gRPC.
    #[must_use]
    pub fn grpc(&self) -> &str {
        &self.0.grpc
    }

    /// Runs a statement in a database.
    ///
    /// # Errors
    ///
    /// The server refuses it; the message has its words.
    pub fn sql(&self, database: &str, statement: &str) -> Result<Stored> {
        sql(self.http(), database, statement)
    }

    /// What it says about itself beside the protocols: rows received and distinct rows of each table.
    ///
    /// # Errors
    ///
    /// It does not answer, or not in JSON.
    pub fn truth(&self) -> Result<Value> {
        Ok(serde_json::from_slice(&http::get(format!("{}/truth", self.http())).send()?.body)?)
    }
}
