//! What the user says on the command line of a suite, about all of its runs or about those with one plugin.

use std::path::Path;

use toml::Value;

use super::{Entry, Suite};
use crate::failure::Failure;
use crate::nearest::nearest;
use crate::pairs::Pair;

/// What stands before the dot of a `-P` that every run understands.
const PARTS: [(&str, &str); 2] = [("target", "plugin"), ("dataset", "dataset")];

/// A `-P` for a plugin that no run has.
#[derive(Debug, thiserror::Error)]
#[error("-P {given}: no run of this suite has a plugin `{plugin}`; its plugins are {known}")]
struct NoSuchPlugin {
    given: String,
    plugin: String,
    known: String,
}

/// Flags for the runs of a suite.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Overrides {
    /// Flags and their values: `--endpoint` and where.
    flags: Vec<(&'static str, String)>,
    /// Settings of plugins.
    params: Vec<Pair>,
}

impl Overrides {
    /// No flags, these settings.
    pub(crate) fn of_plugins(params: &[Pair]) -> Self {
        Self { flags: Vec::new(), params: params.to_vec() }
    }

    /// With a flag, if it has a value.
    pub(crate) fn flag(mut self, flag: &'static str, value: Option<String>) -> Self {
        self.flags.extend(value.map(|value| (flag, value)));
        self
    }

    /// Checks that every setting is for a plugin of the suite.
    ///
    /// # Errors
    ///
    /// When one names a plugin that no run has.
    pub(crate) fn check(&self, suite: &Suite) -> Result<(), Failure> {
        let mut known: Vec<&str> = suite.entries.iter().flat_map(plugins).map(|(_, name)| name).collect();
        known.sort_unstable();
        known.dedup();
        for pair in &self.params {
            let Some((plugin, _)) = pair.name.split_once('.') else { continue };
            if PARTS.iter().any(|(part, _)| *part == plugin) || known.contains(&plugin) {
                continue;
            }
            let failure = Failure::usage(NoSuchPlugin {
                given: pair.name.clone(),
                plugin: plugin.into(),
                known: known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
            });
            return Err(match nearest(plugin, known) {
                Some(near) => failure.with_hint(format!("did you mean `{near}`?")),
                None => failure,
            });
        }
        Ok(())
    }

    /// The words that follow `benchhost run --config FILE` for this run.
    pub(crate) fn words(&self, entry: &Entry) -> Vec<String> {
        let mut words = Vec::new();
        for (flag, value) in &self.flags {
            words.extend([(*flag).to_owned(), value.clone()]);
        }
        for pair in &self.params {
            if let Some(name) = addressed(&pair.name, entry) {
                words.extend(["-P".to_owned(), format!("{name}={}", pair.value)]);
            }
        }
        words
    }
}

/// The name of a setting as this run understands it; none when it is for another plugin. Where the file names the setting in another way,
/// with its part or without, that name is taken: it is replaced then, not given twice.
fn addressed(name: &str, entry: &Entry) -> Option<String> {
    let names = match name.split_once('.') {
        None => vec![name.to_owned(), format!("target.{name}"), format!("dataset.{name}")],
        Some((plugin, setting)) => {
            let known = || plugins(entry).find(|(_, known)| *known == plugin);
            let part = PARTS.iter().map(|(part, _)| *part).find(|part| *part == plugin).or_else(|| Some(known()?.0))?;
            vec![format!("{part}.{setting}"), setting.to_owned()]
        }
    };
    let params = entry.config.get("param").and_then(Value::as_table);
    let of_file = names.iter().find(|name| params.is_some_and(|params| params.contains_key(name.as_str())));
    of_file.or(names.first()).cloned()
}

/// The plugins that a run names, with their parts; of a file, what stands before `.wasm`.
fn plugins(entry: &Entry) -> impl Iterator<Item = (&'static str, &str)> {
    PARTS.into_iter().filter_map(|(part, key)| {
        let given = entry.config.get(key).and_then(Value::as_str)?;
        let stem = Path::new(given).file_stem().and_then(|stem| stem.to_str());
        Some((part, stem.unwrap_or(given)))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn entry(plugin: &str) -> Entry {
        let config = format!("plugin = \"{plugin}\"\ndataset = \"cpu\"\n").parse().unwrap();
        Entry { name: "a".into(), about: None, config }
    }

    fn overrides(pairs: &[&str]) -> Overrides {
        let pairs: Vec<Pair> = pairs.iter().map(|pair| pair.parse().unwrap()).collect();
        Overrides::of_plugins(&pairs)
    }

    #[test]
    fn a_setting_of_one_plugin_reaches_the_runs_that_have_it() {
        let all = overrides(&["hosts=7", "greptime.grpc_endpoint=http://h:1", "cpu.step_ms=2", "target.x=y"])
            .flag("--endpoint", Some("http://h:2".into()))
            .flag("--user", None);
        assert_eq!(
            all.words(&entry("folder/greptime.wasm")).join(" "),
            "--endpoint http://h:2 -P hosts=7 -P target.grpc_endpoint=http://h:1 -P dataset.step_ms=2 -P target.x=y"
        );
        assert_eq!(
            all.words(&entry("influx")).join(" "),
            "--endpoint http://h:2 -P hosts=7 -P dataset.step_ms=2 -P target.x=y"
        );
    }

    #[test]
    fn a_setting_that_the_file_names_in_another_way_is_replaced() {
        let mut entry = entry("greptime");
        let params: toml::Table = "hosts = \"1\"\n\"dataset.table\" = \"t\"\n".parse().unwrap();
        entry.config.insert("param".into(), params.into());
        assert_eq!(
            overrides(&["cpu.hosts=2", "table=u", "target.table=v"]).words(&entry).join(" "),
            "-P hosts=2 -P dataset.table=u -P target.table=v"
        );
    }

    #[test]
    fn a_setting_for_a_plugin_that_no_run_has_is_refused() {
        let suite = Suite { name: "s".into(), about: None, runs: 1, entries: vec![entry("influx"), entry("greptime")] };
        assert!(overrides(&["greptime.a=1", "target.a=1", "a=1"]).check(&suite).is_ok());
        let failure = overrides(&["greptim.a=1"]).check(&suite).unwrap_err();
        assert_eq!(
            failure.chain(),
            ["-P greptim.a: no run of this suite has a plugin `greptim`; its plugins are `cpu`, `greptime`, `influx`"]
        );
        assert_eq!(failure.hint(), Some("did you mean `greptime`?"));
    }
}
