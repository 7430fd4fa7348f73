//! Costs as figures, text and JSON.

use benchhost_report::units::{nanoseconds, share};
use benchhost_wasm::Role;
use serde::{Serialize, Serializer};

use super::measure::Turn;

/// What is printed.
#[derive(Debug, Serialize)]
pub(super) struct Sheet {
    pub plugin: String,
    pub version: String,
    #[serde(serialize_with = "role")]
    pub role: Role,
    pub costs: Vec<Cost>,
}

/// The cost of an operation of one size: medians of the turns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Cost {
    pub batch_rows: u32,
    /// Operations that were measured, of all turns.
    pub operations: u64,
    /// Processor time of an operation.
    pub cpu_ns: f64,
    /// The least and the most of the turns: how far the figure can be trusted.
    pub cpu_ns_range: (f64, f64),
    /// Processor time of a row.
    pub cpu_ns_per_row: f64,
    /// Wall time of an operation outside of the host's encoders: in the plugin's own code, and in its calls of the host. Of a generator, all of it.
    pub plugin_ns: f64,
    /// Wall time in the host's encoders, which the plugin asked for.
    pub encode_ns: f64,
    /// Processor time of the null target's operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub null_cpu_ns: Option<f64>,
    /// What the plugin adds to it. Below the null target's own noise it may be negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added_cpu_ns: Option<f64>,
}

impl Cost {
    pub(super) fn new(batch_rows: u32, turns: &[Turn], null: &[Turn]) -> Self {
        let of = |turns: &[Turn], time: fn(&Turn) -> std::time::Duration| {
            let mut each: Vec<f64> =
                turns.iter().map(|turn| time(turn).as_nanos() as f64 / turn.operations.max(1) as f64).collect();
            each.sort_by(f64::total_cmp);
            each
        };
        let cpu = of(turns, |turn| turn.cpu);
        let plugin = of(turns, |turn| turn.service.saturating_sub(turn.encode));
        let null_cpu_ns = (!null.is_empty()).then(|| median(&of(null, |turn| turn.cpu)));
        let cpu_ns = median(&cpu);
        Self {
            batch_rows,
            operations: turns.iter().map(|turn| turn.operations).sum(),
            cpu_ns,
            cpu_ns_range: (cpu.first().copied().unwrap_or_default(), cpu.last().copied().unwrap_or_default()),
            cpu_ns_per_row: cpu_ns / f64::from(batch_rows.max(1)),
            plugin_ns: median(&plugin),
            encode_ns: median(&of(turns, |turn| turn.encode)),
            null_cpu_ns,
            added_cpu_ns: null_cpu_ns.map(|null| cpu_ns - null),
        }
    }
}

/// The middle one of sorted values.
fn median(sorted: &[f64]) -> f64 {
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

fn role<S: Serializer>(role: &Role, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(crate::commands::plugin_list::role(*role))
}

impl Sheet {
    pub(super) fn text(&self) -> String {
        let (what, columns): (_, &[&str]) = match self.role {
            Role::Target => (
                "one worker, requests answered from memory",
                &["rows/op", "cpu/op", "of turns", "cpu/row", "plugin", "encoders", "null", "added/op"],
            ),
            Role::Generator => ("one worker, rows dropped", &["rows/op", "cpu/op", "of turns", "cpu/row"]),
        };
        let mut rows = vec![columns.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()];
        for cost in &self.costs {
            let (least, most) = cost.cpu_ns_range;
            let spread = if cost.cpu_ns > 0.0 { (most - least) / cost.cpu_ns / 2.0 } else { 0.0 };
            let mut cells = vec![
                cost.batch_rows.to_string(),
                nanoseconds(cost.cpu_ns),
                format!("±{}", share(spread)),
                nanoseconds(cost.cpu_ns_per_row),
            ];
            if self.role == Role::Target {
                cells.extend([cost.plugin_ns, cost.encode_ns].map(nanoseconds));
                cells.push(nanoseconds(cost.null_cpu_ns.unwrap_or_default()));
                let added = cost.added_cpu_ns.unwrap_or_default();
                let sign = if added < 0.0 { "-" } else { "" };
                cells.push(format!("{sign}{}", nanoseconds(added.abs())));
            }
            rows.push(cells);
        }
        let widths: Vec<usize> = (0..columns.len())
            .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default())
            .collect();
        let mut text = format!("{} {}: {what}\n\n", self.plugin, self.version);
        for row in rows {
            let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
            text.push_str(&format!("{}\n", cells.join("  ")));
        }
        if self.role == Role::Target {
            text.push_str(
                "\ncpu: processor time. encoders: wall time in the host's encoders that it asked for; plugin: the rest of the operation.\n\
                 null: the target `null` with the same rows, in turns with it; added: what this plugin costs beyond it.\n",
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn turn(cpu: u64) -> Turn {
        Turn {
            operations: 10,
            cpu: Duration::from_nanos(cpu),
            service: Duration::from_nanos(5_000),
            encode: Duration::from_nanos(1_000),
        }
    }

    #[test]
    fn a_figure_is_the_median_of_the_turns_and_what_is_left_is_the_plugin() {
        let cost = Cost::new(100, &[turn(9_000), turn(2_000), turn(3_000)], &[turn(500)]);
        assert_eq!((cost.cpu_ns, cost.cpu_ns_range, cost.operations), (300.0, (200.0, 900.0), 30));
        assert_eq!((cost.plugin_ns, cost.encode_ns), (400.0, 100.0));
        assert_eq!((cost.cpu_ns_per_row, cost.null_cpu_ns, cost.added_cpu_ns), (3.0, Some(50.0), Some(250.0)));
    }

    #[test]
    fn a_generator_has_no_null_to_be_compared_with() {
        let cost = Cost::new(1, &[turn(10)], &[]);
        let sheet = Sheet { plugin: "walk".into(), version: "0.1.0".into(), role: Role::Generator, costs: vec![cost] };
        assert!(!sheet.text().contains("null"), "{}", sheet.text());
        assert!(serde_json::to_value(&sheet).is_ok_and(|json| json["costs"][0].get("null_cpu_ns").is_none()));
    }
}
