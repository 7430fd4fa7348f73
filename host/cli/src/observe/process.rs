//! Processes of this machine: one by its number, or all of one program.

use std::collections::HashMap;
use std::time::Duration;

use benchhost_core::{Probe, ProbeError, Usage};

use super::error::ObserveError;
use super::proc::{Proc, Reading};

/// `pid:N`: one process, its children not included.
pub(super) struct Numbered {
    name: String,
    pid: u32,
    /// When it began.
    started: u64,
    proc: Proc,
}

impl Numbered {
    /// The process that has this number now.
    ///
    /// # Errors
    ///
    /// `NoProcess`.
    pub(super) fn open(name: String, pid: u32, proc: Proc) -> Result<Self, ObserveError> {
        let reading = proc.read(pid).ok_or(ObserveError::NoProcess(pid))?;
        Ok(Self { name, pid, started: reading.started, proc })
    }

    fn usage(&self) -> Result<Usage, ObserveError> {
        let reading = self.proc.read(self.pid).ok_or(ObserveError::NoProcess(self.pid))?;
        if reading.started != self.started {
            return Err(ObserveError::Reused(self.pid));
        }
        Ok(Usage {
            cpu: Some(reading.cpu),
            memory_bytes: Some(reading.memory_bytes),
            disk_read_bytes: reading.disk.map(|(read, _)| read),
            disk_written_bytes: reading.disk.map(|(_, written)| written),
            ..Usage::default()
        })
    }
}

impl Probe for Numbered {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn sample(&mut self) -> Result<Usage, ProbeError> {
        self.usage().map_err(ProbeError::new)
    }
}

/// `name:X`: all processes of a program together, those that come later included. What a process had used until the last sample before
/// its end stays in the sums. Memory that processes share counts for each of them.
pub(super) struct Named {
    name: String,
    program: String,
    proc: Proc,
    /// Never counted: this process, should it have that name.
    own: u32,
    alive: HashMap<u32, Reading>,
    /// Of processes that have ended.
    ended: Sums,
}

/// Counters of several processes, added up.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    cpu: Duration,
    read: u64,
    written: u64,
}

impl Sums {
    fn add(&mut self, reading: &Reading) {
        let (read, written) = reading.disk.unwrap_or_default();
        self.cpu += reading.cpu;
        self.read += read;
        self.written += written;
    }
}

impl Named {
    /// The processes of `program`, of which there must be one.
    ///
    /// # Errors
    ///
    /// `NoProgram`.
    pub(super) fn open(name: String, program: String, proc: Proc) -> Result<Self, ObserveError> {
        let own = std::process::id();
        let mut named = Self { name, program, proc, own, alive: HashMap::new(), ended: Sums::default() };
        named.usage()?;
        Ok(named)
    }

    fn usage(&mut self) -> Result<Usage, ObserveError> {
        let found = self.proc.named(&self.program);
        let found = found.map_err(|reason| ObserveError::Read { path: "/proc".into(), reason })?;
        let readings =
            found.into_iter().filter(|pid| *pid != self.own).filter_map(|pid| Some((pid, self.proc.read(pid)?)));
        let mut now: HashMap<u32, Reading> = readings.collect();
        for (pid, before) in self.alive.drain() {
            match now.get_mut(&pid) {
                Some(same) if same.started == before.started => {
                    // Of one that is just ending, the kernel tells this no more.
                    same.disk = same.disk.or(before.disk);
                }
                _ => self.ended.add(&before),
            }
        }
        self.alive = now;
        if self.alive.is_empty() {
            return Err(ObserveError::NoProgram(self.program.clone()));
        }
        let mut sums = self.ended;
        self.alive.values().for_each(|reading| sums.add(reading));
        // A sum with a part missing would pass for the whole.
        let disk = self.alive.values().all(|reading| reading.disk.is_some());
        Ok(Usage {
            cpu: Some(sums.cpu),
            memory_bytes: Some(self.alive.values().map(|reading| reading.memory_bytes).sum()),
            disk_read_bytes: disk.then_some(sums.read),
            disk_written_bytes: disk.then_some(sums.written),
            ..Usage::default()
        })
    }
}

