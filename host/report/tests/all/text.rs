//! The terminal report: whole pages against files, and what must hold for every page.
//!
//! `BENCHHOST_UPDATE_GOLDEN=1 cargo test -p benchhost-report` writes the files anew; look at the difference before you keep it.

use std::fs;
use std::path::Path;

use benchhost_report::{Document, Style, text};

const PLAIN: Style = Style { color: false, width: None };

#[test]
fn pages_are_as_in_the_golden_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let update = std::env::var_os("BENCHHOST_UPDATE_GOLDEN").is_some();
    let mut different = Vec::new();
    for (name, result) in crate::common::all() {
        let page = text(&crate::common::document(&result), PLAIN);
        let file = folder.join(format!("{name}.txt"));
        if update {
            fs::write(&file, &page).unwrap();
        }
        if fs::read_to_string(&file).unwrap_or_default() != page {
            different.push(format!("--- {} should be\n{page}", file.display()));
        }
    }
    assert!(different.is_empty(), "{}\n(BENCHHOST_UPDATE_GOLDEN=1 writes them anew)", different.join("\n"));
}

#[test]
fn the_verdict_comes_first() {
    let first_word = |page: String| page.split_whitespace().next().unwrap().to_owned();
    assert_eq!(first_word(text(&crate::common::document(&crate::common::complete()), PLAIN)), "VALID");
    assert_eq!(first_word(text(&crate::common::document(&crate::common::troubled()), PLAIN)), "INVALID");
}

#[test]
fn no_line_is_longer_than_100_columns_or_than_the_terminal() {
    for (name, result) in crate::common::all() {
        for (width, most) in [(None, 100), (Some(300), 100), (Some(80), 80), (Some(93), 93)] {
            let page = text(&crate::common::document(&result), Style { color: false, width });
            for line in page.lines() {
                assert!(unicode_width::UnicodeWidthStr::width(line) <= most, "{name} at {most}: {line}");
            }
        }
    }
}

#[test]
fn there_are_no_colour_codes_unless_asked_for_and_colour_adds_nothing_else() {
    for (name, result) in crate::common::all() {
        let document = crate::common::document(&result);
        let plain = text(&document, PLAIN);
        let colored = text(&document, Style { color: true, width: None });
        assert!(!plain.contains('\u{1b}'), "{name}");
        assert!(colored.contains("\u{1b}["), "{name}");
        assert_eq!(without_codes(&colored), plain, "{name}");
    }
}

#[test]
fn a_page_is_made_from_the_document_alone() {
    let document = crate::common::document(&crate::common::troubled());
    let read: Document = serde_json::from_str(&document.to_json()).unwrap();
    assert_eq!(text(&read, PLAIN), text(&document, PLAIN));
}

#[test]
fn percentiles_with_too_few_samples_are_dashes_with_a_note() {
    let page = text(&crate::common::document(&crate::common::unverifiable()), PLAIN);
    let write = page.lines().find(|line| line.starts_with("  write") && line.contains(" ns")).unwrap();
    // Of 30 samples the median has 15 beyond it, the 90th percentile 3.
    assert_eq!(write.matches('–').count(), 4, "{write}");
    assert!(page.contains("–: fewer than 10 samples lie beyond it"));
    assert!(!text(&crate::common::document(&crate::common::streamed()), PLAIN).contains("fewer than 10 samples"));
}

fn without_codes(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').unwrap().1)
}

#[test]
fn the_embedded_server_is_named_as_what_it_is_and_no_database() {
    let document = crate::common::document(&crate::common::complete()).of_embedded_server(true);
    assert!(document.embedded_server);
    assert_eq!(document.server["product"], "benchhost reference server, answering as InfluxDB");
    let page = text(&document, PLAIN);
    assert!(page.contains("  embedded     ") && page.contains("own reference server"), "{page}");
    let named = crate::common::document(&crate::common::complete()).of_embedded_server(false);
    assert_eq!(named.server["product"], "InfluxDB");
}

#[test]
fn rows_that_were_handed_over_are_told_from_those_that_were_acknowledged_one_by_one() {
    let mut result = crate::common::complete();
    result.operations.handed_over = result.operations.ok;
    let page = text(&crate::common::document(&result), PLAIN);
    assert!(page.contains("handed over") && page.contains("acknowledged at their end"), "{page}");
    assert!(!page.lines().next().unwrap().contains("p99"), "{page}");
}
