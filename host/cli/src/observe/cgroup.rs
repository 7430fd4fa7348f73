//! Control groups of version 2: what all processes of a service or container use together.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchhost_core::{Probe, ProbeError, Usage};

use super::error::ObserveError;

/// Where control groups are.
const ROOT: &str = "/sys/fs/cgroup";

/// `cgroup:PATH`: a group and those below it.
pub(super) struct Cgroup {
    name: String,
    /// As the user named it.
    group: String,
    folder: PathBuf,
}

impl Cgroup {
    /// The group at `path`: a folder, or a path below the root of all groups, with or without a slash before it.
    ///
    /// # Errors
    ///
    /// `Cgroup`, `Unknown`: when it does not tell processor time or memory.
    pub(super) fn open(name: String, path: &str) -> Result<Self, ObserveError> {
        Self::open_below(name, path, Path::new(ROOT))
    }

    fn open_below(name: String, path: &str, root: &Path) -> Result<Self, ObserveError> {
        let absolute = Path::new(path);
        // `/proc/PID/cgroup` writes a slash before paths that begin at the root of all groups.
        let folder = if absolute.is_absolute() && absolute.is_dir() {
            absolute.to_owned()
        } else {
            root.join(path.trim_start_matches('/'))
        };
        let cgroup = Self { name, group: path.to_owned(), folder };
        cgroup.usage()?;
        Ok(cgroup)
    }

    fn usage(&self) -> Result<Usage, ObserveError> {
        let disk = fs::read_to_string(self.folder.join("io.stat")).ok().as_deref().map(disk);
        Ok(Usage {
            cpu: Some(self.read("cpu.stat", "usage_usec", processor_time)?),
            memory_bytes: Some(self.read("memory.current", "a number of bytes", |text| text.trim().parse().ok())?),
            disk_read_bytes: disk.map(|(read, _)| read),
            disk_written_bytes: disk.map(|(_, written)| written),
            ..Usage::default()
        })
    }

    fn read<T>(&self, file: &str, what: &'static str, parse: fn(&str) -> Option<T>) -> Result<T, ObserveError> {
        let path = self.folder.join(file);
        match fs::read_to_string(&path) {
            Ok(text) => parse(&text).ok_or(ObserveError::Unknown { path, what }),
            Err(reason) => Err(ObserveError::Cgroup { group: self.group.clone(), path, reason }),
        }
    }
}

impl Probe for Cgroup {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn sample(&mut self) -> Result<Usage, ProbeError> {
        self.usage().map_err(ProbeError::new)
    }
}

/// Of `cpu.stat`.
fn processor_time(text: &str) -> Option<Duration> {
    let micros = text.lines().find_map(|line| line.strip_prefix("usage_usec "))?;
    Some(Duration::from_micros(micros.trim().parse().ok()?))
}

/// Bytes read and written, all devices, of `io.stat`; a group that has not touched a disk has no line.
fn disk(text: &str) -> (u64, u64) {
    let sum = |name: &str| {
        let fields = text.split_ascii_whitespace().filter_map(|field| field.strip_prefix(name)?.parse::<u64>().ok());
        fields.sum()
    };
    (sum("rbytes="), sum("wbytes="))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(root: &Path, files: &[(&str, &str)]) {
        let folder = root.join("system.slice/db.service");
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in files {
            fs::write(folder.join(name), text).unwrap();
        }
    }

    fn open(root: &Path, path: &str) -> Result<Cgroup, ObserveError> {
        Cgroup::open_below(format!("cgroup:{path}"), path, root)
    }

    #[test]
    fn a_group_is_found_by_its_path_from_the_root_of_groups_or_of_the_machine() {
        let root = tempfile::tempdir().unwrap();
        let io = "259:0 rbytes=100 wbytes=20 rios=1 wios=1 dbytes=0 dios=0\n8:0 rbytes=1 wbytes=2 rios=1 wios=1\n";
        let cpu = "usage_usec 1500000\nuser_usec 1000000\nsystem_usec 500000\n";
        group(root.path(), &[("cpu.stat", cpu), ("memory.current", "4096\n"), ("io.stat", io)]);
        let absolute = root.path().join("system.slice/db.service");
        for path in ["system.slice/db.service", "/system.slice/db.service", absolute.to_str().unwrap()] {
            let mut probe = open(root.path(), path).unwrap();
            let usage = probe.sample().unwrap();
            assert_eq!((usage.cpu, usage.memory_bytes), (Some(Duration::from_millis(1500)), Some(4096)));
            assert_eq!((usage.disk_read_bytes, usage.disk_written_bytes), (Some(101), Some(22)));
        }
    }

    #[test]
    fn a_group_that_does_not_tell_enough_is_refused_with_the_file_that_is_missing() {
        let root = tempfile::tempdir().unwrap();
        let refused = || open(root.path(), "system.slice/db.service").err().unwrap().to_string();
        let text = refused();
        assert!(text.contains("system.slice/db.service/cpu.stat") && text.contains("/proc/PID/cgroup"), "{text}");
        group(root.path(), &[("cpu.stat", "nr_periods 0\n")]);
        assert!(refused().contains("does not tell usage_usec"));
        group(root.path(), &[("cpu.stat", "usage_usec 1\n")]);
        assert!(refused().contains("memory.current"));
        group(root.path(), &[("memory.current", "4096\n")]);
        let usage = open(root.path(), "system.slice/db.service").unwrap().usage().unwrap();
        assert_eq!(usage.disk_read_bytes, None, "a group without that controller");
        group(root.path(), &[("io.stat", "")]);
        let usage = open(root.path(), "system.slice/db.service").unwrap().usage().unwrap();
        assert_eq!(usage.disk_read_bytes, Some(0), "a group that has read nothing yet");
    }
}
