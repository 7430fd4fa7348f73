//! The Prometheus text format, as far as it tells what a server uses.

use std::time::Duration;

use benchhost_core::Usage;

/// Devices whose traffic is another device's as well, or stays in the machine.
const NO_DISKS: [&str; 4] = ["dm-", "md", "loop", "ram"];
const NO_NETWORKS: [&str; 1] = ["lo"];
/// What a processor does when it does not work for anybody, and what is counted as another mode already.
const NO_WORK: [&str; 5] = ["idle", "iowait", "steal", "guest", "guest_nice"];

/// What a text tells, summed over all label sets. A machine's own figures come before those of a process: whoever exports both exports
/// its own process beside the machine.
pub(super) fn usage(text: &str) -> Usage {
    let (mut process, mut machine) = (Figures::default(), Figures::default());
    let (mut heap, mut total, mut available) = (None, None, None);
    for sample in text.lines().filter_map(Sample::parse) {
        let Sample { name, value, .. } = sample;
        let device = sample.label("device").unwrap_or_default();
        let disk = !NO_DISKS.iter().any(|kind| device.starts_with(kind));
        let network = !NO_NETWORKS.contains(&device);
        let sum = match name {
            "process_cpu_seconds_total" => &mut process.cpu,
            "process_resident_memory_bytes" => &mut process.memory,
            "process_network_receive_bytes_total" => &mut process.received,
            "process_network_transmit_bytes_total" => &mut process.sent,
            // Of programs in Go on systems where the other one is not told.
            "go_memstats_sys_bytes" => &mut heap,
            "node_cpu_seconds_total" if !NO_WORK.contains(&sample.label("mode").unwrap_or_default()) => {
                &mut machine.cpu
            }
            "node_memory_MemTotal_bytes" => &mut total,
            "node_memory_MemAvailable_bytes" => &mut available,
            "node_disk_read_bytes_total" if disk => &mut machine.read,
            "node_disk_written_bytes_total" if disk => &mut machine.written,
            "node_network_receive_bytes_total" if network => &mut machine.received,
            "node_network_transmit_bytes_total" if network => &mut machine.sent,
            _ => continue,
        };
        *sum = Some(sum.unwrap_or(0.0) + value);
    }
    machine.memory = total.zip(available).map(|(total, available): (f64, f64)| (total - available).max(0.0));
    process.memory = process.memory.or(heap);
    if machine.cpu.is_some() || machine.memory.is_some() { machine.usage() } else { process.usage() }
}

/// Sums of samples; none where there was none.
#[derive(Default)]
struct Figures {
    cpu: Option<f64>,
    memory: Option<f64>,
    read: Option<f64>,
    written: Option<f64>,
    received: Option<f64>,
    sent: Option<f64>,
}

impl Figures {
    fn usage(&self) -> Usage {
        let bytes = |value: Option<f64>| value.map(|value| value as u64);
        Usage {
            cpu: self.cpu.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            memory_bytes: bytes(self.memory),
            disk_read_bytes: bytes(self.read),
            disk_written_bytes: bytes(self.written),
            network_received_bytes: bytes(self.received),
            network_sent_bytes: bytes(self.sent),
        }
    }
}

/// A line with a value: `name{label="value",…} 1.5`, and perhaps a time.
struct Sample<'a> {
    name: &'a str,
    labels: &'a str,
    value: f64,
}

impl<'a> Sample<'a> {
    /// None for comments, empty lines, what cannot be read, and values that are no amount.
    fn parse(line: &'a str) -> Option<Self> {
        let line = line.trim_start();
        let end = line.find(|c: char| c == '{' || c.is_ascii_whitespace())?;
        let (name, rest) = line.split_at(end);
        let rest = rest.trim_start();
        let (labels, rest) = match rest.strip_prefix('{') {
            Some(inside) => inside.split_at(closing(inside)?),
            None => ("", rest),
        };
        let value: f64 = rest.trim_start_matches('}').split_ascii_whitespace().next()?.parse().ok()?;
        (value.is_finite() && value >= 0.0).then_some(Self { name, labels, value })
    }

