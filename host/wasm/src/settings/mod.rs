//! What can be set in a plugin, and what was set. A plugin says it in a small part of JSON Schema; the host checks the user's words
//! against that before the plugin sees them.

mod problem;
mod property;
mod resolve;
mod schema;

pub use problem::{SchemaError, SettingsError};
pub use property::{Kind, Property};
pub use resolve::Settings;
pub use schema::SettingsSchema;
