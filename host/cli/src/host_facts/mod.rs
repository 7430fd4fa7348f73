//! The machine that a run was made on, as far as it can be read without rights.

pub(crate) mod clock;
mod processors;

use std::fs;
use std::path::Path;
use std::thread;

use benchhost_report::HostFacts;

/// Facts for the report. What the system does not tell is left out.
pub(crate) fn gather() -> HostFacts {
    HostFacts {
        os: std::env::consts::OS.into(),
        arch: std::env::consts::ARCH.into(),
        kernel: word("/proc/sys/kernel/osrelease"),
        cpu_model: read("/proc/cpuinfo").and_then(|text| cpu_model(&text)),
        logical_cpus: Some(logical_cpus()),
        memory_bytes: read("/proc/meminfo").and_then(|text| memory(&text)),
        physical_cpus: processors::cores(Path::new("/sys/devices/system/cpu")),
        cpu_governor: word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        cpu_quota: read("/proc/self/cgroup").and_then(|own| processors::quota(Path::new("/sys/fs/cgroup"), &own)),
        clock_source: word("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        clock_read_ns: Some(clock::cost_of_reading()),
    }
}

/// Processors that this process may use; at least one.
pub(crate) fn logical_cpus() -> u32 {
    thread::available_parallelism().map_or(1, |cpus| u32::try_from(cpus.get()).unwrap_or(u32::MAX))
}

/// Memory that this process may use: the machine's, or what its control group allows if that is less.
pub(crate) fn usable_memory() -> Option<u64> {
    let machine = read("/proc/meminfo").and_then(|text| memory(&text));
    let group = read("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok());
    machine.into_iter().chain(group).min()
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// The text of a file that holds one word.
fn word(path: &str) -> Option<String> {
    read(path).map(|text| text.trim().to_owned()).filter(|word| !word.is_empty())
}

/// `model name : …` on x86; ARM kernels give no name.
fn cpu_model(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    let name = line.split_once(':')?.1.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// `MemTotal: 1234 kB`, where kB are 1024 bytes.
fn memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read_from_the_kernels_own_words() {
        let cpuinfo = "processor\t: 0\nvendor_id\t: X\nmodel name\t: Fast CPU @ 2.00GHz\n";
        assert_eq!(cpu_model(cpuinfo).as_deref(), Some("Fast CPU @ 2.00GHz"));
        assert_eq!(cpu_model("processor\t: 0\n"), None);
        assert_eq!(memory("MemTotal:       24576 kB\nMemFree: 1 kB\n"), Some(24576 << 10));
        assert_eq!(memory("nothing"), None);
    }
}
