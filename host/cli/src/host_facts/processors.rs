//! Processors behind their number: cores, and a container's share of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Cores of the machine, hardware threads of one core counted once; none where `root`, the folder of all processors, does not tell.
pub(super) fn cores(root: &Path) -> Option<u32> {
    let folders = fs::read_dir(root).ok()?;
    // A core is known by the list of its hardware threads: the newer name of that list first.
    let threads = |folder: &Path| {
        let names = ["topology/core_cpus_list", "topology/thread_siblings_list"];
        names.iter().find_map(|name| fs::read_to_string(folder.join(name)).ok())
    };
    let cores: BTreeSet<String> = folders.filter_map(|folder| threads(&folder.ok()?.path())).collect();
    u32::try_from(cores.len()).ok().filter(|cores| *cores > 0)
}

/// Processors' worth of time that this process may use: the least of its control group's limit and those of the groups above it. None
/// when none of them has a limit. `root` is the folder of all groups, `own` what `/proc/self/cgroup` says.
pub(super) fn quota(root: &Path, own: &str) -> Option<f64> {
    // Groups of version 2 only: those of version 1 have a number before the colons.
    let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let groups = Path::new(own).ancestors();
    let limits = groups.filter_map(|group| limit(&fs::read_to_string(root.join(group).join("cpu.max")).ok()?));
    limits.reduce(f64::min)
}

/// `max 100000`, or microseconds in each period of so many: `150000 100000`.
fn limit(text: &str) -> Option<f64> {
    let (time, period) = text.trim().split_once(' ')?;
    let (time, period): (f64, f64) = (time.parse().ok()?, period.parse().ok()?);
    (period > 0.0).then(|| time / period)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn hardware_threads_of_a_core_are_counted_once() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(cores(root.path()), None);
        for (cpu, threads) in [("cpu0", "0,2\n"), ("cpu1", "1,3\n"), ("cpu2", "0,2\n"), ("cpu3", "1,3\n")] {
            write(&root.path().join(cpu).join("topology/core_cpus_list"), threads);
        }
        write(&root.path().join("cpu4/topology/thread_siblings_list"), "4\n");
        fs::create_dir(root.path().join("cpufreq")).unwrap();
        assert_eq!(cores(root.path()), Some(3));
        assert_eq!(cores(&root.path().join("nothing")), None);
    }

    #[test]
    fn the_tightest_limit_of_all_groups_above_counts() {
        let root = tempfile::tempdir().unwrap();
        let own = "1:cpu:/old\n0::/pods/bench\n";
        assert_eq!(quota(root.path(), own), None);
        write(&root.path().join("pods/bench/cpu.max"), "max 100000\n");
        assert_eq!(quota(root.path(), own), None);
        write(&root.path().join("pods/cpu.max"), "150000 100000\n");
        assert_eq!(quota(root.path(), own), Some(1.5));
        write(&root.path().join("cpu.max"), "400000 100000\n");
        assert_eq!(quota(root.path(), own), Some(1.5));
        assert_eq!(quota(root.path(), "0::/\n"), Some(4.0), "in a container, its own group is the root");
        assert_eq!(quota(root.path(), "4:memory:/x\n"), None);
    }

    #[test]
    fn a_limit_that_cannot_be_read_is_none() {
        for text in ["", "max 100000", "100000", "1 0", "x y"] {
            assert_eq!(limit(text), None, "{text}");
        }
    }
}
