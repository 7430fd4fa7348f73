//! What went wrong: errors, and the session that died first.

use serde::{Deserialize, Serialize};

/// Errors of one kind and code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorEntry {
    /// The class, kebab-case.
    pub kind: String,
    /// The server's own code, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// How often.
    pub count: u64,
    /// The text of the first one.
    pub example: String,
}

/// A session that died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crash {
    /// Name and version of the plugin.
    pub plugin: String,
    /// The call it died in.
    pub call: String,
    /// Why.
    pub reason: String,
    /// The last lines on its stderr; absent when there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}
