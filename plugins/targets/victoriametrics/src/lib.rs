//! VictoriaMetrics over line protocol. It stores numbers: each field becomes a metric `<table>_<field>` of its own,
//! tags become labels, times are kept in milliseconds.

mod metrics;
mod promql;

use benchhost_plugin::lp::{Precision, Writer};
use benchhost_plugin::{
    Ack, Batch, Client, Error, Payload, Query, Response, Result, Secret, Table, Target, export_target, log,
    server_facts,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// What the server keeps; finer times would be cut silently.
const PRECISION: Precision = Precision::Ms;

/// What a user can set.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Settings {
    /// URL of the server: `http://host:port`.
    pub endpoint: String,
    /// Value of the label `db` that every series gets; none by default.
    pub database: Option<String>,
    /// User name, where the server asks for one.
    pub user: Option<String>,
    /// Password of `user`.
    pub password: Option<Secret>,
    /// Compress requests with gzip.
    #[serde(default)]
    pub gzip: bool,
}

/// A session.
pub struct VictoriaMetrics {
    client: Client,
    writer: Writer,
    database: Option<String>,
    gzip: bool,
}

export_target!(VictoriaMetrics);

impl Target for VictoriaMetrics {
    type Settings = Settings;
    const NAME: &'static str = "victoriametrics";
    const SUMMARY: &'static str = "VictoriaMetrics over line protocol";

    fn open(settings: Settings, _worker: Option<u32>) -> Result<Self> {
        let client = Client::connect(&settings.endpoint)?;
        client.authorize(settings.user.as_deref(), settings.password.as_ref())?;
        let Settings { database, gzip, .. } = settings;
        let path = Query::new("/write").with_some("db", database.as_deref()).with("precision", PRECISION.as_str());
        let writer = Writer::new(&client, &path, PRECISION, gzip)?.doubling_backslashes();
        Ok(Self { client, writer, database, gzip })
    }

    fn server(&mut self) -> Result<Vec<(String, String)>> {
        let response = self.ask("GET", &Query::new("/metrics"), "ask for the version at `/metrics`")?;
        let metrics = response.text();
        let version = metrics::label(&metrics, "vm_app_version", "", "short_version")
            .filter(|version| !version.is_empty())
            .or_else(|| metrics::label(&metrics, "vm_app_version", "", "version"));
        let retention = metrics::label(&metrics, "flag", "name=\"retentionPeriod\"", "value");
        let facts = [
            ("product", "VictoriaMetrics".to_owned()),
            ("version", version.unwrap_or_else(|| "unknown".into())),
            // Older rows are acknowledged and dropped.
            ("retention", retention.unwrap_or_else(|| "unknown".into())),
            ("precision", PRECISION.as_str().to_owned()),
            ("gzip", self.gzip.to_string()),
        ];
        Ok(server_facts(facts))
    }

    /// VictoriaMetrics makes series at their first row; what it would change on the way is said here.
    fn create_table(&mut self, table: &Table) -> Result<()> {
        let changed: Vec<&str> =
            table.fields().filter(|field| !field.data_type.is_number()).map(|field| field.name.as_str()).collect();
        if !changed.is_empty() {
            log::warn(&format!(
                "VictoriaMetrics stores numbers only: booleans become 0 or 1 and text becomes 0 (columns {} of table `{}`)",
                changed.join(", "),
                table.name
            ));
        }
        Ok(())
    }

    fn drop_table(&mut self, table: &Table) -> Result<()> {
        let series = promql::all_metrics(table, self.database.as_deref());
        let query = Query::new("/api/v1/admin/tsdb/delete_series").with("match[]", &series);
        self.ask("POST", &query, "delete the series").map(drop)
    }

    fn count_rows(&mut self, table: &Table, start_ns: i64, end_ns: i64) -> Result<u64> {
        let doing = "count rows";
        // Rows become visible to queries about a second after they were written, or at once after this.
        self.ask("GET", &Query::new("/internal/force_flush"), "flush before counting")?;
        let mut most = 0;
        for field in table.countable_fields() {
            let metric = promql::one_metric(table, field, self.database.as_deref());
            let Some(count) = promql::count(&metric, start_ns, end_ns) else { return Ok(0) };
            // Without `nocache`, times close to now are moved.
            let query =
                Query::new("/api/v1/query").with("query", &count.query).with("time", &count.time).with("nocache", "1");
            let answer = self.ask("GET", &query, doing)?.json(doing)?;
            if answer["status"] != "success" {
                return Err(Error::rejected(format!(
                    "{doing}: {}",
                    answer["error"].as_str().unwrap_or("no reason given")
                )));
            }
            // No series: no row in the range.
            let value = answer["data"]["result"][0]["value"][1].as_str().and_then(|text| text.parse::<f64>().ok());
            most = most.max(value.unwrap_or(0.0) as u64);
        }
        Ok(most)
    }

    fn encode(&mut self, batch: &Batch) -> Result<Payload> {
        self.writer.encode(batch)
    }

    fn send(&mut self, payload: &Payload) -> Result<Ack> {
        self.writer.send(payload).map_err(advised)
    }
}

impl VictoriaMetrics {
    /// A request that must succeed; `doing` says what it is for.
    fn ask(&self, method: &str, query: &Query, doing: &str) -> Result<Response> {
        self.client.call(method, query)?.success(doing).map_err(advised)
    }
}

/// What to do about the commonest refusal.
fn advised(error: Error) -> Error {
    error.advise_if_refused("check `user` and `password`")
}

#[cfg(test)]
mod tests;
