//! Words from plugins, on their way to whoever shows them. They are cleaned here and nowhere printed.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::quota::{BYTES, LINES, Quota};
use crate::redact::Redactor;

/// The longest message that is passed on, in bytes.
pub(crate) const MAX_MESSAGE: usize = 8 * 1024;

/// How much a line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// The run cannot give what was asked for.
    Error,
    /// The result may be other than expected.
    Warn,
    /// Worth knowing.
    Info,
    /// For the plugin's author.
    Debug,
}

impl LogLevel {
    /// In lower case, as it is written before a line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
        }
    }
}

impl fmt::Display for LogLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One message. Secrets are already out of it, and so are control characters other than newline and tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// How much it matters.
    pub level: LogLevel,
    /// The plugin's name; `host` for the sandbox itself.
    pub plugin: Arc<str>,
    /// The worker whose session says it; none outside of a session.
    pub worker: Option<u32>,
    /// The message, at most 8 KiB.
    pub text: String,
}

/// Takes every line; called from whatever thread a session runs on.
pub type LogSink = Arc<dyn Fn(LogLine) + Send + Sync>;

/// The log of one session.
pub(crate) struct Log {
    sink: LogSink,
    plugin: Arc<str>,
    worker: Option<u32>,
    redactor: Arc<Redactor>,
    quota: Mutex<Quota>,
}

impl Log {
    pub(crate) fn new(sink: LogSink, plugin: Arc<str>, worker: Option<u32>, redactor: Arc<Redactor>) -> Self {
        Self { sink, plugin, worker, redactor, quota: Mutex::new(Quota::new(Instant::now())) }
    }

    /// Passes a message of the guest on, cleaned and cut, unless it said too much in this second. Gives back the clean message.
    pub(crate) fn guest(&self, level: LogLevel, text: &str) -> String {
        let text = cut(self.redactor.clean(text), MAX_MESSAGE);
        let (kept, dropped) = self.quota().ask(Instant::now(), text.len());
        self.say_dropped(dropped);
        if kept {
            self.send(level, text.clone());
        }
        text
    }

    fn say_dropped(&self, dropped: u64) {
        if dropped > 0 {
            let text =
                format!("it said {dropped} lines more than {LINES} lines or {BYTES} bytes a second: they were dropped");
            self.host(LogLevel::Warn, text);
        }
    }

    fn quota(&self) -> MutexGuard<'_, Quota> {
        // Counters are right at every moment.
        self.quota.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes words of the host about this plugin on.
    pub(crate) fn host(&self, level: LogLevel, text: String) {
        self.send(level, text);
    }

    pub(crate) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    fn send(&self, level: LogLevel, text: String) {
        (self.sink)(LogLine { level, plugin: Arc::clone(&self.plugin), worker: self.worker, text });
    }
}

impl Drop for Log {
    /// The session is over: nobody else would tell of what was dropped last.
    fn drop(&mut self) {
        let dropped = self.quota().take_dropped();
        self.say_dropped(dropped);
    }
}

/// At most `max` bytes of `text`, cut between characters.
pub(crate) fn cut(mut text: String, max: usize) -> String {
    if text.len() > max {
        text.truncate(text.floor_char_boundary(max));
        text.push('…');
    }
    text
}