impl Probe for Named {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn sample(&mut self) -> Result<Usage, ProbeError> {
        self.usage().map_err(ProbeError::new)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::proc::make;
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_process_that_has_ended_is_told_from_one_that_got_its_number() {
        let root = tempfile::tempdir().unwrap();
        make(root.path(), 7, "db", 100, 5, 10);
        let mut probe = Numbered::open("pid:7".into(), 7, Proc::at(root.path())).unwrap();
        make(root.path(), 7, "db", 300, 5, 20);
        let usage = probe.sample().unwrap();
        assert_eq!((usage.cpu, usage.memory_bytes), (Some(SECOND * 3), Some(81_920)));
        assert_eq!((usage.disk_read_bytes, usage.network_sent_bytes), (None, None), "not told, so not zero");
        make(root.path(), 7, "other", 1, 6, 1);
        assert!(probe.sample().unwrap_err().to_string().contains("another one has its number"));
        fs::remove_dir_all(root.path().join("7")).unwrap();
        assert_eq!(probe.sample().unwrap_err().to_string(), ObserveError::NoProcess(7).to_string());
    }

    #[test]
    fn processes_of_a_program_are_added_up_as_they_come_and_go() {
        let root = tempfile::tempdir().unwrap();
        let io = |pid: u32, read: u64, written: u64| {
            let text = format!("read_bytes: {read}\nwrite_bytes: {written}\n");
            fs::write(root.path().join(format!("{pid}/io")), text).unwrap();
        };
        let error = Named::open(String::new(), "db".into(), Proc::at(root.path())).err().unwrap();
        assert!(error.to_string().contains("`db`"), "{error}");
        make(root.path(), 7, "db", 100, 5, 10);
        io(7, 1000, 0);
        make(root.path(), 8, "db", 200, 6, 10);
        io(8, 0, 500);
        make(root.path(), 9, "other", 900, 7, 90);
        let mut probe = Named::open("name:db".into(), "db".into(), Proc::at(root.path())).unwrap();
        let mut sample = move || {
            let usage = probe.sample()?;
            let disk = usage.disk_read_bytes.zip(usage.disk_written_bytes);
            Ok::<_, ProbeError>((usage.cpu.unwrap(), usage.memory_bytes.unwrap() / 4096, disk))
        };
        assert_eq!(sample().unwrap(), (SECOND * 3, 20, Some((1000, 500))));
        // One ends, and one comes.
        fs::remove_dir_all(root.path().join("8")).unwrap();
        make(root.path(), 11, "db", 100, 8, 5);
        io(11, 1, 1);
        assert_eq!(sample().unwrap(), (SECOND * 4, 15, Some((1001, 501))));
        // One ends, and its number goes to the next.
        make(root.path(), 7, "db", 0, 9, 1);
        assert_eq!(sample().unwrap(), (SECOND * 4, 6, Some((2001, 501))));
        // One whose disks are not told leaves no sum of them.
        fs::remove_file(root.path().join("7/io")).unwrap();
        make(root.path(), 12, "db", 0, 9, 1);
        assert_eq!(sample().unwrap(), (SECOND * 4, 7, None));
        for pid in [7, 11, 12] {
            fs::remove_dir_all(root.path().join(pid.to_string())).unwrap();
        }
        assert!(sample().is_err());
        make(root.path(), 13, "db", 100, 20, 3);
        io(13, 0, 0);
        assert_eq!(sample().unwrap().0, SECOND * 5, "started anew, and nothing is lost");
    }

    #[test]
    fn the_program_that_looks_is_not_counted() {
        let root = tempfile::tempdir().unwrap();
        make(root.path(), std::process::id(), "db", 100, 5, 10);
        assert!(Named::open(String::new(), "db".into(), Proc::at(root.path())).is_err());
        make(root.path(), 1, "db", 700, 5, 10);
        let mut probe = Named::open(String::new(), "db".into(), Proc::at(root.path())).unwrap();
        assert_eq!(probe.sample().unwrap().cpu, Some(SECOND * 7));
    }
}
