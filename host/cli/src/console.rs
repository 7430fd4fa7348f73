//! The terminal: the only place that writes to stdout and stderr. Lines never tear a progress bar apart.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use indicatif::{MultiProgress, ProgressDrawTarget};
use owo_colors::{OwoColorize, Style};

use crate::args::{ColorChoice, ProgressChoice};
use crate::failure::Failure;

/// What stderr shows while something runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgressStyle {
    /// A bar that is drawn over and over.
    Bar,
    /// A line from time to time.
    Plain,
    /// Nothing.
    Hidden,
}

/// stderr, shared by everything that speaks while a run goes: cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Console {
    bars: MultiProgress,
    style: ProgressStyle,
    color: bool,
    color_choice: ColorChoice,
    verbose: bool,
    /// Lines of different threads stay whole.
    lines: Arc<std::sync::Mutex<()>>,
}

impl Console {
    /// A console for these choices and the streams that the process has.
    pub(crate) fn new(progress: ProgressChoice, color: ColorChoice, verbose: bool) -> Self {
        let terminal = io::stderr().is_terminal() && !dumb();
        let style = match progress {
            ProgressChoice::None => ProgressStyle::Hidden,
            ProgressChoice::Auto if terminal => ProgressStyle::Bar,
            ProgressChoice::Auto | ProgressChoice::Plain => ProgressStyle::Plain,
        };
        let target =
            if style == ProgressStyle::Bar { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self {
            bars: MultiProgress::with_draw_target(target),
            style,
            color: colored(color, io::stderr().is_terminal()),
            color_choice: color,
            verbose,
            lines: Arc::default(),
        }
    }

    /// Before flags are known.
    pub(crate) fn plain() -> Self {
        Self::new(ProgressChoice::None, ColorChoice::Auto, false)
    }

    /// How progress is shown.
    pub(crate) fn style(&self) -> ProgressStyle {
        self.style
    }

    /// Whether the user wants to see more.
    pub(crate) fn verbose(&self) -> bool {
        self.verbose
    }

    /// Where bars are added.
    pub(crate) fn bars(&self) -> &MultiProgress {
        &self.bars
    }

    /// Whether a report on stdout may have colours.
    pub(crate) fn color_on_stdout(&self) -> bool {
        colored(self.color_choice, io::stdout().is_terminal())
    }

    /// Writes one line to stderr, above the progress bar. A closed stderr is nobody's error.
    pub(crate) fn line(&self, text: &str) {
        let _whole = self.lines.lock();
        self.bars.suspend(|| {
            let _ = writeln!(io::stderr().lock(), "{text}");
        });
    }

    /// A line that begins with a word in bold.
    pub(crate) fn labelled(&self, label: Label, text: &str) {
        let word = label.word();
        if self.color {
            self.line(&format!("{}: {text}", word.style(label.style())));
        } else {
            self.line(&format!("{word}: {text}"));
        }
    }

    /// A failure with its causes, and what to do next. It may quote plugins and servers.
    pub(crate) fn failure(&self, failure: &Failure) {
        let mut lines = failure.chain().into_iter().map(|line| printable(&line));
        self.labelled(Label::Error, &lines.next().unwrap_or_default());
        for cause in lines {
            self.line(&format!("  caused by: {cause}"));
        }
        if let Some(hint) = failure.hint() {
            self.labelled(Label::Hint, hint);
        }
    }
}

/// The words that lines on stderr begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Label {
    /// The command failed.
    Error,
    /// Something to mind.
    Warning,
    /// What to do next.
    Hint,
}

impl Label {
    fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }

    fn style(self) -> Style {
        match self {
            Self::Error => Style::new().red().bold(),
            Self::Warning => Style::new().yellow().bold(),
            Self::Hint => Style::new().cyan().bold(),
        }
    }
}

/// Writes to stdout. A reader that went away (`| head`) is no error.
///
/// # Errors
///
/// Anything else that keeps the text from being written, such as a full disk.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Text of a plugin or server, made harmless: control characters, which could rewrite the screen, are spelled out.
pub(crate) fn printable(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.trim_end().chars() {
        if c.is_control() && c != '\n' && c != '\t' {
            clean.extend(c.escape_default());
        } else {
            clean.push(c);
        }
    }
    clean
}

fn colored(choice: ColorChoice, terminal: bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => terminal && !dumb() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    }
}

fn dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_of_others_do_not_reach_the_terminal() {
        assert_eq!(printable("a\tb\nc\u{1b}[2J\u{7}d\n"), "a\tb\nc\\u{1b}[2J\\u{7}d");
    }

    #[test]
    fn always_and_never_do_not_depend_on_the_terminal() {
        assert!(colored(ColorChoice::Always, false));
        assert!(!colored(ColorChoice::Never, true));
        assert!(!colored(ColorChoice::Auto, false));
    }
}
