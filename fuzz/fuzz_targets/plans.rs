//! Files that a user writes: suites, configurations of a run, `plugin.toml`. Whatever stands in them is a plan, or an error with words.

#![no_main]
#![allow(dead_code, unused_imports, reason = "the program's own modules, of which this needs the parsers")]

#[path = "../../host/cli/src/args/mod.rs"]
mod args;
#[path = "../../host/cli/src/config.rs"]
mod config;
#[path = "../../host/cli/src/exit.rs"]
mod exit;
#[path = "../../host/cli/src/failure.rs"]
mod failure;
#[path = "../../host/cli/src/nearest.rs"]
mod nearest;
#[path = "../../host/cli/src/observe/mod.rs"]
mod observe;
#[path = "../../host/cli/src/pairs.rs"]
mod pairs;
#[path = "../../host/cli/src/suite/file.rs"]
mod suite;
#[path = "../../host/cli/src/units.rs"]
mod units;

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

/// A folder in memory for the file that is read.
static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let memory = PathBuf::from("/dev/shm");
    let place = if memory.is_dir() { memory } else { std::env::temp_dir() };
    tempfile::tempdir_in(place).expect("a folder for the file")
});

fuzz_target!(|data: &[u8]| {
    let Some((kind, text)) = data.split_first() else { return };
    let file = |name: &str| {
        let path = FOLDER.path().join(name);
        std::fs::write(&path, text).expect("the file is written");
        path
    };
    let told = match kind % 3 {
        0 => suite::Suite::read(&file("suite.toml")).err().map(|failure| failure.chain().join(": ")),
        1 => config::read(&file("run.toml"), &args::command(), "run").err().map(|failure| failure.chain().join(": ")),
        _ => {
            file("plugin.toml");
            benchhost_authoring::Manifest::read(FOLDER.path()).err().map(|error| error.to_string())
        }
    };
    assert!(told.is_none_or(|words| !words.is_empty()));
});
