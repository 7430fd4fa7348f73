//! What is wrong with a schema or with what a user set.

use super::property::Kind;

/// A schema that is not of the contract's part of JSON Schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// It is no JSON.
    #[error("it is not JSON: {reason}")]
    NotJson {
        /// The parser's reason.
        reason: String,
    },
    /// It is JSON, but no schema of an object.
    #[error("it must be an object with `\"type\": \"object\"` and `properties`")]
    NotAnObject,
    /// `required` is no list of properties.
    #[error("`required` must be a list of names that `properties` has: {problem}")]
    Required {
        /// What it is instead.
        problem: String,
    },
    /// A property is said in a way that is not understood.
    #[error("property `{property}`: {problem}")]
    Property {
        /// The property.
        property: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// What a user set does not fit the plugin's schema. No secret is shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The plugin has no such setting.
    #[error("there is no setting `{name}`{}; there is {}", hint(closest.as_deref()), all(known))]
    Unknown {
        /// What was set.
        name: String,
        /// The setting with the most similar name, if one is similar.
        closest: Option<String>,
        /// All settings of the plugin.
        known: Vec<String>,
    },
    /// It was set more than once.
    #[error("the setting `{name}` is given twice: give it once")]
    Twice {
        /// What was set.
        name: String,
    },
    /// It must be set.
    #[error("the setting `{name}` is missing: give it by `-P {name}=…`{}", explained(description))]
    Missing {
        /// What was not set.
        name: String,
        /// What it means.
        description: String,
    },
    /// It is of another type.
    #[error("the setting `{name}` is `{value}`, which is no {kind}{}", example(*kind))]
    Type {
        /// What was set.
        name: String,
        /// What it was set to; `***` for a secret.
        value: String,
        /// What it must be.
        kind: Kind,
    },
    /// It is out of range.
    #[error("the setting `{name}` is {value}: it must be {range}")]
    Range {
        /// What was set.
        name: String,
        /// What it was set to; `***` for a secret.
        value: String,
        /// What it may be.
        range: String,
    },
    /// It is none of the values that it may have.
    #[error("the setting `{name}` is `{value}`: it must be {}{}", any(choices), hint(closest.as_deref()))]
    Choice {
        /// What was set.
        name: String,
        /// What it was set to; `***` for a secret.
        value: String,
        /// What it may be.
        choices: Vec<String>,
        /// The most similar of them, if one is similar.
        closest: Option<String>,
    },
}

fn hint(closest: Option<&str>) -> String {
    closest.map(|closest| format!(", did you mean `{closest}`?")).unwrap_or_default()
}

fn explained(description: &str) -> String {
    if description.is_empty() { String::new() } else { format!(" ({description})") }
}

fn all(known: &[String]) -> String {
    match known {
        [] => "nothing to set".to_owned(),
        known => quoted(known, " and "),
    }
}

fn any(choices: &[String]) -> String {
    quoted(choices, " or ")
}

fn quoted(names: &[String], last: &str) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{}{last}{end}", rest.join(", ")),
        None => String::new(),
    }
}

fn example(kind: Kind) -> &'static str {
    match kind {
        Kind::String => "",
        Kind::Integer => ": write 42, say",
        Kind::Number => ": write 0.5, say",
        Kind::Boolean => ": write true or false",
    }
}
