//! `benchhost plugin list`: the plugins that a name finds. A file that cannot be used is listed with its error, since that is what the
//! user came to see.

use std::path::PathBuf;

use benchhost_wasm::{Host, Role};
use serde::Serialize;

use crate::args::{FormatChoice, ListArgs};
use crate::console::{self, Console, printable};
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};
use crate::plugin_path::{Found, PATH_VARIABLE, PluginPath};
use crate::plugins;

/// One plugin file, as the list shows it.
#[derive(Debug, Serialize)]
struct Entry {
    /// What finds it.
    name: String,
    path: PathBuf,
    #[serde(flatten)]
    state: State,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case", untagged)]
enum State {
    Usable { version: String, role: &'static str, summary: String },
    Broken { error: String },
}

/// Lists the plugins.
pub(crate) fn run(args: &ListArgs, console: &Console) -> Result<ExitStatus, Failure> {
    let path = PluginPath::from_environment();
    let host = plugins::host(1, 0, console)?;
    let entries: Vec<Entry> = path.all().into_iter().map(|found| entry(&host, found)).collect();
    let text = match args.print.format {
        FormatChoice::Json => json(&entries)?,
        FormatChoice::Text => table(&entries),
    };
    if entries.is_empty() {
        console.line(&format!("no plugins in {}; {PATH_VARIABLE} adds folders", path.shown()));
    }
    console::print(&text).or_internal()?;
    Ok(ExitStatus::Success)
}

fn entry(host: &Host, found: Found) -> Entry {
    let state = match host.load(&found.path) {
        Ok(plugin) => State::Usable {
            version: plugin.version().to_owned(),
            role: role(plugin.role()),
            summary: plugin.summary().to_owned(),
        },
        Err(error) => State::Broken { error: plugins::classify(error).chain().join(": ") },
    };
    Entry { name: found.name, path: found.path, state }
}

/// The word of the command line.
pub(super) fn role(role: Role) -> &'static str {
    match role {
        Role::Target => "target",
        Role::Generator => "dataset",
    }
}

/// One document with a newline at its end.
pub(super) fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map(|text| text + "\n").or_internal()
}

/// Columns as wide as they need to be; the last two of a line are free text.
fn table(entries: &[Entry]) -> String {
    let rows: Vec<[String; 4]> = entries
        .iter()
        .map(|entry| match &entry.state {
            State::Usable { version, role, summary } => {
                [entry.name.clone(), version.clone(), (*role).to_owned(), summary.clone()]
            }
            State::Broken { error } => [entry.name.clone(), "-".into(), "broken".into(), error.clone()],
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (name, version, role) = (width(0), width(1), width(2));
    let mut text = String::new();
    for (row, entry) in rows.iter().zip(entries) {
        let summary = printable(&row[3]).replace('\n', " ");
        text.push_str(&format!("{:name$}  {:version$}  {:role$}  {summary}\n", row[0], row[1], row[2]));
        text.push_str(&format!("{:name$}  {}\n", "", entry.path.display()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_file_is_listed_with_its_error() {
        let usable = State::Usable { version: "1.0.0".into(), role: "target", summary: "InfluxDB".into() };
        let entries = [
            Entry { name: "influx".into(), path: "/p/influx.wasm".into(), state: usable },
            Entry { name: "x".into(), path: "/p/x.wasm".into(), state: State::Broken { error: "not wasm".into() } },
        ];
        assert_eq!(
            table(&entries),
            "influx  1.0.0  target  InfluxDB\n        /p/influx.wasm\nx       -      broken  not wasm\n        /p/x.wasm\n"
        );
        let json = serde_json::to_value(&entries).unwrap_or_default();
        assert_eq!(json[0]["role"], "target");
        assert_eq!(json[1]["error"], "not wasm");
        assert!(json[1].get("version").is_none());
    }
}
