//! How InfluxDB 3 is managed and counted.

use benchhost_plugin::text::sql_identifier;
use benchhost_plugin::{Client, Error, Query, Result, time};
use serde_json::{Value, json};

use crate::answer::refused;
use crate::settings::Settings;

/// Makes the database, unless it exists.
pub(crate) fn create_database(client: &Client, settings: &Settings) -> Result<()> {
    let made = client.post_json(&Query::new("/api/v3/configure/database"), &json!({ "db": settings.database }))?;
    if made.status() == 409 {
        return Ok(());
    }
    made.success("create the database").map_err(refused).map(drop)
}

/// Removes the table.
pub(crate) fn delete_table(client: &Client, settings: &Settings, name: &str) -> Result<()> {
    let query = Query::new("/api/v3/configure/table").with("db", &settings.database).with("table", name);
    let deleted = client.call("DELETE", &query)?;
    if deleted.status() == 404 {
        return Ok(());
    }
    deleted.success("delete the table").map_err(refused).map(drop)
}

/// Rows with a time from `start_ns` to before `end_ns`.
pub(crate) fn count(client: &Client, settings: &Settings, name: &str, start_ns: i64, end_ns: i64) -> Result<u64> {
    let doing = "count rows";
    let (name, start, end) = (sql_identifier(name), time::rfc3339(start_ns), time::rfc3339(end_ns));
    let statement = format!("SELECT count(*) AS n FROM {name} WHERE time >= '{start}' AND time < '{end}'");
    let document = json!({ "db": settings.database, "q": statement, "format": "json" });
    let response = client.post_json(&Query::new("/api/v3/query_sql"), &document)?;
    let status = response.status();
    if status == 404 || (status == 400 && response.text().contains("not found")) {
        return Ok(0);
    }
    let answer = response.success(doing).map_err(refused)?.json(doing)?;
    match answer[0]["n"].as_u64() {
        Some(rows) => Ok(rows),
        None if answer == Value::Array(Vec::new()) => Ok(0),
        None => Err(Error::internal(format!("{doing}: the server's answer has no count: {answer}"))),
    }
}
