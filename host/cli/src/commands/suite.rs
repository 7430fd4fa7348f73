//! `benchhost suite`: runs of a file, one after the other, and the table of what came of them.

use std::path::Path;
use std::time::SystemTime;

use super::plugin_list::json;
use crate::args::{FormatChoice, SuiteRunArgs, SuiteShowArgs};
use crate::console::{self, Console};
use crate::exit::ExitStatus;
use crate::failure::{Classify, Failure};
use crate::nearest::nearest;
use crate::suite::{
    Child, Ended, Interrupts, Overrides, Planned, Record, Repetition, Suite, SuiteFolder, folder_name, plan_text,
    table, turn_line, turns,
};

/// What a suite cannot be asked for.
#[derive(Debug, thiserror::Error)]
enum SuiteRefused {
    #[error("--runs 0 would run nothing; give at least 1")]
    NoRuns,
    #[error("--only {name}: the suite has no such run; its runs are {known}")]
    NoSuchRun { name: String, known: String },
}

/// Shows what would be run.
pub(crate) fn show(args: &SuiteShowArgs) -> Result<ExitStatus, Failure> {
    let suite = Suite::read(&args.file)?;
    planned(&suite, &Overrides::default(), args.print.format)
}

/// Runs every run of the suite, and answers with the worst answer of them.
pub(crate) fn run(args: &SuiteRunArgs, console: &Console) -> Result<ExitStatus, Failure> {
    let suite = chosen(Suite::read(&args.file)?, args)?;
    let overrides = Overrides::of_plugins(&args.params)
        .flag("--rows", args.rows.map(|rows| rows.to_string()))
        .flag("--endpoint", args.endpoint.clone())
        .flag("--database", args.database.clone())
        .flag("--user", args.user.clone());
    overrides.check(&suite)?;
    if args.dry_run {
        return planned(&suite, &overrides, args.print.format);
    }
    let now = SystemTime::now();
    let folder = SuiteFolder::create(&args.output, &suite.name, now).or_usage()?;
    let mut record = Record::new(&suite, &args.file, now);
    write(&folder, &record)?;
    let interrupts = Interrupts::watch(console.clone())?;
    let mut complete = true;
    let turns: Vec<_> = turns(suite.entries.len(), suite.runs).collect();
    for (number, turn) in turns.iter().enumerate() {
        let entry = &suite.entries[turn.run];
        console.line(&format!("run {} of {}: {}", number + 1, turns.len(), folder_name(&entry.name, turn.repetition)));
        let bundle = folder.path().join(folder_name(&entry.name, turn.repetition));
        let words = overrides.words(entry);
        let mut child = Child::new(&entry.config, &words, &bundle, &args.terminal).or_internal()?;
        let Some(status) = interrupts.run(&mut child).or_internal()? else {
            complete = false;
            break;
        };
        let repetition = repetition(&entry.name, turn.repetition, status.code(), &bundle, console);
        console.line(&turn_line(&entry.name, &repetition));
        record.add(turn.run, repetition);
        write(&folder, &record)?;
        // The user may have asked while this run was already at its end; then it is as good as any.
        let cut = status.code().is_none_or(|code| code == ExitStatus::Interrupted as i32);
        if interrupts.requested() && cut {
            complete = false;
            break;
        }
    }
    record.ended = if complete { Ended::Complete } else { Ended::Interrupted };
    write(&folder, &record)?;
    let text = match args.print.format {
        FormatChoice::Json => json(&record)?,
        FormatChoice::Text => table(&record),
    };
    console::print(&text).or_internal()?;
    console.line(&format!("results: {}", folder.record().display()));
    Ok(record.status())
}

/// The suite with what the command line says about its extent.
fn chosen(mut suite: Suite, args: &SuiteRunArgs) -> Result<Suite, Failure> {
    suite.runs = args.runs.unwrap_or(suite.runs);
    if suite.runs == 0 {
        return Err(Failure::usage(SuiteRefused::NoRuns));
    }
    for name in &args.only {
        let names = || suite.entries.iter().map(|entry| entry.name.as_str());
        if names().any(|known| known == name) {
            continue;
        }
        let known = names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let failure = Failure::usage(SuiteRefused::NoSuchRun { name: name.clone(), known });
        return Err(match nearest(name, names()) {
            Some(near) => failure.with_hint(format!("did you mean `{near}`?")),
            None => failure,
        });
    }
    if !args.only.is_empty() {
        suite.entries.retain(|entry| args.only.contains(&entry.name));
    }
    Ok(suite)
}

/// Prints a plan.
fn planned(suite: &Suite, overrides: &Overrides, format: FormatChoice) -> Result<ExitStatus, Failure> {
    let planned = Planned::new(suite, overrides);
    let text = match format {
        FormatChoice::Json => json(&planned)?,
        FormatChoice::Text => plan_text(&planned),
    };
    console::print(&text).or_internal()?;
    Ok(ExitStatus::Success)
}

/// What a run left behind.
fn repetition(run: &str, number: u32, code: Option<i32>, bundle: &Path, console: &Console) -> Repetition {
    match benchhost_report::show(bundle) {
        Ok(document) => Repetition::new(run, number, code, &document),
        Err(error) => {
            // A run that failed has said why; one that did not must not vanish silently.
            if code == Some(0) {
                console.failure(&Failure::internal(error));
            }
            Repetition::without_result(run, number, code)
        }
    }
}

fn write(folder: &SuiteFolder, record: &Record) -> Result<(), Failure> {
    folder.write(&json(record)?).or_internal()
}
