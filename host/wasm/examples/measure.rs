#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "temporary")]
use benchhost_core::*;
use benchhost_net::*;
use benchhost_wasm::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn cpu() -> Duration {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(t.tv_sec as u64, t.tv_nsec as u32)
}
fn rss() -> usize {
    let s = std::fs::read_to_string("/proc/self/statm").unwrap();
    s.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

fn smaps() -> std::collections::BTreeMap<String, usize> {
    let s = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let mut m = std::collections::BTreeMap::new();
    let mut name = String::new();
    for l in s.lines() {
        let f: Vec<&str> = l.split_whitespace().collect();
        if f[0].contains('-') && !f[0].ends_with(':') {
            let (a, b) = f[0].split_once('-').unwrap();
            let sz = (usize::from_str_radix(b, 16).unwrap() - usize::from_str_radix(a, 16).unwrap()) / 1024;
            name = if f.len() > 5 {
                f[5].to_string()
            } else {
                format!("anon {}", if sz > 100000 { "big".to_string() } else { sz.to_string() })
            };
        } else if f[0] == "Rss:" {
            *m.entry(name.clone()).or_insert(0) += f[1].parse::<usize>().unwrap();
        }
    }
    m
}
fn diff(a: &std::collections::BTreeMap<String, usize>, b: &std::collections::BTreeMap<String, usize>) {
    for (k, v) in b {
        let d = *v as i64 - a.get(k).copied().unwrap_or(0) as i64;
        if d > 500 {
            println!("     {k}: {d} KiB");
        }
    }
}
fn main() {
    let dir = PathBuf::from(std::env::var("BENCHHOST_PLUGIN_DIR").unwrap());
    let rt = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let t = Instant::now();
    let host =
        Host::new(HostOptions { instances: 1000, log: Arc::new(|l| println!("{l:?}")), ..Default::default() }).unwrap();
    println!("Host::new {:?} pool {}", t.elapsed(), host.has_pool());
    for n in ["null", "influx", "cpu"] {
        let t = Instant::now();
        let p = host.load(&dir.join(format!("{n}.wasm"))).unwrap();
        println!("load {n}: {:?} cached {}", t.elapsed(), p.cached());
    }
    let what = std::env::args().nth(1).unwrap_or_default();
    let wiring = || TargetWiring {
        transport: Arc::new(Transport::new(HttpOptions::default(), Grants::new([])).unwrap()),
        stop: StopToken::new(),
    };
    if what == "cpu" || what.is_empty() {
        let p = host.load(&dir.join("cpu.wasm")).unwrap();
        for x in p.schema().properties() {
            println!("  {} {:?} {:?}", x.name(), x.kind(), x.default());
        }
        let s = p.schema().resolve(&[("hosts".into(), "1000".into())]).unwrap();
        let g = host.generators(&p, &s, 1).unwrap();
        rt.block_on(async {
            let mut g = g.open().await.unwrap();
            for rows in [1000u32, 10_000] {
                for _ in 0..3 {
                    let c = cpu();
                    let t = Instant::now();
                    let n = 2_000_000 / rows;
                    for i in 0..n {
                        let b = g.fill(0, u64::from(i * rows), rows).await.unwrap();
                        std::hint::black_box(&b);
                    }
                    let total = f64::from(n * rows);
                    println!(
                        "cpu {rows}: {:.2} M rows/s cpu, {:.2} wall",
                        total / (cpu() - c).as_secs_f64() / 1e6,
                        total / t.elapsed().as_secs_f64() / 1e6
                    );
                }
            }
        });
    }
    if what == "null" || what.is_empty() {
        let cpu_plugin = host.load(&dir.join("cpu.wasm")).unwrap();
        let s = cpu_plugin.schema().resolve(&[("hosts".into(), "100".into())]).unwrap();
        let g = host.generators(&cpu_plugin, &s, 1).unwrap();
        let batch = rt.block_on(async { Arc::new(g.open().await.unwrap().fill(0, 0, 1000).await.unwrap()) });
        let p = host.load(&dir.join("null.wasm")).unwrap();
        for x in p.schema().properties() {
            println!("  {} {:?} {:?} {:?}", x.name(), x.kind(), x.default(), x.choices());
        }
        for settings in [vec![]] {
            let s = p.schema().resolve(&settings).unwrap();
            let ts = host.targets(&p, &s, wiring()).unwrap();
            for workers in [1u32, 64] {
                rt.block_on(async {
                    let mut w = vec![];
                    for i in 0..workers {
                        w.push(ts.open(i).await.unwrap());
                    }
                    let pay = w[0].encode(&batch).await.unwrap();
                    for _ in 0..3 {
                        let n = 200_000usize;
                        let c = cpu();
                        for i in 0..n {
                            let k = i % w.len();
                            std::hint::black_box(w[k].send(&pay).await.unwrap());
                        }
                        let send = (cpu() - c).as_nanos() as f64 / n as f64;
                        let n = 20_000usize;
                        let c = cpu();
                        for i in 0..n {
                            let k = i % w.len();
                            std::hint::black_box(w[k].encode(&batch).await.unwrap());
                        }
                        let enc = (cpu() - c).as_nanos() as f64 / n as f64;
                        let mut lp = benchhost_data::LineProtocol::new(benchhost_data::TimeUnit::Nanosecond);
                        let c = cpu();
                        for _ in 0..n {
                            std::hint::black_box(lp.encode(&batch).unwrap());
                        }
                        let native = (cpu() - c).as_nanos() as f64 / n as f64;
                        println!("null w{workers}: send {send:.0} ns, encode {enc:.0} ns (native lp {native:.0})");
                    }
                });
            }
        }
    }
    if what == "open" || what.is_empty() {
        for n in ["null", "influx"] {
            let p = host.load(&dir.join(format!("{n}.wasm"))).unwrap();
            let s = p
                .schema()
                .resolve(&[("endpoint".into(), "http://127.0.0.1:1".into()), ("database".into(), "x".into())]);
            let s = s.unwrap_or_else(|_| p.schema().resolve(&[]).unwrap());
            let ts = host.targets(&p, &s, wiring()).unwrap();
            rt.block_on(async {
                let r = rss();
                let t = Instant::now();
                let mut v = Vec::new();
                let mut errors = 0;
                for i in 0..1000 {
                    match ts.open(i).await {
                        Ok(x) => v.push(x),
                        Err(e) => {
                            if errors == 0 {
                                println!("{e}");
                            }
                            errors += 1
                        }
                    }
                }
                let e = t.elapsed();
                println!("open {n} x1000: {e:?}, {} KiB each, errors {errors}", (rss() - r) / 1024 / 1000);
                diff(&m0, &smaps());
                let payload = benchhost_data::Payload::new(vec![1u8], 1);
                for x in &mut v {
                    let _ = x.send(&payload).await;
                }
                println!("   after a call: {} KiB each", (rss() - r) / 1024 / 1000);
            });
        }
    }
}
