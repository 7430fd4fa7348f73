//! Captures what a guest writes to stdout or stderr: line by line to the log, and the last lines for the crash report.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

use crate::log::{Log, LogLevel, MAX_MESSAGE};

/// Last words that are kept, in bytes.
const MAX_TAIL: usize = 4 * 1024;

/// Bytes that a guest may write at once.
const PERMIT: usize = 64 * 1024;

/// One output of a guest; clones are the same output.
#[derive(Clone)]
pub(crate) struct Lines(Arc<Mutex<Capture>>);

struct Capture {
    log: Arc<Log>,
    level: LogLevel,
    /// The line that has no end yet. Longer lines than a message are cut, but only behind the longest secret that may lie across.
    pending: Vec<u8>,
    tail: String,
}

impl Lines {
    pub(crate) fn new(log: Arc<Log>, level: LogLevel) -> Self {
        Self(Arc::new(Mutex::new(Capture { log, level, pending: Vec::new(), tail: String::new() })))
    }

    /// The last lines, and the unfinished one. The output is empty afterwards.
    pub(crate) fn last_words(&self) -> String {
        let mut capture = self.capture();
        capture.end_line();
        std::mem::take(&mut capture.tail)
    }

    fn capture(&self) -> MutexGuard<'_, Capture> {
        // A panic elsewhere cannot leave a line half-changed in a way that matters.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Capture {
    fn write(&mut self, bytes: &[u8]) {
        let most = MAX_MESSAGE + self.log.redactor().longest();
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.extend(&rest[..end], most);
            self.end_line();
            rest = &rest[end + 1..];
        }
        self.extend(rest, most);
    }

    fn extend(&mut self, bytes: &[u8], most: usize) {
        let room = most.saturating_sub(self.pending.len());
        self.pending.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn end_line(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let line = self.log.guest(self.level, &String::from_utf8_lossy(&self.pending));
        self.pending.clear();
        self.remember(&line);
    }

    fn remember(&mut self, line: &str) {
        self.tail.push_str(line);
        self.tail.push('\n');
        if self.tail.len() > MAX_TAIL {
            let cut = self.tail.ceil_char_boundary(self.tail.len() - MAX_TAIL);
            self.tail.drain(..cut);
        }
    }
}

impl IsTerminal for Lines {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Lines {
    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }

    fn async_stream(&self) -> Box<dyn tokio::io::AsyncWrite + Send + Sync> {
        // Only a later WASI asks for this form, and the host does not link it.
        Box::new(tokio::io::sink())
    }
}

#[async_trait]
impl Pollable for Lines {
    async fn ready(&mut self) {}
}

impl OutputStream for Lines {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.capture().write(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(PERMIT)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::log::LogLine;
    use crate::redact::Redactor;

    fn lines(secret: &str) -> (Lines, Arc<Mutex<Vec<LogLine>>>) {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = {
            let seen = Arc::clone(&seen);
            Arc::new(move |line| seen.lock().unwrap().push(line))
        };
        let log = Log::new(sink, "p".into(), Some(3), Arc::new(Redactor::new([secret])));
        (Lines::new(Arc::new(log), LogLevel::Info), seen)
    }

    fn write(lines: &Lines, text: &str) {
        lines.clone().write(Bytes::copy_from_slice(text.as_bytes())).unwrap();
    }

    #[test]
    fn pieces_become_lines_and_the_unfinished_one_is_among_the_last_words() {
        let (lines, seen) = lines("");
        write(&lines, "one\ntw");
        write(&lines, "o\n\nthree");
        let texts: Vec<String> = seen.lock().unwrap().iter().map(|line| line.text.clone()).collect();
        assert_eq!(texts, ["one", "two"]);
        assert_eq!(lines.last_words(), "one\ntwo\nthree\n");
        assert_eq!(seen.lock().unwrap().len(), 3);
        assert_eq!(lines.last_words(), "");
    }

    #[test]
    fn a_secret_is_found_across_writes_and_across_the_cut() {
        let (lines, seen) = lines("hunter22");
        write(&lines, "it is hun");
        write(&lines, "ter22\n");
        write(&lines, &format!("{}hunter22\n", "x".repeat(MAX_MESSAGE - 4)));
        let seen = seen.lock().unwrap();
        assert_eq!(seen[0].text, "it is ***");
        assert!(seen[1].text.len() <= MAX_MESSAGE + "…".len());
        assert!(!seen[1].text.contains("hunt"), "{}", &seen[1].text[MAX_MESSAGE - 10..]);
    }

    #[test]
    fn only_the_last_words_are_kept() {
        let (lines, _seen) = lines("");
        for line in 0..10_000 {
            write(&lines, &format!("line {line}\n"));
        }
        let words = lines.last_words();
        assert!(words.len() <= MAX_TAIL && words.ends_with("line 9999\n"), "{}", words.len());
    }
}
