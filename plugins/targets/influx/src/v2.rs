//! How InfluxDB 2 is managed: buckets, and deletion by predicate.

use benchhost_plugin::{Client, Error, Query, Response, Result};
use serde_json::{Value, json};

use crate::influxql::identifier;
use crate::settings::Settings;

/// Makes the bucket, unless it exists.
pub(crate) fn create_bucket(client: &Client, settings: &Settings) -> Result<()> {
    let (org, bucket) = (&settings.org, &settings.database);
    let query = Query::new("/api/v2/buckets").with("org", org).with("name", bucket);
    let doing = "look for the bucket";
    let found = client.call("GET", &query)?;
    // An unknown name is an empty list to some versions and 404 to others; an unknown organisation is 404, and found
    // out below.
    if found.status() != 404 {
        let found = succeeded(found, doing)?.json(doing)?;
        if found["buckets"].as_array().is_some_and(|buckets| !buckets.is_empty()) {
            return Ok(());
        }
    }
    let org_id = org_id(client, org)?;
    let document = json!({ "orgID": org_id, "name": bucket, "retentionRules": [] });
    let made = client.post_json(&Query::new("/api/v2/buckets"), &document)?;
    // Another session may have been faster.
    if made.status() == 422 && made.text().contains("already exists") {
        return Ok(());
    }
    succeeded(made, "create the bucket").map(drop)
}

/// The server's own name of an organisation.
fn org_id(client: &Client, org: &str) -> Result<String> {
    let doing = "look for the organisation";
    let found = client.call("GET", &Query::new("/api/v2/orgs").with("org", org))?;
    let found = if found.status() == 404 { Value::Null } else { succeeded(found, doing)?.json(doing)? };
    match found["orgs"][0]["id"].as_str() {
        Some(id) => Ok(id.to_owned()),
        None => Err(Error::rejected(format!(
            "{doing}: there is no organisation `{org}` that the token may see: set `org`, or make it on the server"
        ))),
    }
}

/// Removes the rows of a measurement.
pub(crate) fn delete_measurement(client: &Client, settings: &Settings, name: &str) -> Result<()> {
    let query = Query::new("/api/v2/delete").with("org", &settings.org).with("bucket", &settings.database);
    let document = json!({
        "start": "1677-09-21T00:12:44Z",
        "stop": "2262-04-11T23:47:16Z",
        "predicate": format!("_measurement={}", identifier(name)),
    });
    let deleted = client.post_json(&query, &document)?;
    if deleted.status() == 404 {
        return Ok(());
    }
    succeeded(deleted, "delete the measurement").map(drop)
}

/// A successful answer; a missing right is what goes wrong most often.
fn succeeded(response: Response, doing: &str) -> Result<Response> {
    response.success(doing).map_err(|error| match error.code.as_deref() {
        Some("401" | "403") => error.advise("the token needs the right to it; check `token`"),
        _ => error,
    })
}
