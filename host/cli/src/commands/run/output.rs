//! Where the result goes, and who is told while the run goes on.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use benchhost_core::{Crash, Interval, Observer, Phase, PhaseName, Plan, Progress};
use benchhost_report::{Bundle, BundleWriter, Document, HostFacts, PluginFacts};

use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::progress::TerminalObserver;

/// Where results go when nothing else is said.
const RESULTS: &str = "benchhost-results";

/// The word for no folder at all. A folder of that name is `./none`.
const NOWHERE: &str = "none";

/// The folder of a result, made and tried out before anything connects.
pub(super) struct Output {
    bundle: Option<Bundle>,
    /// Whether the folder was not there before.
    fresh: bool,
}

impl Output {
    /// Makes the folder that the user named, or one named after the time and the plugins.
    pub(super) fn prepare(named: Option<&Path>, target: &str, dataset: &str) -> Result<Self, Failure> {
        if named == Some(Path::new(NOWHERE)) {
            return Ok(Self { bundle: None, fresh: false });
        }
        let folder = named.map_or_else(|| unused_folder(target, dataset), Path::to_path_buf);
        let fresh = !folder.exists();
        let bundle = Bundle::create(&folder).or_usage()?;
        Ok(Self { bundle: Some(bundle), fresh })
    }

    /// The run begins: from here on, the folder holds what is known so far.
    pub(super) fn begin(
        self,
        plan: &Plan,
        host: &HostFacts,
        plugins: &[PluginFacts],
        console: &Console,
    ) -> Result<Watchers, Failure> {
        let fresh = self.fresh;
        let start = |bundle| BundleWriter::start(bundle, plan, SystemTime::now(), host, plugins);
        let writer = self.bundle.map(start).transpose().or_usage()?;
        Ok(Watchers { terminal: Some(TerminalObserver::new(console.clone())), writer, fresh })
    }
}

/// Those who watch a run: the terminal and the writer of the folder.
pub(super) struct Watchers {
    terminal: Option<TerminalObserver>,
    writer: Option<BundleWriter>,
    fresh: bool,
}

impl Watchers {
    /// Writes the result in the place of what was written so far. Gives the path of the document, unless nothing is kept on disk.
    pub(super) fn finish(self, document: &Document) -> Result<Option<PathBuf>, Failure> {
        self.writer.map(|writer| writer.finish(document)).transpose().or_internal()
    }

    /// Progress is no longer shown.
    pub(super) fn end_of_progress(&mut self) {
        self.terminal = None;
    }

    /// A run without a result leaves no folder behind. A folder with anything else in it stays.
    pub(super) fn discard(self) {
        let Some(writer) = self.writer else { return };
        let folder = writer.bundle().folder().to_owned();
        writer.discard();
        if self.fresh {
            let _ = std::fs::remove_dir(&folder);
            if let Some(results) = folder.parent().filter(|parent| parent.ends_with(RESULTS)) {
                let _ = std::fs::remove_dir(results);
            }
        }
    }

    fn each(&mut self) -> impl Iterator<Item = &mut dyn Observer> {
        let terminal = self.terminal.as_mut().map(|terminal| terminal as &mut dyn Observer);
        let writer = self.writer.as_mut().map(|writer| writer as &mut dyn Observer);
        terminal.into_iter().chain(writer)
    }
}

impl Observer for Watchers {
    fn begins(&mut self, phase: PhaseName) {
        self.each().for_each(|watcher| watcher.begins(phase));
    }

    fn progress(&mut self, phase: PhaseName, progress: Progress) {
        self.each().for_each(|watcher| watcher.progress(phase, progress));
    }

    fn interval(&mut self, interval: Interval<'_>) {
        self.each().for_each(|watcher| watcher.interval(interval));
    }

    fn ended(&mut self, phase: Phase) {
        self.each().for_each(|watcher| watcher.ended(phase));
    }

    fn crashed(&mut self, crash: &Crash) {
        self.each().for_each(|watcher| watcher.crashed(crash));
    }
}

/// `benchhost-results/20260102T030405Z-influx-cpu`, with a number behind it where two runs begin in one second.
fn unused_folder(target: &str, dataset: &str) -> PathBuf {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string().replace(['-', ':'], "");
    let name = format!("{now}-{target}-{dataset}");
    let first = Path::new(RESULTS).join(&name);
    if !first.exists() {
        return first;
    }
    let numbered = (2..u32::MAX).map(|number| Path::new(RESULTS).join(format!("{name}-{number}")));
    numbered.into_iter().find(|folder| !folder.exists()).unwrap_or(first)
}
