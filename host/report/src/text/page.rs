//! Lines of a report: headings, labelled paragraphs, wrapping, colour. It knows columns of a terminal and nothing of benchmarks.

use owo_colors::Style as Paint;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Where the text of a labelled paragraph begins, and the cells of a table end their labels.
pub(super) const LABEL: usize = 15;

/// Longer texts are broken at their spaces, or the page would have holes.
const LONGEST_UNBROKEN: usize = 48;

/// How a piece of text is to be seen. Colour only repeats what the words say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Title,
    Quiet,
    Good,
    Doubtful,
    Bad,
}

/// A report being written.
pub(super) struct Page {
    out: String,
    width: usize,
    color: bool,
}

impl Page {
    pub(super) fn new(width: usize, color: bool) -> Self {
        Self { out: String::new(), width, color }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn blank(&mut self) {
        self.out.push('\n');
    }

    /// A word to be seen first, and what it stands for.
    pub(super) fn lead(&mut self, word: &str, tone: Tone, text: &str) {
        self.hanging(&format!("{word}  "), tone, text, Tone::Title);
    }

    pub(super) fn heading(&mut self, title: &str) {
        self.line(&[(title, Tone::Title)]);
    }

    /// One line of pieces that the caller has measured.
    pub(super) fn line(&mut self, pieces: &[(&str, Tone)]) {
        let plain: usize = pieces.iter().rev().take_while(|(text, _)| text.trim_end().is_empty()).count();
        let visible = &pieces[..pieces.len() - plain];
        for (index, (text, tone)) in visible.iter().enumerate() {
            let text = if index + 1 == visible.len() { text.trim_end() } else { text };
            if self.color && *tone != Tone::Plain {
                self.out.push_str(&paint(*tone).style(text).to_string());
            } else {
                self.out.push_str(text);
            }
        }
        self.out.push('\n');
    }

    /// `label` in its column, `text` wrapped beside it.
    pub(super) fn field(&mut self, label: &str, text: &str) {
        self.hanging(&pad_right(&format!("  {label}"), LABEL), Tone::Plain, text, Tone::Plain);
    }

    /// The same with a label to be seen.
    pub(super) fn field_in(&mut self, label: &str, text: &str, tone: Tone) {
        self.hanging(&pad_right(&format!("  {label}"), LABEL), tone, text, Tone::Plain);
    }

    /// Below a field: what its reader should do.
    pub(super) fn advice(&mut self, text: &str) {
        self.hanging(&format!("{}→ ", " ".repeat(LABEL)), Tone::Plain, text, Tone::Plain);
    }

    /// Below a field or a table: what its reader should know.
    pub(super) fn note(&mut self, text: &str) {
        self.hanging(&" ".repeat(LABEL), Tone::Plain, text, Tone::Quiet);
    }

    /// `text` wrapped, `indent` columns from the left.
    pub(super) fn paragraph(&mut self, indent: usize, text: &str, tone: Tone) {
        self.hanging(&" ".repeat(indent), Tone::Plain, text, tone);
    }

    fn hanging(&mut self, first: &str, first_tone: Tone, text: &str, tone: Tone) {
        let indent = columns(first);
        let lines = wrap(text, self.width.saturating_sub(indent));
        for (index, line) in lines.iter().enumerate() {
            if index == 0 {
                self.line(&[(first, first_tone), (line, tone)]);
            } else {
                self.line(&[(&" ".repeat(indent), Tone::Plain), (line, tone)]);
            }
        }
    }
}

fn paint(tone: Tone) -> Paint {
    let paint = Paint::new();
    match tone {
        Tone::Plain => paint,
        Tone::Title => paint.bold(),
        Tone::Quiet => paint.dimmed(),
        Tone::Good => paint.bold().green(),
        Tone::Doubtful => paint.bold().yellow(),
        Tone::Bad => paint.bold().red(),
    }
}

/// Columns that the text takes on a terminal.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

pub(super) fn pad_right(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text)).max(1)))
}

pub(super) fn pad_left(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(columns(text))))
}

/// Keeps a short text on one line, where it would be broken between a figure and its unit.
pub(super) fn unbroken(text: &str) -> String {
    if columns(text) <= LONGEST_UNBROKEN { text.replace(' ', "\u{a0}") } else { text.to_owned() }
}

/// A list of short texts, broken only between them.
pub(super) fn list(parts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    parts.into_iter().map(|part| unbroken(part.as_ref())).collect::<Vec<_>>().join(" · ")
}

/// Breaks at spaces; a word that is longer than a line is broken where the line ends. Texts of servers and plugins come through
/// here, so whatever would steer the terminal is made visible instead. At least one line, which may be empty.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_ascii_whitespace() {
        let word = visible(word);
        if used > 0 && used + 1 + columns(&word) > width {
            lines.push(String::new());
            used = 0;
        } else if used > 0 {
            push(&mut lines, " ");
            used += 1;
        }
        for letter in word.chars() {
            let wide = letter.width().unwrap_or(0);
            if used + wide > width {
                lines.push(String::new());
                used = 0;
            }
            push(&mut lines, letter.encode_utf8(&mut [0; 4]));
            used += wide;
        }
    }
    lines
}

fn push(lines: &mut [String], text: &str) {
    if let Some(line) = lines.last_mut() {
        line.push_str(text);
    }
}

/// A no-break space has done its work when the line is broken.
fn visible(word: &str) -> String {
    let letters = word.chars();
    letters
        .map(|letter| match letter {
            '\u{a0}' => ' ',
            control if control.is_control() => '\u{fffd}',
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_long_words_where_the_line_ends() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh ij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("  a\n\tb  ", 10), ["a b"]);
        assert_eq!(wrap("took 1.23\u{a0}ms", 10), ["took", "1.23 ms"]);
    }

    #[test]
    fn wide_letters_take_two_columns() {
        assert_eq!(wrap("日本語", 4), ["日本", "語"]);
    }

    #[test]
    fn a_servers_text_cannot_steer_the_terminal() {
        assert_eq!(wrap("\u{1b}[2Jgone\u{9b}31m", 40), ["\u{fffd}[2Jgone\u{fffd}31m"]);
    }

    #[test]
    fn no_line_ends_in_spaces() {
        let mut page = Page::new(40, false);
        page.line(&[("a", Tone::Plain), ("  ", Tone::Plain), ("", Tone::Bad)]);
        page.field("label", "");
        assert_eq!(page.finish(), "a\n  label\n");
    }
}
