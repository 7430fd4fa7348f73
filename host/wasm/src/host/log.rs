//! `log`: words for the person at the terminal.

use wasmtime::Result;

use crate::bindings::log;
use crate::log::LogLevel;
use crate::state::State;

impl log::Host for State {
    fn log(&mut self, level: log::Level, message: String) -> Result<()> {
        let level = match level {
            log::Level::Error => LogLevel::Error,
            log::Level::Warn => LogLevel::Warn,
            log::Level::Info => LogLevel::Info,
            log::Level::Debug => LogLevel::Debug,
        };
        let said = self.log.guest(level, &message);
        if level == LogLevel::Error {
            self.last_error = Some(said);
        }
        Ok(())
    }
}
