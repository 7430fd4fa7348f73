//! `cargo xtask bench flight` without all the crates that the other benchmarks need: for tuning.

#[allow(dead_code, reason = "other benchmarks use all of it")]
#[path = "../../../benches/src/cpu_rows.rs"]
mod cpu_rows;
#[path = "../../../benches/src/figure.rs"]
mod figure;
#[path = "../../../benches/src/flight.rs"]
mod flight;
#[path = "../../../benches/src/log_rows.rs"]
mod log_rows;

fn main() -> anyhow::Result<()> {
    // `cargo bench` says so; everything else, such as `cargo test`, only sees that it builds.
    if std::env::args().any(|argument| argument == "--bench") { flight::run() } else { Ok(()) }
}
