//! Where findings are written down.

use std::path::Path;

use crate::finding::{Finding, Outcome, Report};
use crate::rules::RULES;
use crate::shown;

/// The findings so far. The first word on a rule stands.
#[derive(Debug, Default)]
pub(crate) struct Book {
    findings: Vec<Finding>,
}

impl Book {
    pub(crate) fn pass(&mut self, rule: &'static str, says: impl Into<String>) {
        self.note(rule, Outcome::Pass, says.into(), None);
    }

    pub(crate) fn fail(&mut self, rule: &'static str, says: impl Into<String>, advice: impl Into<String>) {
        self.note(rule, Outcome::Fail, says.into(), Some(advice.into()));
    }

    pub(crate) fn warn(&mut self, rule: &'static str, says: impl Into<String>, advice: impl Into<String>) {
        self.note(rule, Outcome::Warn, says.into(), Some(advice.into()));
    }

    pub(crate) fn not_run(&mut self, rule: &'static str, says: impl Into<String>, advice: impl Into<String>) {
        self.note(rule, Outcome::NotRun, says.into(), Some(advice.into()));
    }

    /// Those of `rules` of which nothing was said yet are not run.
    pub(crate) fn rest(&mut self, rules: &[&'static str], says: &str, advice: &str) {
        for rule in rules {
            self.not_run(rule, says, advice);
        }
    }

    fn note(&mut self, rule: &'static str, outcome: Outcome, says: String, advice: Option<String>) {
        if self.findings.iter().all(|finding| finding.rule != rule) {
            self.findings.push(Finding { rule, outcome, says, advice });
        }
    }

    /// The report, in the order of the rules.
    pub(crate) fn report(mut self, plugin: &Path) -> Report {
        self.findings.sort_by_key(|finding| RULES.iter().position(|rule| *rule == finding.rule));
        Report::new(shown(plugin), self.findings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_on_a_rule_stands_and_the_order_is_that_of_the_rules() {
        let mut book = Book::default();
        book.pass("dataset.open", "opened");
        book.fail("about.name", "bad", "rename it");
        book.rest(&["about.name", "about.schema"], "not loaded", "mend it");
        let report = book.report(Path::new("p.wasm"));
        let found: Vec<_> = report.findings.iter().map(|finding| (finding.rule, finding.outcome)).collect();
        assert_eq!(
            found,
            [("about.name", Outcome::Fail), ("about.schema", Outcome::NotRun), ("dataset.open", Outcome::Pass)]
        );
    }
}
