//! Put streams under random failures: every batch is accounted for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::grpc::{GrpcServer, batch, bounded};
use benchhost_net::HttpOptions;
use bytes::Bytes;

const SCHEMA: Bytes = Bytes::from_static(b"\x12\x06schema");

fn sharing() -> HttpOptions {
    HttpOptions { connections: Some(1), ..HttpOptions::default() }
}

/// The small generator that the random choices below are made with.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// Batches with unique contents against a server that acknowledges in random order, ends streams at random in three ways, and is killed
/// at random. Every batch that was acknowledged was received exactly once, none was received twice, and none that is said not to have
/// been sent was received.
#[tokio::test]
async fn no_batch_is_lost_and_none_is_acknowledged_for_another() {
    bounded(async {
        for seed in 1..=8 {
            let received: Arc<Mutex<HashMap<Bytes, u64>>> = Arc::default();
            let own = Arc::new(Mutex::new(None::<Arc<GrpcServer>>));
            let server = {
                let (received, own) = (Arc::clone(&received), Arc::clone(&own));
                GrpcServer::start(move |number, mut call| {
                    let (received, own) = (Arc::clone(&received), Arc::clone(&own));
                    async move {
                        let mut dice = Dice(seed * 7919 + number as u64 + 1);
                        let answer = call.begin(&[]);
                        let mut held: Vec<(u64, u64)> = Vec::new();
                        if call.message().await.is_none() {
                            return;
                        }
                        while let Some(message) = call.message().await {
                            let (id, payload) = batch(&message);
                            let rows = u64::from_be_bytes(payload[..8].try_into().unwrap());
                            *received.lock().unwrap().entry(payload).or_default() += 1;
                            held.push((id, rows));
                            while held.len() > 3 || (!held.is_empty() && dice.roll(3) > 0) {
                                let (id, rows) = held.swap_remove(dice.roll(held.len() as u64) as usize);
                                answer.ack(id, rows);
                            }
                            match dice.roll(60) {
                                0 => return answer.ok(),
                                1 => return answer.end(&[("grpc-status", "13")]),
                                2 => return,
                                3 if dice.roll(3) == 0 => own.lock().unwrap().as_ref().unwrap().kill(),
                                _ => {}
                            }
                            if dice.roll(4) == 0 {
                                tokio::task::yield_now().await;
                            }
                        }
                        held.drain(..).for_each(|(id, rows)| answer.ack(id, rows));
                        answer.ok();
                    }
                })
                .await
            };
            let server = Arc::new(server);
            *own.lock().unwrap() = Some(Arc::clone(&server));
            let options = HttpOptions { request_timeout: Duration::from_millis(500), ..sharing() };
            let transport = server.transport(options);
            let tasks: Vec<_> = (0..12u64)
                .map(|worker| {
                    let (transport, url) = (Arc::clone(&transport), server.url());
                    tokio::spawn(async move {
                        let mut dice = Dice(seed * 31 + worker + 1);
                        let channel = transport.channel(&url, Some(0)).await.unwrap();
                        let mut put = channel.put_stream(SCHEMA, 7);
                        let mut outcomes = Vec::new();
                        for round in 0..60 {
                            let rows = worker * 1000 + round;
                            let mut text = rows.to_be_bytes().to_vec();
                            text.resize(8 + dice.roll(40_000) as usize, 1);
                            let payload = Bytes::from(text);
                            let outcome = put.put(payload.clone(), 0).await;
                            let unanswered = put.take_exchange().unanswered;
                            if let Ok(ack) = &outcome {
                                assert_eq!(ack.rows, Some(rows), "acknowledged for another");
                            }
                            outcomes.push((payload, outcome.is_ok(), unanswered));
                        }
                        outcomes
                    })
                })
                .collect();
            let (mut acknowledged, mut unknown) = (0, 0);
            for task in tasks {
                for (payload, ok, unanswered) in task.await.unwrap() {
                    let times = received.lock().unwrap().get(&payload).copied().unwrap_or(0);
                    assert!(times <= 1, "received {times} times");
                    match (ok, unanswered) {
                        (true, false) => assert_eq!(times, 1, "acknowledged and not received"),
                        (true, true) => panic!("answered and unanswered"),
                        (false, true) => unknown += 1,
                        (false, false) => assert_eq!(times, 0, "received and said not to be sent"),
                    }
                    acknowledged += usize::from(ok);
                }
            }
            assert!(acknowledged > 300 && unknown > 0, "seed {seed}: {acknowledged} and {unknown}");
        }
    })
    .await;
}
