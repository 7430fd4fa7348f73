//! One file for each command.

pub(crate) mod calibrate;
pub(crate) mod generate;
pub(crate) mod merge;
pub(crate) mod overhead;
pub(crate) mod plugin_build;
pub(crate) mod plugin_check;
pub(crate) mod plugin_inspect;
pub(crate) mod plugin_list;
pub(crate) mod plugin_new;
pub(crate) mod plugin_run;
pub(crate) mod plugin_wit;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod suite;

use benchhost_report::{Document, Style};

use crate::args::FormatChoice;
use crate::console::{self, Console};
use crate::failure::{Classify, Failure};

/// Prints a document to stdout, as the user wants it.
fn printed(document: &Document, format: FormatChoice, console: &Console) -> Result<(), Failure> {
    let width = terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0);
    let text = match format {
        FormatChoice::Json => document.to_json(),
        FormatChoice::Text => benchhost_report::text(document, Style { color: console.color_on_stdout(), width }),
    };
    console::print(&text).or_internal().map_err(|failure| failure.context("cannot write the report to stdout"))
}
