//! What a check found, as data and as text.

use std::fmt;

use serde::Serialize;

use crate::rules::PURPOSE;

/// How a rule came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The plugin keeps it.
    Pass,
    /// The plugin breaks it.
    Fail,
    /// The plugin keeps it, and something about it will bother somebody.
    Warn,
    /// It could not be tried.
    NotRun,
}

impl Outcome {
    /// The name in JSON and in text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Warn => "warn",
            Self::NotRun => "not-run",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One rule, and how it came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule's name: one of [`RULES`](crate::RULES).
    pub rule: &'static str,
    /// How it came out.
    pub outcome: Outcome,
    /// What was seen. It may hold words of the plugin and of its server, without the secrets among the settings.
    pub says: String,
    /// What to do, in one line. None for a pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// Everything that a check found, in the order of the rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The plugin's file.
    pub plugin: String,
    /// As [`Report::passed`].
    passed: bool,
    /// One for each rule that concerns the plugin.
    pub findings: Vec<Finding>,
}

impl Report {
    pub(crate) fn new(plugin: String, findings: Vec<Finding>) -> Self {
        let failed = findings.iter().any(|finding| finding.outcome == Outcome::Fail);
        let done = findings
            .iter()
            .any(|finding| PURPOSE.contains(&finding.rule) && matches!(finding.outcome, Outcome::Pass | Outcome::Warn));
        Self { plugin, passed: done && !failed, findings }
    }

    /// Whether no rule is broken and the plugin did what it is for: a target wrote rows, or a generator made some. So a check that found no
    /// server has not passed, and has not failed either.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.passed
    }

    /// How many rules came out so.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        self.findings.iter().filter(|finding| finding.outcome == outcome).count()
    }

    /// The finding of this rule.
    #[must_use]
    pub fn finding(&self, rule: &str) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.rule == rule)
    }

    /// One line for each rule: outcome, rule, what was seen, and what to do. A rule that was not run for the reason of an earlier one names that.
    /// A last line counts the outcomes. Nothing in it steers a terminal.
    #[must_use]
    pub fn to_text(&self) -> String {
        let width = self.findings.iter().map(|finding| finding.rule.len()).max().unwrap_or_default();
        let mut text = String::new();
        for (number, Finding { rule, outcome, says, advice }) in self.findings.iter().enumerate() {
            text.push_str(&format!("{outcome:<7}  {rule:<width$}  "));
            let same = |other: &&Finding| (other.outcome, &other.says, &other.advice) == (*outcome, says, advice);
            let first = self.findings.iter().take(number).filter(|_| *outcome == Outcome::NotRun).find(same);
            match (first, advice) {
                // What stops one rule often stops all that follow.
                (Some(first), _) => text.push_str(&format!("as {}", first.rule)),
                (None, Some(advice)) => text.push_str(&format!("{} -> {}", one_line(says), one_line(advice))),
                (None, None) => text.push_str(&one_line(says)),
            }
            text.push('\n');
        }
        let counts: Vec<String> = [Outcome::Pass, Outcome::Fail, Outcome::Warn, Outcome::NotRun]
            .into_iter()
            .map(|outcome| format!("{} {outcome}", self.count(outcome)))
            .collect();
        let verdict = match (self.passed, self.count(Outcome::Fail)) {
            (true, _) => "passed",
            (false, 0) => "not passed: what it is for could not be tried",
            (false, _) => "failed",
        };
        text.push_str(&format!("{verdict} ({})\n", counts.join(", ")));
        text
    }
}

/// The longest text of a finding in a line, in characters: servers may answer with pages.
const LONGEST: usize = 400;

/// The text without line ends and control characters, and not longer than anyone reads.
fn one_line(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_control()).map(str::trim).filter(|part| !part.is_empty()).collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &'static str, outcome: Outcome, advice: Option<&str>) -> Finding {
        Finding { rule, outcome, says: "it\nis \u{1b}[2Jso".into(), advice: advice.map(Into::into) }
    }

    fn report(findings: Vec<Finding>) -> Report {
        Report::new("p.wasm".into(), findings)
    }

    #[test]
    fn a_check_that_could_not_try_anything_has_neither_passed_nor_failed() {
        let nothing = report(vec![
            finding("about.name", Outcome::Pass, None),
            finding("ingest.send", Outcome::NotRun, Some("start it")),
        ]);
        assert!(!nothing.passed());
        assert!(
            nothing
                .to_text()
                .ends_with("not passed: what it is for could not be tried (1 pass, 0 fail, 0 warn, 1 not-run)\n")
        );
        assert!(report(vec![finding("ingest.send", Outcome::Pass, None)]).passed());
        assert!(report(vec![finding("dataset.fill", Outcome::Warn, Some("look"))]).passed());
        let broken =
            report(vec![finding("ingest.send", Outcome::Pass, None), finding("about.name", Outcome::Fail, None)]);
        assert!(!broken.passed() && broken.to_text().ends_with("failed (1 pass, 1 fail, 0 warn, 0 not-run)\n"));
    }

    #[test]
    fn a_rule_is_one_line_whatever_the_plugin_says() {
        let text = report(vec![finding("about.name", Outcome::Fail, Some("mend\nit"))]).to_text();
        assert!(text.starts_with("fail     about.name  it is [2Jso -> mend it\nfailed"), "{text}");
    }

    #[test]
    fn a_page_is_cut_in_the_text_and_whole_in_the_data() {
        let long = Finding { says: "é".repeat(1_000), ..finding("about.name", Outcome::Pass, None) };
        let report = report(vec![long]);
        let text = report.to_text();
        assert!(text.contains(&format!("{}…\n", "é".repeat(LONGEST))) && !text.contains(&"é".repeat(LONGEST + 1)));
        assert_eq!(report.findings[0].says.chars().count(), 1_000);
    }

    #[test]
    fn a_reason_is_said_once() {
        let text = report(vec![
            finding("session.open", Outcome::NotRun, Some("start it")),
            finding("ingest.send", Outcome::NotRun, Some("start it")),
            finding("session.close", Outcome::NotRun, Some("wait")),
        ])
        .to_text();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with("-> start it") && lines[1].ends_with("  as session.open"), "{text}");
        assert!(lines[2].ends_with("so -> wait"), "{text}");
    }

    #[test]
    fn json_says_whether_it_passed_and_leaves_out_advice_that_there_is_not() {
        let json = serde_json::to_value(report(vec![finding("dataset.fill", Outcome::NotRun, None)])).unwrap();
        assert_eq!(json["passed"], false);
        assert_eq!(json["findings"][0]["outcome"], "not-run");
        assert!(json["findings"][0].get("advice").is_none());
    }
}
