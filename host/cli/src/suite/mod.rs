//! Suites: a file names runs that differ in a few settings; they are repeated in turns and compared. This first runner is simple on
//! purpose: medians, no intervals of confidence, no verdict about which is faster.
//!
//! Every run is a process of its own, the same binary as `benchhost run`. In one process, runs would share what they must not: the peak
//! memory of a process is that of its hungriest run, an allocator keeps what an earlier run left behind, and a crash would end all. A run
//! of a suite is therefore the same as that run alone, and its bundle is the same too.

mod file;
mod folder;
mod medians;
mod order;
mod overrides;
mod plan;
mod print;
mod process;
mod record;
mod repetition;

pub(crate) use file::{Entry, Suite};
pub(crate) use folder::SuiteFolder;
pub(crate) use order::turns;
pub(crate) use overrides::Overrides;
pub(crate) use plan::{Planned, folder_name};
pub(crate) use print::{plan_text, table, turn_line};
pub(crate) use process::{Child, Interrupts};
pub(crate) use record::{Ended, Record};
pub(crate) use repetition::Repetition;
