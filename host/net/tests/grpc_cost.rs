//! What a put costs this side in CPU time. Not part of the usual tests: a measurement, to be read by a person.
//!
//! `cargo test --release -p benchhost-net --test grpc_cost -- --ignored --nocapture`

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement for a person")]

mod grpc;

use std::sync::Arc;
use std::time::Instant;

use benchhost_net::HttpOptions;
use bytes::Bytes;
use grpc::{Call, GrpcServer, batch};

/// Size of an encoded batch of 5000 rows of the CPU dataset, in bytes.
const BATCH: usize = 540_000;
const ROWS: usize = 5000;
const BATCHES: usize = 2000;

/// CPU time of this thread, in seconds.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// Acknowledges batches, and keeps nothing.
async fn sink(_: usize, mut call: Call) {
    let answer = call.begin(&[]);
    call.message().await.unwrap();
    while let Some(message) = call.message().await {
        answer.ack(batch(&message).0, ROWS as u64);
    }
}

#[test]
#[ignore = "a measurement"]
fn cpu_time_per_million_rows() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (ready, wait) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        runtime().block_on(async {
            ready.send(GrpcServer::start(sink).await).unwrap();
            std::future::pending::<()>().await;
        });
    });
    let server = wait.recv().unwrap();
    let payload = Bytes::from(vec![7; BATCH]);
    for workers in [1, 8] {
        runtime().block_on(async {
            let transport = server.transport(HttpOptions { connections: Some(1), ..HttpOptions::default() });
            let (start, wall) = (cpu(), Instant::now());
            let tasks: Vec<_> = (0..workers)
                .map(|_| {
                    let (transport, url, payload) = (Arc::clone(&transport), server.url(), payload.clone());
                    tokio::spawn(async move {
                        let channel = transport.channel(&url, Some(0)).await.unwrap();
                        let mut put = channel.put_stream(Bytes::from_static(b"schema"), 31);
                        for _ in 0..BATCHES / workers {
                            put.put(payload.clone(), 0).await.unwrap();
                        }
                    })
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
            let (cpu, wall) = (cpu() - start, wall.elapsed().as_secs_f64());
            let millions = (BATCHES * ROWS) as f64 / 1e6;
            println!(
                "{workers} workers: {:.0} us of CPU per put, {:.4} CPU-s per million rows, {:.1} GB/s",
                cpu / BATCHES as f64 * 1e6,
                cpu / millions,
                (BATCHES * BATCH) as f64 / wall / 1e9,
            );
        });
    }
}
