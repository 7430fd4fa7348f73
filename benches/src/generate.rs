//! `generate`: rows out of the `cpu` plugin, on one thread.

use anyhow::Result;
use benchhost_core::{Generator, Generators};

use crate::figure::{Figures, median, say, thread_cpu};
use crate::plugins;

const BATCHES: u64 = 2_000;
const ROUNDS: usize = 5;

pub(crate) fn run() -> Result<()> {
    let host = plugins::host(4)?;
    let cpu = plugins::cpu(&host)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut figures = Figures::default();
    say(format!("{:>10} {:>14} {:>8}", "rows/batch", "rows/s", "ns/row"))?;
    for batch_rows in [1000_u32, 5000] {
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            let before = thread_cpu();
            runtime.block_on(async {
                let mut generator = cpu.open().await?;
                for batch in 0..BATCHES {
                    generator.fill(0, batch * u64::from(batch_rows), batch_rows).await?;
                }
                Ok::<_, benchhost_core::CallError>(())
            })?;
            rounds.push((BATCHES * u64::from(batch_rows)) as f64 / (thread_cpu() - before).as_secs_f64());
        }
        let rate = median(rounds);
        say(format!("{batch_rows:>10} {rate:>14.0} {:>8.1}", 1e9 / rate))?;
        let name = if batch_rows == 1000 {
            "generate.cpu.rows_per_s".to_owned()
        } else {
            format!("generate.cpu.b{batch_rows}.rows_per_s")
        };
        figures.add(name, rate.round(), "rows/s");
    }
    figures.print()
}
