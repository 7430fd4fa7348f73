//! Guests that attack their host, one behaviour each: all are contained, in bounded time and in words that name plugin, call and rule.
//! `docs/sandbox.md` has a row for every one of them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "../all/common/mod.rs"]
mod common;
#[path = "../all/common/component.rs"]
mod component;

mod calls;
mod dataset;
mod exports;
mod files;
mod lab;
mod network;
mod words;

/// The page is only worth something if it is whole.
#[test]
fn hostile_page_has_a_row_for_each_test() {
    const SOURCES: [&str; 6] = [
        include_str!("calls.rs"),
        include_str!("dataset.rs"),
        include_str!("exports.rs"),
        include_str!("files.rs"),
        include_str!("network.rs"),
        include_str!("words.rs"),
    ];
    let names = |text: &str| -> std::collections::BTreeSet<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.filter(|word| word.starts_with("hostile_") && *word != "hostile_dataset").map(str::to_owned).collect()
    };
    assert_eq!(names(include_str!("../../../../docs/sandbox.md")), names(&SOURCES.concat()));
}
