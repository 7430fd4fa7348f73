//! The names of the rules.

/// Every rule, in the order of a report. A target has those of `session`, `ingest` and `fault`, a generator those of `dataset`.
pub const RULES: &[&str] = &[
    "component.is-component",
    "component.contract",
    "component.imports",
    "component.wasi",
    "component.size",
    "component.names",
    "about.describe",
    "about.name",
    "about.schema",
    "session.open",
    "session.server",
    "session.create-table",
    "ingest.encode.one-row",
    "ingest.encode.many-rows",
    "ingest.encode.no-rows",
    "ingest.encode.nulls",
    "ingest.encode.text",
    "ingest.encode.types",
    "ingest.payload-rows",
    "ingest.send",
    "session.count-rows",
    "ingest.same-payload-twice",
    "session.drop-table",
    "session.close",
    "fault.refused",
    "fault.stalled",
    "fault.reset",
    "fault.closed",
    "fault.recovers",
    "fault.throttled",
    "dataset.open",
    "dataset.fill",
    "dataset.deterministic",
    "dataset.seed",
    "dataset.bounds",
    "handles.leak",
];

/// The rules that need no code of the plugin to run.
pub(crate) const COMPONENT: &[&str] = part(RULES, 0, 6);
/// The rules about its description.
pub(crate) const ABOUT: &[&str] = part(RULES, 6, 9);
/// The rules about what it does. A plugin that cannot be loaded has no role, so all of them are named.
pub(crate) const BEHAVIOUR: &[&str] = part(RULES, 9, RULES.len());
/// The rules of a target that can be tried without a fault.
pub(crate) const TARGET: &[&str] = part(RULES, 9, 24);
/// The rules of a target on a way that fails.
pub(crate) const FAULT: &[&str] = part(RULES, 24, 30);
/// The rules of a generator.
pub(crate) const DATASET: &[&str] = part(RULES, 30, 35);
/// The rule of both.
pub(crate) const LEAK: &[&str] = part(RULES, 35, 36);

/// The rules that say whether a plugin does at all what it is for.
pub(crate) const PURPOSE: &[&str] = &["ingest.send", "dataset.fill"];

const fn part(all: &'static [&'static str], start: usize, end: usize) -> &'static [&'static str] {
    all.split_at(end).0.split_at(start).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_those_that_their_names_say() {
        let begin = |part: &[&str], with: &str| part.iter().all(|rule| rule.starts_with(with));
        assert!(begin(COMPONENT, "component."));
        assert!(begin(ABOUT, "about."));
        assert!(TARGET.iter().all(|rule| rule.starts_with("session.") || rule.starts_with("ingest.")));
        assert!(begin(FAULT, "fault."));
        assert!(begin(DATASET, "dataset."));
        assert!(begin(LEAK, "handles."));
        let parts = [COMPONENT, ABOUT, TARGET, FAULT, DATASET, LEAK];
        assert_eq!(parts.concat(), RULES);
        assert_eq!([TARGET, FAULT, DATASET, LEAK].concat(), BEHAVIOUR);
    }
}
