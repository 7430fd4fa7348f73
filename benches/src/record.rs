//! `record`: what it costs to take note of one operation, with all its stamps and spans.

use std::time::Duration;

use anyhow::Result;
use benchhost_core::{OperationEnding, Recording, Spans, Stamps};

use crate::figure::{Figures, median, say, thread_cpu};

/// Operations that take turns: enough that their values are all over the buckets, few enough that reading them costs little.
const OPERATIONS: usize = 8_192;
/// Times that they all come in a round.
const PASSES: usize = 200;
const ROUNDS: usize = 7;

/// What recording one operation may cost.
const GOAL_NS: f64 = 50.0;

pub(crate) fn run() -> Result<()> {
    let mut figures = Figures::default();
    say(format!("{:>8} {:>14} {:>8}", "loop", "ns/operation", "goal"))?;
    for (name, open) in [("closed", false), ("open", true)] {
        let operations = operations(open);
        let mut recording = Recording::default();
        let mut rounds = Vec::new();
        for round in 0..=ROUNDS {
            let ns = ns_per_operation(&mut recording, &operations);
            // The first round warms up.
            if round > 0 {
                rounds.push(ns);
            }
        }
        let ns = median(rounds);
        say(format!("{name:>8} {ns:>14.1} {GOAL_NS:>8.0}"))?;
        figures.add(format!("record.{name}.ns_per_operation"), (ns * 10.0).round() / 10.0, "ns");
    }
    figures.print()
}

/// Processor time of one operation. Memory is kept from round to round, as the load loop keeps it from interval to interval.
fn ns_per_operation(recording: &mut Recording, operations: &[(Stamps, Spans)]) -> f64 {
    recording.reset();
    let before = thread_cpu();
    for _ in 0..PASSES {
        for (stamps, spans) in operations {
            std::hint::black_box(&mut *recording).operation(OperationEnding::Ok, *stamps, *spans);
        }
    }
    let took = thread_cpu() - before;
    took.as_nanos() as f64 / recording.operations.ok.max(1) as f64
}

/// A server of a millisecond or so with the long tail that servers have, and a client that takes some microseconds; with a schedule, what is
/// due is taken up some microseconds late.
fn operations(open: bool) -> Vec<(Stamps, Spans)> {
    let mut random = Random(42);
    let mut intended = Duration::from_secs(1);
    (0..OPERATIONS)
        .map(|_| {
            intended += Duration::from_micros(100);
            let spans = Spans {
                encode: random.around(Duration::from_micros(70)),
                wait: random.around(Duration::from_millis(1)),
                plugin: random.around(Duration::from_micros(2)),
            };
            let sent = if open { intended + random.around(Duration::from_micros(20)) } else { intended };
            let done = sent + spans.encode + spans.wait + spans.plugin;
            (Stamps { intended: open.then_some(intended), sent, done }, spans)
        })
        .collect()
}

/// Repeatable durations.
struct Random(u64);

impl Random {
    /// Log-normal: half of them longer than `median`, one in a hundred longer than four times as much.
    fn around(&mut self, median: Duration) -> Duration {
        // Twelve uniform variates have a variance of one, and their sum is all but normal.
        let normal = (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0;
        median.mul_f64((0.6 * normal).exp())
    }

    /// In `[0, 1)`: the finalizer of SplitMix64 over a counter.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
