//! Turns what a user set into what a plugin gets.

use std::collections::HashSet;
use std::fmt;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use super::problem::SettingsError;
use super::property::{Property, wire};
use super::schema::{SettingsSchema, names};
use crate::bindings::types::Setting;

/// A name must be at least so similar to be suggested: one wrong letter in four, roughly.
const SIMILAR: f64 = 0.75;

/// What stands for a secret wherever settings are shown.
const HIDDEN: &str = "***";

/// Settings that fit a plugin's schema, defaults filled in, in the order of the schema. Neither `Debug` nor `Serialize` shows a secret.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Settings {
    entries: Vec<Entry>,
}

#[derive(Clone, PartialEq, Eq)]
struct Entry {
    name: String,
    value: String,
    secret: bool,
}

impl SettingsSchema {
    /// Checks `given`, name to value as a user typed them, and fills in the defaults. What is neither given nor has a default is left out,
    /// and so is what is given as `null` to a setting that may be that and is no text.
    ///
    /// # Errors
    ///
    /// For a setting that is unknown (the closest name is suggested), given twice, missing, of another type, out of range, or none of the
    /// values allowed.
    pub fn resolve(&self, given: &[(String, String)]) -> Result<Settings, SettingsError> {
        let mut seen = HashSet::new();
        for (name, _) in given {
            if self.get(name).is_none() {
                let known = names(self);
                return Err(SettingsError::Unknown { name: name.clone(), closest: closest(name, &known), known });
            }
            if !seen.insert(name) {
                return Err(SettingsError::Twice { name: name.clone() });
            }
        }
        let mut entries = Vec::new();
        for property in self.properties() {
            let typed = given.iter().find(|(name, _)| *name == property.name).map(|(_, text)| text.as_str());
            let value = match typed {
                Some(text) => read(property, text)?,
                None if property.required => {
                    return Err(SettingsError::Missing {
                        name: property.name.clone(),
                        description: property.description.clone(),
                    });
                }
                None => property.default.clone(),
            };
            if let Some(value) = value {
                entries.push(Entry { name: property.name.clone(), value: wire(&value), secret: property.secret });
            }
        }
        Ok(Settings { entries })
    }
}

/// The value of a property; `None` for null.
fn read(property: &Property, text: &str) -> Result<Option<Value>, SettingsError> {
    let (name, shown) = (property.name.clone(), if property.secret { HIDDEN } else { text }.to_owned());
    let Some(value) = property.kind.read(text) else {
        if property.nullable && text == "null" {
            return Ok(None);
        }
        return Err(SettingsError::Type { name, value: shown, kind: property.kind });
    };
    if let Value::Number(number) = &value
        && !property.in_range(number)
    {
        return Err(SettingsError::Range { name, value: shown, range: property.range() });
    }
    let choices = property.choices();
    if !choices.is_empty() && !choices.contains(&wire(&value)) {
        let closest = if property.secret { None } else { closest(text, &choices) };
        return Err(SettingsError::Choice { name, value: shown, choices, closest });
    }
    Ok(Some(value))
}

fn closest(name: &str, known: &[String]) -> Option<String> {
    let similar = |other: &String| strsim::jaro_winkler(&name.to_lowercase(), &other.to_lowercase());
    let best = known.iter().max_by(|a, b| similar(a).total_cmp(&similar(b)))?;
    (similar(best) >= SIMILAR).then(|| best.clone())
}

impl Settings {
    /// The value of a setting in the contract's form: a string as it is, anything else in JSON. `None` when it is left out. It may be a
    /// secret.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.entries.iter().find(|entry| entry.name == name).map(|entry| entry.value.as_str())
    }

    /// All settings for a report, secrets as `***`.
    #[must_use]
    pub fn public(&self) -> Vec<(String, String)> {
        self.shown().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    pub(crate) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(|entry| entry.secret).map(|entry| entry.value.as_str())
    }

    pub(crate) fn to_guest(&self) -> Vec<Setting> {
        let setting = |entry: &Entry| Setting { name: entry.name.clone(), value: entry.value.clone() };
        self.entries.iter().map(setting).collect()
    }

    fn shown(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|entry| (entry.name.as_str(), if entry.secret { HIDDEN } else { entry.value.as_str() }))
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.shown()).finish()
    }
}

impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.entries.len()))?;
        for (name, value) in self.shown() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
