//! What this process uses: processor time and memory, as the operating system counts them.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Processor time of the whole process so far, user and system.
pub(crate) fn process_cpu() -> Duration {
    read(ClockId::ProcessCPUTime)
}

/// Processor time of the calling thread so far.
pub(crate) fn thread_cpu() -> Duration {
    read(ClockId::ThreadCPUTime)
}

fn read(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The most resident memory that the process ever had, in bytes; none where `/proc` does not tell.
pub(crate) fn max_rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_does_not_go_back_and_memory_is_plausible() {
        let before = process_cpu();
        assert!(process_cpu() >= before);
        assert!(max_rss_bytes().is_none_or(|bytes| bytes > 100_000));
    }
}
