//! InfluxDB 1, 2 and 3, GreptimeDB, and what else speaks like them, over line protocol. Which write path is used is the user's choice;
//! how a database is made and rows are counted follows the version of the server.

mod answer;
mod api;
mod greptime;
mod influxql;
mod settings;
mod v2;
mod v3;

use api::Api;
use benchhost_plugin::lp::{self, Writer};
use benchhost_plugin::{
    Ack, Batch, Client, Error, Payload, Query, Result, Table, Target, export_target, log, server_facts,
};
pub use settings::{ApiSetting, Settings};

/// A session: one connection and one write path.
pub struct Influx {
    client: Client,
    settings: Settings,
    api: Api,
    writer: Writer,
    /// What the server says of itself; asked for when it is needed first.
    version: Option<Option<String>>,
}

export_target!(Influx);

impl Target for Influx {
    type Settings = Settings;
    const NAME: &'static str = "influx";
    const SUMMARY: &'static str = "InfluxDB 1, 2 and 3, and GreptimeDB, over line protocol";

    fn open(settings: Settings, _worker: Option<u32>) -> Result<Self> {
        settings.check()?;
        let client = Client::connect(&settings.endpoint)?;
        authorize(&client, &settings, "Token")?;
        let mut version = None;
        let api = match settings.api {
            ApiSetting::V1 => Api::V1,
            ApiSetting::V2 => Api::V2,
            ApiSetting::V3 => Api::V3,
            ApiSetting::Greptime => Api::Greptime,
            ApiSetting::Auto => {
                let known = api::version(&client)?;
                let api = known.as_deref().and_then(Api::of_version);
                version = Some(known);
                api.ok_or_else(|| {
                    Error::unsupported(
                        "the server does not say at `/ping` which InfluxDB it is: set `api` to v1, v2 or v3",
                    )
                })?
            }
        };
        settings.check_for(api)?;
        if api == Api::V3 {
            authorize(&client, &settings, "Bearer")?;
        }
        if version.is_none() && api.depends_on_server(settings.precision) {
            version = Some(api::version(&client)?);
        }
        let server = version.as_ref().and_then(|known| Api::of_version(known.as_deref()?));
        let path = api.write_path(&settings, server)?;
        let writer = Writer::new(&client, &path, settings.precision, settings.gzip)?;
        Ok(Self { client, settings, api, writer, version })
    }

    fn server(&mut self) -> Result<Vec<(String, String)>> {
        let version = self.version()?.unwrap_or_else(|| "unknown".into());
        let mut facts = vec![
            ("product", if self.api == Api::Greptime { "GreptimeDB" } else { "InfluxDB" }.to_owned()),
            ("version", version),
            ("api", self.api.as_str().to_owned()),
            ("precision", self.settings.precision.as_str().to_owned()),
            ("gzip", self.settings.gzip.to_string()),
        ];
        if self.api == Api::V3 {
            facts.push(("accept_partial", self.settings.accept_partial.to_string()));
            facts.push(("no_sync", self.settings.no_sync.to_string()));
        }
        Ok(server_facts(facts))
    }

    fn create_table(&mut self, table: &Table) -> Result<()> {
        if self.api != Api::Greptime && table.fields().all(|field| field.nullable) {
            log::warn(&format!(
                "every field of table `{}` may be NULL: InfluxDB counts values, so rows are counted by the fullest field",
                table.name
            ));
        }
        match self.family()? {
            Api::V1 => influxql::create_database(&self.client, &self.settings),
            Api::V2 => v2::create_bucket(&self.client, &self.settings),
            Api::V3 => v3::create_database(&self.client, &self.settings),
            // The server makes the table at its first row, as its users know it.
            Api::Greptime => greptime::sql(&self.settings)?.create_database(),
        }
    }

    fn drop_table(&mut self, table: &Table) -> Result<()> {
        match self.family()? {
            Api::V1 => influxql::drop_measurement(&self.client, &self.settings, &table.name),
            Api::V2 => v2::delete_measurement(&self.client, &self.settings, &table.name),
            Api::V3 => v3::delete_table(&self.client, &self.settings, &table.name),
            Api::Greptime => greptime::sql(&self.settings)?.drop_table(&table.name),
        }
    }

    fn count_rows(&mut self, table: &Table, start_ns: i64, end_ns: i64) -> Result<u64> {
        match self.family()? {
            Api::V1 | Api::V2 => {
                let fields = table.countable_fields();
                influxql::count(&self.client, &self.settings, &table.name, &fields, start_ns, end_ns)
            }
            Api::V3 => v3::count(&self.client, &self.settings, &table.name, start_ns, end_ns),
            Api::Greptime => {
                greptime::sql(&self.settings)?.count_rows(&table.name, &greptime::time_column(), start_ns, end_ns)
            }
        }
    }

    fn encode(&mut self, batch: &Batch) -> Result<Payload> {
        self.writer.encode(batch)
    }

    fn send(&mut self, payload: &Payload) -> Result<Ack> {
        match self.writer.post(payload)? {
            None => Ok(lp::SILENT),
            Some(refusal) => Err(answer::write_error(&refusal, payload.rows(), &self.settings.database)),
        }
    }
}

impl Influx {
    /// The server's version, if it says one.
    fn version(&mut self) -> Result<Option<String>> {
        if self.version.is_none() {
            self.version = Some(match self.api {
                Api::Greptime => greptime::sql(&self.settings)?.version()?,
                _ => api::version(&self.client)?,
            });
        }
        Ok(self.version.clone().flatten())
    }

    /// Whose ways of making, counting and dropping the server has: it need not be the write path's.
    fn family(&mut self) -> Result<Api> {
        if self.api == Api::Greptime {
            return Ok(Api::Greptime);
        }
        let version = self.version()?;
        Ok(version.as_deref().and_then(Api::of_version).unwrap_or(self.api))
    }
}

/// Sends the user's credentials, if any, with every request. `scheme` is the word before a token.
fn authorize(client: &Client, settings: &Settings, scheme: &str) -> Result<()> {
    match &settings.token {
        Some(token) => client.set_header("authorization", &format!("{scheme} {}", token.expose())),
        None => client.authorize(settings.user.as_deref(), settings.password.as_ref()),
    }
}

/// `/query` and the like with the database in it; a `database` such as `db/rp` names a retention policy too.
fn with_database(query: Query, settings: &Settings) -> Query {
    let (database, policy) = settings.database_and_policy();
    query.with("db", database).with_some("rp", policy)
}

#[cfg(test)]
mod tests;
