//! QuestDB over line protocol (ILP over HTTP). A request with a bad line is refused whole.

use benchhost_plugin::lp::{Precision, Writer};
use benchhost_plugin::text::sql_identifier;
use benchhost_plugin::{
    Ack, Batch, Client, DataType, Error, Payload, Query, Response, Result, Secret, Table, Target, export_target, log,
    server_facts, time,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// What a column that QuestDB makes by itself keeps of a time; finer ones would be cut silently.
const PRECISION: Precision = Precision::Us;
/// The name that QuestDB gives the time column of such a table.
const TIME: &str = "timestamp";

/// What a user can set.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Settings {
    /// URL of the server: `http://host:port`.
    pub endpoint: String,
    /// User name, where the server asks for one.
    pub user: Option<String>,
    /// Password of `user`.
    pub password: Option<Secret>,
    /// Compress requests with gzip.
    #[serde(default)]
    pub gzip: bool,
}

/// A session.
pub struct QuestDb {
    client: Client,
    writer: Writer,
    gzip: bool,
    checked: bool,
}

export_target!(QuestDb);

impl Target for QuestDb {
    type Settings = Settings;
    const NAME: &'static str = "questdb";
    const SUMMARY: &'static str = "QuestDB over line protocol";

    fn open(settings: Settings, _worker: Option<u32>) -> Result<Self> {
        let client = Client::connect(&settings.endpoint)?;
        client.authorize(settings.user.as_deref(), settings.password.as_ref())?;
        let path = Query::new("/write").with("precision", PRECISION.as_str());
        let writer = Writer::new(&client, &path, PRECISION, settings.gzip)?.doubling_backslashes();
        Ok(Self { client, writer, gzip: settings.gzip, checked: false })
    }

    fn server(&mut self) -> Result<Vec<(String, String)>> {
        let doing = "ask for the version at `/settings`";
        let answer = self.client.call("GET", &Query::new("/settings"))?.success(doing).map_err(advised)?.json(doing)?;
        let version = answer["config"]["release.version"].as_str().unwrap_or("unknown");
        Ok(server_facts([
            ("product", "QuestDB".to_owned()),
            ("version", version.to_owned()),
            ("precision", PRECISION.as_str().to_owned()),
            ("gzip", self.gzip.to_string()),
        ]))
    }

    /// QuestDB makes a table at its first row; what it could never store is refused here.
    fn create_table(&mut self, table: &Table) -> Result<()> {
        warn_of_lossy_columns(table);
        check_columns(table)
    }

    fn drop_table(&mut self, table: &Table) -> Result<()> {
        let doing = "drop the table";
        let response = self.exec(&format!("DROP TABLE IF EXISTS {}", sql_identifier(&table.name)))?;
        response.success(doing).map_err(advised).map(drop)
    }

    fn count_rows(&mut self, table: &Table, start_ns: i64, end_ns: i64) -> Result<u64> {
        let doing = "count rows";
        let name = sql_identifier(&table.name);
        let (start, end) = (literal(start_ns), literal(end_ns));
        let statement = format!("SELECT count() FROM {name} WHERE {TIME} >= '{start}' AND {TIME} < '{end}'");
        let response = self.exec(&statement)?;
        if matches!(response.status(), 400 | 404) && response.text().contains("table does not exist") {
            return Ok(0);
        }
        let answer = response.success(doing).map_err(advised)?.json(doing)?;
        let count = answer["dataset"][0][0].as_u64();
        count.ok_or_else(|| {
            Error::internal(format!("{doing}: the server's answer has no count: {}", Value::to_string(&answer)))
        })
    }

    fn encode(&mut self, batch: &Batch) -> Result<Payload> {
        // Once a session: asking for the table costs more than all the rest of this call.
        if !self.checked {
            check_columns(&batch.table())?;
            self.checked = true;
        }
        self.writer.encode(batch)
    }

    fn send(&mut self, payload: &Payload) -> Result<Ack> {
        self.writer.send(payload).map_err(advised)
    }
}

impl QuestDb {
    /// Runs a statement.
    fn exec(&self, statement: &str) -> Result<Response> {
        self.client.call("GET", &Query::new("/exec").with("query", statement))
    }
}

/// Refuses columns that QuestDB has no type for in line protocol.
fn check_columns(table: &Table) -> Result<()> {
    match table.fields().find(|field| field.data_type.is_unsigned()) {
        Some(field) => Err(Error::unsupported(format!(
            "column `{}` of table `{}` is unsigned: QuestDB has no unsigned integers",
            field.name, table.name
        ))),
        None => Ok(()),
    }
}

/// Says which values QuestDB will not give back as they were written. That it takes the smallest 64-bit integer for NULL is too rare to
/// be told at every run.
fn warn_of_lossy_columns(table: &Table) {
    for field in table.fields().filter(|field| field.data_type == DataType::Boolean && field.nullable) {
        log::warn(&format!(
            "QuestDB has no NULL in booleans and stores false (column `{}` of table `{}`)",
            field.name, table.name
        ));
    }
}

/// The first microsecond that is not before `ns`, as QuestDB reads it.
fn literal(ns: i64) -> String {
    let past = ns.rem_euclid(1000);
    let up = if past == 0 { ns } else { ns.saturating_add(1000 - past) };
    let text = time::rfc3339(up);
    // Nine digits to six.
    format!("{}Z", &text[..text.len() - "000Z".len()])
}

/// What to do about the commonest refusal.
fn advised(error: Error) -> Error {
    error.advise_if_refused("check `user` and `password`")
}

#[cfg(test)]
mod tests;
