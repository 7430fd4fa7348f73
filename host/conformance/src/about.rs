//! What a plugin says of itself.

use benchhost_wasm::{Plugin, WasmError};

use crate::book::Book;
use crate::rules::ABOUT;

/// Judges the description, or why there is none.
pub(crate) fn check(loaded: &Result<Plugin, WasmError>, book: &mut Book) {
    match loaded {
        Ok(plugin) => described(plugin, book),
        Err(error @ WasmError::Describe { .. }) => {
            let advice = "answer a constant: `describe` runs without settings, server or any right";
            book.fail("about.describe", error.to_string(), advice);
        }
        Err(error @ WasmError::Description { .. }) => {
            book.pass("about.describe", "it answers");
            let advice = "name it in lower case letters, digits and `-`, and give it a version such as 1.2.3";
            book.fail("about.name", error.to_string(), advice);
        }
        Err(error @ WasmError::Schema { .. }) => {
            book.pass("about.describe", "it answers");
            book.pass("about.name", "name and version are well-formed");
            book.fail(
                "about.schema",
                error.to_string(),
                "see `settings-schema` in `about.wit` for what may stand there",
            );
        }
        Err(_) => {}
    }
    book.rest(ABOUT, "the plugin did not get so far", "mend what failed above, and check again");
}

fn described(plugin: &Plugin, book: &mut Book) {
    if plugin.summary().is_empty() {
        book.warn("about.describe", "it answers, and its summary is empty", "say in one line what it is");
    } else {
        book.pass("about.describe", plugin.summary());
    }
    book.pass("about.name", format!("{} {}", plugin.name(), plugin.version()));
    let properties = plugin.schema().properties();
    let silent: Vec<&str> =
        properties.iter().filter(|property| property.description().is_empty()).map(|p| p.name()).collect();
    if silent.is_empty() {
        let names: Vec<&str> = properties.iter().map(|property| property.name()).collect();
        let says = if names.is_empty() { "no settings".to_owned() } else { format!("settings: {}", names.join(", ")) };
        book.pass("about.schema", says);
    } else {
        let says = format!("settings without a description: {}", silent.join(", "));
        book.warn("about.schema", says, "give each a `description`: it is the only help that users have");
    }
}
