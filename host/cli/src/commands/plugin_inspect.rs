//! `benchhost plugin inspect`: what one plugin is and what can be set. It runs only `describe`, without any right, so it is safe with any
//! file.

use std::path::PathBuf;

use benchhost_report::units::bytes;
use benchhost_wasm::{Plugin, Property};
use serde::Serialize;

use super::plugin_list::{json, role};
use crate::args::{FormatChoice, InspectArgs};
use crate::console::{self, Console, printable};
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};
use crate::plugin_path::PluginPath;
use crate::plugins;
use crate::settings;

/// The contract that this binary speaks.
const CONTRACT: &str = "benchhost:plugin";

#[derive(Debug, Serialize)]
struct Sheet {
    name: String,
    version: String,
    role: &'static str,
    summary: String,
    path: PathBuf,
    sha256: String,
    size_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract_version: Option<String>,
    settings: Vec<Setting>,
    imports: Vec<String>,
    exports: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Setting {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    required: bool,
    secret: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allowed: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maximum: Option<String>,
    description: String,
    /// How it is given on the command line.
    flag: String,
}

/// Shows the plugin.
pub(crate) fn run(args: &InspectArgs, console: &Console) -> Result<ExitStatus, Failure> {
    let file = PluginPath::from_environment().find(&args.plugin)?;
    let host = plugins::host(1, 0, console)?;
    let plugin = host.load(&file).map_err(plugins::classify)?;
    let sheet = Sheet::of(&plugin);
    let text = match args.print.format {
        FormatChoice::Json => json(&sheet)?,
        FormatChoice::Text => sheet.text(),
    };
    console::print(&text).or_internal()?;
    Ok(ExitStatus::Success)
}

impl Sheet {
    fn of(plugin: &Plugin) -> Self {
        let target = role(plugin.role()) == "target";
        Self {
            name: plugin.name().to_owned(),
            version: plugin.version().to_owned(),
            role: role(plugin.role()),
            summary: plugin.summary().to_owned(),
            path: plugin.path().to_owned(),
            sha256: plugin.sha256().to_owned(),
            size_bytes: plugin.size(),
            contract_version: contract_version(plugin.imports().iter().chain(plugin.exports())),
            settings: plugin.schema().properties().iter().map(|property| Setting::of(property, target)).collect(),
            imports: plugin.imports().to_vec(),
            exports: plugin.exports().to_vec(),
        }
    }

    fn text(&self) -> String {
        let mut text = format!("{} {}: {}\n\n", self.name, self.version, self.summary);
        let size = bytes(self.size_bytes as f64);
        let path = self.path.display().to_string();
        let contract = self.contract_version.as_deref().unwrap_or("none");
        for (label, value) in
            [("role", self.role), ("file", &path), ("size", &size), ("sha256", &self.sha256), ("contract", contract)]
        {
            text.push_str(&format!("{label:<10}{value}\n"));
        }
        text.push_str("\nsettings\n");
        if self.settings.is_empty() {
            text.push_str("  none\n");
        }
        for setting in &self.settings {
            text.push_str(&format!("  {}\n", setting.headline()));
            for line in setting.description.lines() {
                text.push_str(&format!("      {line}\n"));
            }
        }
        for (label, names) in [("imports", &self.imports), ("exports", &self.exports)] {
            text.push_str(&format!("\n{label}\n"));
            names.iter().for_each(|name| text.push_str(&format!("  {name}\n")));
        }
        printable(&text) + "\n"
    }
}

impl Setting {
    fn of(property: &Property, target: bool) -> Self {
        let flag = settings::flag(property.name()).filter(|_| target);
        Self {
            name: property.name().to_owned(),
            kind: property.kind().to_string(),
            required: property.is_required(),
            secret: property.is_secret(),
            default: property.default(),
            allowed: property.choices(),
            minimum: property.minimum(),
            maximum: property.maximum(),
            description: property.description().to_owned(),
            flag: flag.map_or_else(|| format!("-P {}", property.name()), str::to_owned),
        }
    }

    /// `-P gzip=…  boolean, default false, one of …`.
    fn headline(&self) -> String {
        let mut facts = vec![self.kind.clone()];
        if self.required {
            facts.push("required".into());
        }
        if self.secret {
            facts.push("secret".into());
        }
        if let Some(default) = &self.default {
            facts.push(format!("default {default}"));
        }
        if !self.allowed.is_empty() {
            facts.push(format!("one of {}", self.allowed.join(", ")));
        }
        match (&self.minimum, &self.maximum) {
            (Some(least), Some(most)) => facts.push(format!("{least} to {most}")),
            (Some(least), None) => facts.push(format!("at least {least}")),
            (None, Some(most)) => facts.push(format!("at most {most}")),
            (None, None) => {}
        }
        let way =
            if self.flag.starts_with("-P") { self.name.clone() } else { format!("{} ({})", self.name, self.flag) };
        format!("{way}: {}", facts.join(", "))
    }
}

/// The version behind the `@` of our own interfaces.
fn contract_version<'a>(names: impl Iterator<Item = &'a String>) -> Option<String> {
    let mut ours = names.filter(|name| name.starts_with(CONTRACT));
    ours.find_map(|name| name.rsplit_once('@').map(|(_, version)| version.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_tells_all_that_a_user_needs_to_set_it() {
        let setting = Setting {
            name: "endpoint".into(),
            kind: "string".into(),
            required: true,
            secret: false,
            default: None,
            allowed: Vec::new(),
            minimum: None,
            maximum: None,
            description: String::new(),
            flag: "--endpoint".into(),
        };
        assert_eq!(setting.headline(), "endpoint (--endpoint): string, required");
        let setting = Setting {
            name: "api".into(),
            required: false,
            default: Some("v2".into()),
            allowed: vec!["v1".into(), "v2".into()],
            flag: "-P api".into(),
            ..setting
        };
        assert_eq!(setting.headline(), "api: string, default v2, one of v1, v2");
    }

    #[test]
    fn the_contract_version_is_read_off_our_own_interfaces() {
        let names = ["wasi:io/poll@0.2.0", "benchhost:plugin/about@0.1.0"].map(str::to_owned);
        assert_eq!(contract_version(names.iter()).as_deref(), Some("0.1.0"));
    }
}
