//! From what the user typed to a plugin that is loaded and fit for its part.

use std::sync::Arc;

use benchhost_core::{CallError, PluginChoice, RunError};
use benchhost_report::{PluginFacts, PluginRole};
use benchhost_wasm::{Host, HostOptions, LogLevel, LogLine, LogSink, Plugin, Role, Settings, SettingsError, WasmError};

use crate::console::Console;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::plugin_path::PluginPath;
use crate::settings::{self, Accepts, Part};

/// A plugin cannot be used as it was asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PluginError {
    /// No plugin was named.
    #[error("no {part} is given: name one by {flag}")]
    NotGiven {
        /// Its part.
        part: &'static str,
        /// The flag.
        flag: &'static str,
    },
    /// A dataset where a database belongs, or the other way round.
    #[error("{flag} {given}: this plugin is {found}, not {wanted}")]
    Role {
        /// The flag.
        flag: &'static str,
        /// What was typed.
        given: String,
        /// What it is.
        found: &'static str,
        /// What it must be.
        wanted: &'static str,
    },
    /// A required setting has no value.
    #[error("{plugin} needs {way}: {description}")]
    Missing {
        /// The plugin.
        plugin: String,
        /// How to give it.
        way: String,
        /// What it is.
        description: String,
    },
}

impl Part {
    /// The flag that names the plugin.
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Self::Target => "--plugin",
            Self::Dataset => "--dataset",
        }
    }

    fn role(self) -> Role {
        match self {
            Self::Target => Role::Target,
            Self::Dataset => Role::Generator,
        }
    }
}

/// What a role is called in a sentence.
fn in_words(role: Role) -> &'static str {
    match role {
        Role::Target => "a target (a database, for --plugin)",
        Role::Generator => "a generator (a dataset, for --dataset)",
    }
}

/// A plugin in its part of a run.
pub(crate) struct Loaded {
    /// Its part.
    pub part: Part,
    /// The component.
    pub plugin: Plugin,
}

impl Loaded {
    /// What settings it takes.
    pub(crate) fn accepts(&self) -> Accepts {
        let names = self.plugin.schema().properties().iter().map(|property| property.name().to_owned()).collect();
        Accepts { part: self.part, plugin: self.plugin.name().to_owned(), names }
    }

    /// The settings that are addresses of servers; `endpoint` is one by its name.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = &str> {
        let properties = self.plugin.schema().properties().iter();
        properties
            .filter(|property| property.is_endpoint() || property.name() == "endpoint")
            .map(|property| property.name())
    }

    /// Judges the values that it was given by its own schema, and fills in the defaults.
    pub(crate) fn resolve(&self, given: &[(String, String)]) -> Result<Settings, Failure> {
        let name = self.plugin.name();
        let hint = format!("`benchhost plugin inspect {name}` lists its settings");
        let failure = match self.plugin.schema().resolve(given) {
            Ok(settings) => return Ok(settings),
            Err(SettingsError::Missing { name: setting, description }) => {
                let flag = settings::flag(&setting).filter(|_| self.part == Part::Target);
                let way = flag.map_or_else(|| format!("-P {setting}=…"), str::to_owned);
                Failure::usage(PluginError::Missing { plugin: name.into(), way, description })
            }
            Err(other) => Failure::usage(other).context(format!("settings of {name}")),
        };
        Err(failure.with_hint(hint))
    }

    /// The plugin as the plan names it.
    pub(crate) fn choice(&self, settings: &Settings) -> PluginChoice {
        PluginChoice {
            name: self.plugin.name().to_owned(),
            version: self.plugin.version().to_owned(),
            sha256: self.plugin.sha256().to_owned(),
            settings: settings.public().into_iter().collect(),
        }
    }

    /// The plugin as the report names it.
    pub(crate) fn facts(&self) -> PluginFacts {
        PluginFacts {
            role: match self.part {
                Part::Target => PluginRole::Target,
                Part::Dataset => PluginRole::Dataset,
            },
            name: self.plugin.name().to_owned(),
            version: self.plugin.version().to_owned(),
            sha256: self.plugin.sha256().to_owned(),
        }
    }
}

/// A sandbox for that many instances, whose log goes to the console.
pub(crate) fn host(instances: u32, seed: u64, console: &Console) -> Result<Host, Failure> {
    let options = host_options(instances, seed, console);
    Host::new(options).map_err(|error| classify(error).context("the sandbox cannot be set up"))
}

/// The usual limits, for that many instances.
pub(crate) fn host_options(instances: u32, seed: u64, console: &Console) -> HostOptions {
    HostOptions { instances, seed, log: log_sink(console), ..HostOptions::default() }
}

/// What plugins say: errors and warnings always, the rest when the user wants to see more.
fn log_sink(console: &Console) -> LogSink {
    let console = console.clone();
    Arc::new(move |line: LogLine| {
        if line.level <= LogLevel::Warn || console.verbose() {
            let worker = line.worker.map(|worker| format!("[{worker}]")).unwrap_or_default();
            console.line(&format!("{}{worker} {}: {}", line.plugin, line.level, line.text));
        }
    })
}

/// Finds, loads and checks the plugin for a part.
pub(crate) fn load(host: &Host, path: &PluginPath, part: Part, given: Option<&str>) -> Result<Loaded, Failure> {
    let Some(given) = given.filter(|given| !given.is_empty()) else {
        let missing = PluginError::NotGiven { part: part.as_str(), flag: part.flag() };
        return Err(Failure::usage(missing).with_hint("`benchhost plugin list` shows those that can be named"));
    };
    let file = path.find(given)?;
    let plugin = host.load(&file).map_err(classify)?;
    if plugin.role() != part.role() {
        let (found, wanted) = (in_words(plugin.role()), in_words(part.role()));
        return Err(Failure::usage(PluginError::Role { flag: part.flag(), given: given.into(), found, wanted }));
    }
    Ok(Loaded { part, plugin })
}

/// Who has to do something about it.
pub(crate) fn classify(error: WasmError) -> Failure {
    let status = match &error {
        error if error.is_contract() => ExitStatus::Contract,
        error if error.is_usage() => ExitStatus::Usage,
        _ => ExitStatus::Internal,
    };
    Failure::new(status, error)
}

/// A call to a plugin did not succeed, outside of a run.
pub(crate) fn call_failed(stage: &'static str, source: CallError) -> Failure {
    let error = RunError::Call { stage, source };
    Failure::new(error.class().into(), error)
}
