//! `/proc`, as far as it tells what processes use.

use std::fs;
use std::io;
#[cfg(test)]
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

/// Bytes of a process's name that the kernel keeps.
const NAME_KEPT: usize = 15;

/// The folder, and the units that its files count in.
pub(super) struct Proc {
    root: PathBuf,
    ticks_per_second: u64,
    page_bytes: u64,
}

/// One process at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    /// When it began, in ticks since the machine did: tells processes with the same number apart.
    pub(super) started: u64,
    /// Its processor time, user and system, all threads.
    pub(super) cpu: Duration,
    /// Its resident memory; pages that it shares with others included.
    pub(super) memory_bytes: u64,
    /// Bytes that it read from and wrote to disks; none where the kernel tells only its owner.
    pub(super) disk: Option<(u64, u64)>,
}

impl Proc {
    /// The one of this machine.
    pub(super) fn of_this_machine() -> Self {
        let page_bytes = u64::try_from(rustix::param::page_size()).unwrap_or(4096);
        Self { root: "/proc".into(), ticks_per_second: rustix::param::clock_ticks_per_second().max(1), page_bytes }
    }

    /// One that a test made, with 100 ticks per second and pages of 4096 bytes.
    #[cfg(test)]
    pub(super) fn at(root: &Path) -> Self {
        Self { root: root.into(), ticks_per_second: 100, page_bytes: 4096 }
    }

    /// The folder of a process.
    pub(super) fn folder(&self, pid: u32) -> PathBuf {
        self.root.join(pid.to_string())
    }

    /// What a process has used; none when there is no such process (any more).
    pub(super) fn read(&self, pid: u32) -> Option<Reading> {
        let folder = self.folder(pid);
        let (ticks, started) = times(&fs::read_to_string(folder.join("stat")).ok()?)?;
        let pages = resident(&fs::read_to_string(folder.join("statm")).ok()?)?;
        let disk = fs::read_to_string(folder.join("io")).ok().as_deref().and_then(disk);
        Some(Reading { started, cpu: self.time(ticks), memory_bytes: pages.saturating_mul(self.page_bytes), disk })
    }

    /// Numbers of the processes whose program is `name`.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub(super) fn named(&self, name: &str) -> io::Result<Vec<u32>> {
        let numbers = fs::read_dir(&self.root)?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        Ok(numbers.filter(|pid| self.is_named(*pid, name)).collect())
    }

    /// Whether the process's own name or the file that it runs is `name`. The file is told only to its owner; without it, as much of the
    /// name as the kernel keeps has to do.
    fn is_named(&self, pid: u32, name: &str) -> bool {
        let folder = self.folder(pid);
        let Ok(own) = fs::read_to_string(folder.join("comm")) else { return false };
        let own = own.trim_end_matches('\n');
        if own == name {
            return true;
        }
        match fs::read_link(folder.join("exe")) {
            Ok(file) => file.file_name().and_then(|file| file.to_str()).is_some_and(|file| {
                // What the kernel says of a program whose file was replaced while it ran.
                file.strip_suffix(" (deleted)").unwrap_or(file) == name
            }),
            Err(_) => own.len() == NAME_KEPT && name.starts_with(own),
        }
    }

    fn time(&self, ticks: u64) -> Duration {
        let rest = u128::from(ticks % self.ticks_per_second) * 1_000_000_000 / u128::from(self.ticks_per_second);
        Duration::new(ticks / self.ticks_per_second, u32::try_from(rest).unwrap_or(0))
    }
}

/// Ticks of processor time, and the tick that it began at, of `/proc/PID/stat`. The name in it may hold spaces and brackets.
fn times(stat: &str) -> Option<(u64, u64)> {
    let (_, fields) = stat.rsplit_once(") ")?;
    // The first of these is the third of the file.
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    Some((field(14)? + field(15)?, field(22)?))
}

/// Resident pages, of `/proc/PID/statm`.
fn resident(statm: &str) -> Option<u64> {
    statm.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Bytes read and written, of `/proc/PID/io`.
fn disk(io: &str) -> Option<(u64, u64)> {
    let field = |name: &str| io.lines().find_map(|line| line.strip_prefix(name))?.trim().parse().ok();
    Some((field("read_bytes:")?, field("write_bytes:")?))
}

/// A process that a test makes up: its number, name, ticks of processor time, start and resident pages.
#[cfg(test)]
pub(super) fn make(root: &Path, pid: u32, name: &str, ticks: u64, started: u64, pages: u64) {
    let folder = root.join(pid.to_string());
    fs::create_dir_all(&folder).unwrap();
    let stat = format!(
        "{pid} ({name}) S 1 1 1 0 -1 0 0 0 0 0 {} {} 7 8 20 0 1 0 {started} 3133440 387\n",
        ticks / 2,
        ticks.div_ceil(2)
    );
    fs::write(folder.join("stat"), stat).unwrap();
    fs::write(folder.join("statm"), format!("765 {pages} 300 5 0 80 0\n")).unwrap();
    fs::write(folder.join("comm"), format!("{}\n", &name[..name.len().min(NAME_KEPT)])).unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_name() {
        let root = tempfile::tempdir().unwrap();
        let proc = Proc::at(root.path());
        make(root.path(), 12, "a) S 1 (b", 251, 777, 10);
        let expected = Reading { started: 777, cpu: Duration::from_millis(2510), memory_bytes: 40_960, disk: None };
        assert_eq!(proc.read(12), Some(expected));
        fs::write(
            root.path().join("12/io"),
            "rchar: 9\nwchar: 8\nread_bytes: 512\nwrite_bytes: 1024\ncancelled_write_bytes: 0\n",
        )
        .unwrap();
        assert_eq!(proc.read(12), Some(Reading { disk: Some((512, 1024)), ..expected }));
        assert_eq!(proc.read(13), None);
    }

    #[test]
    fn processes_are_found_by_their_own_name_or_by_the_file_that_they_run() {
        let root = tempfile::tempdir().unwrap();
        let proc = Proc::at(root.path());
        make(root.path(), 1, "postgres", 0, 0, 0);
        make(root.path(), 2, "main thread", 0, 0, 0);
        make(root.path(), 3, "main thread", 0, 0, 0);
        make(root.path(), 4, "postgres: writer", 0, 0, 0);
        fs::write(root.path().join("uptime"), "1").unwrap();
        let runs = |pid: u32, file: &str| std::os::unix::fs::symlink(file, proc.folder(pid).join("exe")).unwrap();
        runs(2, "/usr/lib/postgresql/18/bin/postgres");
        runs(3, "/opt/questdb/bin/java (deleted)");
        let named = |name: &str| {
            let mut pids = proc.named(name).unwrap();
            pids.sort_unstable();
            pids
        };
        assert_eq!(named("postgres"), [1, 2]);
        assert_eq!(named("java"), [3]);
        assert_eq!(named("postgres: writer"), [4], "its name is longer than what the kernel keeps of it");
        assert_eq!(named("post"), [] as [u32; 0]);
    }

    #[test]
    fn the_real_one_has_this_process() {
        let reading = Proc::of_this_machine().read(std::process::id()).unwrap();
        assert!(reading.memory_bytes > 100_000 && reading.started > 0, "{reading:?}");
    }
}
