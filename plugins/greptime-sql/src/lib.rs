//! GreptimeDB over SQL and HTTP: making, dropping, describing and counting tables. The plugins that write to it, each in a protocol of its own, share this.
//! It writes no row.

mod columns;
mod statement;

use benchhost_plugin::text::percent_encode;
use benchhost_plugin::{Client, Error, Header, Payload, Query, Response, Result, Secret, Table, text};
use serde_json::Value;

pub use columns::{StoredColumn, sql_type};
pub use statement::TimeColumn;

/// The database that every server has.
pub const DEFAULT_DATABASE: &str = "public";

/// Bytes of the server's words in a message.
const WORDS: usize = 500;
/// Codes of GreptimeDB for a table and for a database that is not there.
const ABSENCE: [&str; 2] = ["4001", "4004"];

/// A way to ask one database of a server.
#[derive(Debug)]
pub struct Sql {
    client: Client,
    database: String,
}

impl Sql {
    /// A way to ask `database` at `endpoint` (`http://host:port`), as `user` if there is one.
    ///
    /// # Errors
    ///
    /// Those of the connection; `invalid` for an empty database, and for a password without a user.
    pub fn connect(endpoint: &str, database: &str, user: Option<&str>, password: Option<&Secret>) -> Result<Self> {
        if database.is_empty() {
            return Err(Error::invalid("setting `database`: the name is empty"));
        }
        let client = Client::connect(endpoint)?;
        client.authorize(user, password)?;
        Ok(Self { client, database: database.to_owned() })
    }

    /// The version that the server says; none when it says nothing.
    ///
    /// # Errors
    ///
    /// Those of the connection; any answer of the server is `Ok`.
    pub fn version(&self) -> Result<Option<String>> {
        let answer = self.client.call("GET", &Query::new("/status"))?;
        let status: Option<Value> = serde_json::from_str(&answer.text()).ok();
        Ok(status.and_then(|status| status["version"].as_str().map(str::to_owned)))
    }

    /// Makes the database and the table, unless they exist. `options` go into `WITH`, name and value.
    ///
    /// # Errors
    ///
    /// What the server or the connection says; `unsupported` for a column that it has no type for.
    pub fn create_table(&self, table: &Table, options: &[(&str, String)]) -> Result<()> {
        let statement = statement::create_table(table, options)?;
        self.create_database()?;
        self.run(&self.database, "create the table", &statement).map(drop)
    }

    /// Makes the database, unless it exists.
    ///
    /// # Errors
    ///
    /// What the server or the connection says.
    pub fn create_database(&self) -> Result<()> {
        if self.database == DEFAULT_DATABASE {
            return Ok(());
        }
        let statement = format!("CREATE DATABASE IF NOT EXISTS {}", text::sql_identifier(&self.database));
        self.run(DEFAULT_DATABASE, "create the database", &statement).map(drop)
    }

    /// Removes the table, if there is one.
    ///
    /// # Errors
    ///
    /// What the server or the connection says.
    pub fn drop_table(&self, name: &str) -> Result<()> {
        let statement = format!("DROP TABLE IF EXISTS {}", text::sql_identifier(name));
        match self.run(&self.database, "drop the table", &statement) {
            Err(error) if is_absence(&error) => Ok(()),
            other => other.map(drop),
        }
    }

    /// Rows of the table whose time is from `start_ns` to before `end_ns`, in nanoseconds since the Unix epoch; 0 where there is no such table.
    ///
    /// # Errors
    ///
    /// What the server or the connection says.
    pub fn count_rows(&self, name: &str, time: &TimeColumn, start_ns: i64, end_ns: i64) -> Result<u64> {
        let doing = "count rows";
        let statement = statement::count(name, time, start_ns, end_ns);
        let answer = match self.run(&self.database, doing, &statement) {
            Err(error) if is_absence(&error) => return Ok(0),
            other => other?,
        };
        let rows = answer["output"][0]["records"]["rows"][0][0].as_u64();
        rows.ok_or_else(|| Error::internal(format!("{doing}: the server's answer has no count: {}", shown(&answer))))
    }

    /// The columns that the table has on the server; none where there is no such table.
    ///
    /// # Errors
    ///
    /// What the server or the connection says.
    pub fn columns(&self, name: &str) -> Result<Option<Vec<StoredColumn>>> {
        let statement = format!("DESC TABLE {}", text::sql_identifier(name));
        match self.run(&self.database, "describe the table", &statement) {
            Err(error) if is_absence(&error) => Ok(None),
            other => Ok(Some(columns::described(&other?))),
        }
    }

    fn run(&self, database: &str, doing: &str, statement: &str) -> Result<Value> {
        let query = Query::new("/v1/sql").with("db", database);
        let body = Payload::from_bytes(format!("sql={}", percent_encode(statement)).as_bytes(), 0);
        let form = Header::new("content-type", "application/x-www-form-urlencoded");
        let answer = self.client.send("POST", query.as_str(), &[form], Some(&body))?;
        if answer.is_success() { answer.json(doing) } else { Err(refusal(&answer, doing)) }
    }
}

/// What the server says when it does not do something over HTTP: its own code where it gives one, else the HTTP status.
#[must_use]
pub fn refusal(answer: &Response, doing: &str) -> Error {
    let error = answer.error(doing).advise_if_refused("check `user` and `password`");
    let in_body = || serde_json::from_str::<Value>(&answer.text()).ok()?["code"].as_u64().map(|code| code.to_string());
    match answer.header("x-greptime-err-code").or_else(in_body) {
        Some(code) => error.with_code(code),
        None => error,
    }
}

/// Whether the server only said that there is no such table or database.
fn is_absence(error: &Error) -> bool {
    error.code.as_deref().is_some_and(|code| ABSENCE.contains(&code))
}

fn shown(answer: &Value) -> String {
    text::shorten(&answer.to_string(), WORDS)
}

#[cfg(test)]
mod tests;
