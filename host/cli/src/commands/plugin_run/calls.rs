//! Calls as an author reads them: what the host called, and below it what the plugin called.

use std::time::Duration;

use benchhost_report::units::{bytes, nanoseconds};
use benchhost_wasm::{Direction, TracedCall};
use serde::Serialize;

/// One line: a call, or several equal ones in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Line {
    /// `host` called the plugin, or the plugin called the host from inside the call above.
    caller: &'static str,
    function: String,
    calls: u64,
    /// All of them together; of a call that did not come back, none.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_ns: Option<u64>,
    copied_bytes: u64,
    sent_bytes: u64,
    received_bytes: u64,
}

/// The lines, in the order in which they began.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Calls(Vec<Line>);

impl Calls {
    /// With `inner`, also what the plugin called. Without it, the bytes of those calls are counted where they were made.
    pub(crate) fn new(traced: Vec<TracedCall>, inner: bool) -> Self {
        let mut lines: Vec<Line> = Vec::new();
        for call in traced {
            let line = Line::of(call);
            let Some(last) = lines.last_mut() else {
                lines.push(line);
                continue;
            };
            if line.caller == PLUGIN && !inner {
                last.add_bytes(&line);
            } else if line.caller == PLUGIN && last.caller == PLUGIN && last.function == line.function {
                last.calls += 1;
                last.time_ns = last.time_ns.zip(line.time_ns).map(|(one, other)| one + other);
                last.add_bytes(&line);
            } else {
                lines.push(line);
            }
        }
        Self(lines)
    }

    pub(crate) fn text(&self) -> String {
        let width = self.0.iter().map(|line| line.label().len()).max().unwrap_or_default();
        self.0.iter().map(|line| format!("{:<width$}  {}\n", line.label(), line.facts())).collect()
    }
}

const HOST: &str = "host";
const PLUGIN: &str = "plugin";

impl Line {
    fn of(call: TracedCall) -> Self {
        let caller = match call.direction {
            Direction::IntoPlugin => HOST,
            Direction::IntoHost => PLUGIN,
        };
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Self {
            caller,
            function: call.function,
            calls: 1,
            time_ns: call.took.map(nanoseconds),
            copied_bytes: call.copied_bytes,
            sent_bytes: call.sent_bytes,
            received_bytes: call.received_bytes,
        }
    }

    fn add_bytes(&mut self, other: &Self) {
        self.copied_bytes += other.copied_bytes;
        self.sent_bytes += other.sent_bytes;
        self.received_bytes += other.received_bytes;
    }

    fn label(&self) -> String {
        let indent = if self.caller == PLUGIN { "  " } else { "" };
        let times = if self.calls > 1 { format!(" x {}", self.calls) } else { String::new() };
        format!("{indent}{}{times}", self.function)
    }

    fn facts(&self) -> String {
        let time = self.time_ns.map_or_else(|| "did not come back".to_owned(), |ns| nanoseconds(ns as f64));
        let mut facts = vec![format!("{time:>9}")];
        for (what, count) in
            [("copied", self.copied_bytes), ("sent", self.sent_bytes), ("received", self.received_bytes)]
        {
            if count > 0 {
                facts.push(format!("{} {what}", bytes(count as f64)));
            }
        }
        facts.join("  ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(direction: Direction, function: &str, took: u64, sent_bytes: u64) -> TracedCall {
        TracedCall {
            direction,
            function: function.to_owned(),
            start: Duration::ZERO,
            took: Some(Duration::from_nanos(took)),
            copied_bytes: 1,
            sent_bytes,
            received_bytes: 0,
        }
    }

    fn traced() -> Vec<TracedCall> {
        vec![
            call(Direction::IntoPlugin, "ingest.send", 100, 0),
            call(Direction::IntoHost, "tcp.connection.write", 10, 5),
            call(Direction::IntoHost, "tcp.connection.write", 20, 6),
            call(Direction::IntoHost, "tcp.connection.read", 30, 0),
            call(Direction::IntoPlugin, "session.close", 1, 0),
        ]
    }

    #[test]
    fn equal_calls_in_a_row_are_one_line() {
        let Calls(lines) = Calls::new(traced(), true);
        let told: Vec<_> = lines.iter().map(|line| (line.label(), line.time_ns, line.sent_bytes)).collect();
        assert_eq!(
            told,
            [
                ("ingest.send".to_owned(), Some(100), 0),
                ("  tcp.connection.write x 2".to_owned(), Some(30), 11),
                ("  tcp.connection.read".to_owned(), Some(30), 0),
                ("session.close".to_owned(), Some(1), 0),
            ]
        );
    }

    #[test]
    fn without_the_inner_calls_their_bytes_are_still_counted() {
        let Calls(lines) = Calls::new(traced(), false);
        let told: Vec<_> =
            lines.iter().map(|line| (line.function.as_str(), line.sent_bytes, line.copied_bytes)).collect();
        assert_eq!(told, [("ingest.send", 11, 4), ("session.close", 0, 1)]);
    }

    #[test]
    fn a_call_that_did_not_come_back_is_told_from_a_quick_one() {
        let mut lost = call(Direction::IntoPlugin, "ingest.send", 0, 0);
        lost.took = None;
        assert!(Calls::new(vec![lost], true).text().contains("did not come back"));
    }
}
