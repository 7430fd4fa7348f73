//! What went wrong: errors with an example each, and the session that died first.

use super::page::{Page, Tone};
use crate::document::{Crash, Document, ErrorEntry};
use crate::units::{count, counted};

/// More kinds than this are summed up: the document has them all.
const MOST_KINDS: usize = 8;
/// Letters of an example that are shown.
const MOST_LETTERS: usize = 400;
/// Lines of a plugin's last words that are shown.
const MOST_LINES: usize = 12;

pub(super) fn write(page: &mut Page, document: &Document) {
    errors(page, &document.errors);
    if let Some(first) = &document.crash {
        crash(page, first);
    }
}

fn errors(page: &mut Page, errors: &[ErrorEntry]) {
    if errors.is_empty() {
        return;
    }
    page.blank();
    page.heading("Errors");
    for error in errors.iter().take(MOST_KINDS) {
        let code = error.code.as_ref().map(|code| format!(" ({code})")).unwrap_or_default();
        page.paragraph(2, &format!("{} × {}{code}", count(error.count), error.kind), Tone::Bad);
        page.paragraph(6, &shortened(&error.example), Tone::Plain);
    }
    let rest = errors.get(MOST_KINDS..).unwrap_or_default();
    if !rest.is_empty() {
        let (kinds, sum) = (rest.len() as u64, rest.iter().map(|error| error.count).sum());
        page.paragraph(
            2,
            &format!("and {} of {} more in run.json", counted(sum, "error", "errors"), counted(kinds, "kind", "kinds")),
            Tone::Plain,
        );
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn crash(page: &mut Page, crash: &Crash) {
    page.blank();
    page.heading("First crash");
    page.paragraph(2, &format!("plugin {} died in `{}`", crash.plugin, crash.call), Tone::Bad);
    page.paragraph(6, &crash.reason, Tone::Plain);
    let lines: Vec<&str> = crash.stderr.lines().collect();
    if !lines.is_empty() {
        page.paragraph(2, "its last words on stderr", Tone::Plain);
        for line in &lines[lines.len().saturating_sub(MOST_LINES)..] {
            page.paragraph(6, &shortened(line), Tone::Quiet);
        }
    }
}
