//! Words for the person at the terminal. No message may hold a secret.

use crate::host;

pub use crate::bindings::target::benchhost::plugin::log::Level;

/// The run cannot give what was asked for.
pub fn error(message: &str) {
    host::log(Level::Error, message);
}

/// The result may be other than expected.
pub fn warn(message: &str) {
    host::log(Level::Warn, message);
}

/// Worth knowing; shown with `--verbose`.
pub fn info(message: &str) {
    host::log(Level::Info, message);
}

/// For the plugin's author; shown with `--verbose`.
pub fn debug(message: &str) {
    host::log(Level::Debug, message);
}