    /// The value of a label. Those that are looked for hold no quotes.
    fn label(&self, name: &str) -> Option<&'a str> {
        self.labels.split(',').find_map(|label| {
            let value = label.trim_start().strip_prefix(name)?.trim_start().strip_prefix('=')?;
            value.trim_start().strip_prefix('"')?.split('"').next()
        })
    }
}

/// Where the bracket is that closes the labels: not within a value's quotes.
fn closing(labels: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    labels.bytes().position(|byte| {
        let literal = std::mem::take(&mut escaped);
        match byte {
            b'\\' if quoted => escaped = !literal,
            b'"' if !literal => quoted = !quoted,
            b'}' => return !quoted,
            _ => {}
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_tells_its_processor_time_memory_and_network() {
        let text = "# HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.\n\
                    # TYPE process_cpu_seconds_total counter\n\
                    process_cpu_seconds_total 12.25\n\
                    process_resident_memory_bytes 1.5e+08\n\
                    process_resident_memory_bytes_max 9e9\n\
                    go_memstats_sys_bytes 9\n\
                    process_network_receive_bytes_total 10 1395066363000\n\
                    process_network_transmit_bytes_total 20\n";
        let usage = usage(text);
        assert_eq!(usage.cpu, Some(Duration::from_millis(12_250)));
        assert_eq!(usage.memory_bytes, Some(150_000_000));
        assert_eq!((usage.network_received_bytes, usage.network_sent_bytes), (Some(10), Some(20)));
        assert_eq!((usage.disk_read_bytes, usage.disk_written_bytes), (None, None));
    }

    #[test]
    fn all_label_sets_are_added_up_whatever_their_labels_hold() {
        let text = "process_cpu_seconds_total{job=\"a } 7\",path=\"\\\\\"} 1\n\
                    process_cpu_seconds_total { job = \"say \\\"}\\\" 8\" } 2 1395066363000\r\n\
                    \tprocess_cpu_seconds_total{} 4\n";
        assert_eq!(usage(text).cpu, Some(Duration::from_secs(7)));
    }

    #[test]
    fn a_machine_tells_its_work_and_each_byte_once() {
        let text = "process_cpu_seconds_total 99\n\
                    node_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 1000\n\
                    node_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 10\n\
                    node_cpu_seconds_total{cpu=\"1\",mode=\"system\"} 5\n\
                    node_cpu_seconds_total{cpu=\"1\",mode=\"iowait\"} 70\n\
                    node_memory_MemTotal_bytes 1000\n\
                    node_memory_MemAvailable_bytes 400\n\
                    node_disk_read_bytes_total{device=\"nvme0n1\"} 64\n\
                    node_disk_read_bytes_total{device=\"dm-0\"} 64\n\
                    node_disk_written_bytes_total{device=\"sda\"} 1\n\
                    node_disk_written_bytes_total{device=\"sdb\"} 2\n\
                    node_network_receive_bytes_total{device=\"lo\"} 5000\n\
                    node_network_receive_bytes_total{device=\"eth0\"} 7\n\
                    node_network_transmit_bytes_total{device=\"eth0\"} 8\n";
        let expected = Usage {
            cpu: Some(Duration::from_secs(15)),
            memory_bytes: Some(600),
            disk_read_bytes: Some(64),
            disk_written_bytes: Some(3),
            network_received_bytes: Some(7),
            network_sent_bytes: Some(8),
        };
        assert_eq!(usage(text), expected);
    }

    #[test]
    fn memory_of_a_program_in_go_is_better_than_none() {
        assert_eq!(usage("go_memstats_sys_bytes 123\n").memory_bytes, Some(123));
    }

    #[test]
    fn what_is_no_amount_is_not_counted() {
        let text = "process_cpu_seconds_total NaN\nprocess_resident_memory_bytes +Inf\n";
        assert_eq!(usage(text), Usage::default());
        for text in
            ["", "\n", "process_cpu_seconds_total", "process_cpu_seconds_total{a=\"b 1", "<html> 1 </html>", "{} 1"]
        {
            assert_eq!(usage(text), Usage::default(), "{text}");
        }
        assert_eq!(usage("process_resident_memory_bytes -1\nprocess_cpu_seconds_total x\n"), Usage::default());
    }
}
