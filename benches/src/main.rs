//! The figures that the README claims, each by one command: `cargo xtask bench NAME`. A table for people, then
//! one line a figure: `figure NAME VALUE UNIT`.

mod cpu_rows;
mod encode;
mod figure;
mod flight;
mod generate;
mod greptime;
mod load;
mod log_rows;
mod native;
mod open;
mod overhead;
mod plugins;
mod prototype;
mod record;
mod schedule;
mod sink;
mod sink_cost;

use anyhow::{Result, bail};

/// Name, what it measures, how.
type Benchmark = (&'static str, &'static str, fn() -> Result<()>);

const BENCHMARKS: [Benchmark; 8] = [
    ("encode", "line protocol: rows per processor second of one thread", encode::run),
    ("flight", "Flight record batches; GreptimeDB by gRPC, beside its official client", flight_and_its_wire),
    ("generate", "the cpu plugin: rows per processor second of one thread", generate::run),
    ("open", "1000 workers: time and memory; first request after the start", open::run),
    ("overhead", "what a component adds to the same loop written natively", overhead::run),
    ("record", "taking note of one operation, all stamps and spans", record::run),
    ("schedule", "200 000 operations/s on two threads: rate and lag", schedule::run),
    ("sink", "the client's processor time against a server that costs nothing", sink_cost::run),
];

/// The encoder alone, then with everything that follows it.
fn flight_and_its_wire() -> Result<()> {
    flight::run()?;
    greptime::run()
}

fn main() -> Result<()> {
    match std::env::args().nth(1).as_deref() {
        None => {
            for (name, about, _) in BENCHMARKS {
                figure::say(format!("{name:<10} {about}"))?;
            }
            Ok(())
        }
        Some("sink-server") => sink::serve(),
        Some(wanted) => match BENCHMARKS.iter().find(|(name, ..)| *name == wanted) {
            Some((_, _, run)) => run(),
            None => bail!("no benchmark `{wanted}`: one of {}", BENCHMARKS.map(|b| b.0).join(", ")),
        },
    }
}
