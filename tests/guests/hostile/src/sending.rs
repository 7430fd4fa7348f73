//! Attacks in `send`: memory, handles, lies across the ABI, time, and the network.

use std::time::Duration;

use crate::bindings::benchhost::plugin::data::Payload;
use crate::bindings::benchhost::plugin::grpc::Channel;
use crate::bindings::benchhost::plugin::http::Client;
use crate::bindings::benchhost::plugin::tcp::Connection;
use crate::bindings::benchhost::plugin::types::{Error, ErrorKind};
use crate::bindings::exports::benchhost::plugin::ingest::Ack;
use crate::marker::behaviour;
use crate::{BATCH, error, raw, setting};

/// Does it.
pub fn send(payload: &Payload) -> Result<Ack, Error> {
    let mut ack = Ack { pending: false, rows: None, server_time_ns: None };
    match behaviour() {
        "memory by and by" => {
            let mut all: Vec<Vec<u8>> = Vec::new();
            loop {
                all.push(std::hint::black_box(vec![1; 1 << 20]));
            }
        }
        "memory at once" => {
            // 4 GiB less the first page; the answer is the old size, or -1.
            let grown = core::arch::wasm32::memory_grow::<0>(65_000);
            assert_ne!(grown, usize::MAX, "memory.grow was refused");
        }
        "payloads kept" => loop {
            std::mem::forget(Payload::from_bytes(&[7; 1 << 16], 0));
        },
        "handles kept" => loop {
            std::mem::forget(Payload::from_bytes(b"", 0));
        },
        "pollables kept" => loop {
            unsafe { raw::subscribe_duration(1) };
        },
        "list out of memory" => unsafe {
            raw::from_bytes(u32::MAX - 16, 4_096, 0);
        },
        "list of 4 GiB" => unsafe {
            raw::from_bytes(8, u32::MAX, 0);
        },
        "list too large" => drop(Payload::from_bytes(&vec![7; 3 << 20], 0)),
        "result out of memory" => unsafe { raw::payload_read(payload.handle(), 0, 1, u32::MAX - 3) },
        "handle stale" => unsafe {
            let handle = raw::from_bytes(0, 0, 0);
            raw::drop_payload(handle);
            raw::payload_size(handle);
        },
        "handle dropped twice" => unsafe {
            let handle = raw::from_bytes(0, 0, 0);
            raw::drop_payload(handle);
            raw::drop_payload(handle);
        },
        "handle foreign" => unsafe {
            raw::payload_size(123_456);
        },
        "handle zero" => unsafe {
            raw::payload_size(0);
        },
        "handle of another type" => unsafe {
            raw::payload_size(raw::line_protocol(0));
        },
        "loan dropped twice" => unsafe { raw::drop_payload(payload.handle()) },
        "batch kept" => unsafe {
            raw::batch_rows(BATCH.with_borrow(|handle| *handle));
        },
        "utf-8 broken" => unsafe {
            let text = [0xff_u8, 0xfe, 0x80];
            raw::log(2, text.as_ptr() as u32, 3);
        },
        "text out of memory" => unsafe { raw::log(2, u32::MAX - 1, 64) },
        "level unknown" => unsafe { raw::log(99, 0, 0) },
        "precision unknown" => unsafe {
            raw::line_protocol(77);
        },
        "kind unknown" => {
            let kind = unsafe { std::mem::transmute::<u8, ErrorKind>(std::hint::black_box(99)) };
            return Err(Error { kind, ..error("of no kind") });
        }
        "sleep for ever" => std::thread::sleep(Duration::from_secs(u64::MAX / 2_000_000_000)),
        "poll of thousands" => unsafe {
            let timers: Vec<u32> = (0..5_000).map(|_| raw::subscribe_duration(u64::MAX)).collect();
            let mut ready = [0_u32; 2];
            raw::poll(timers.as_ptr() as u32, timers.len() as u32, ready.as_mut_ptr() as u32);
        },
        "poll of nothing" => unsafe {
            let mut ready = [0_u32; 2];
            raw::poll(0, 0, ready.as_mut_ptr() as u32);
        },
        "random at once" => unsafe {
            let mut list = [0_u32; 2];
            raw::random_bytes(u64::MAX, list.as_mut_ptr() as u32);
        },
        "random flood" => loop {
            let mut list = [0_u32; 2];
            unsafe { raw::random_bytes(1 << 16, list.as_mut_ptr() as u32) };
        },
        "clock flood" => loop {
            std::hint::black_box(std::time::Instant::now());
        },
        "error huge" => {
            return Err(Error { code: Some("c".repeat(1 << 20)), ..error("\u{1b}m".repeat(1 << 20)) });
        }
        "error of all numbers" => {
            let most = Some(u64::MAX);
            return Err(Error { retryable: true, retry_after_ms: most, rows_accepted: most, ..error("later") });
        }
        "error with the secret" => {
            let token = setting("token");
            return Err(Error { code: Some(token.clone()), ..error(format!("refused {token}")) });
        }
        "panic with the secret" => panic!("it was {}", setting("token")),
        "ack of all numbers" => {
            ack.rows = Some(u64::MAX);
            ack.server_time_ns = Some(u64::MAX);
        }
        "cancelled is success" => {
            // The request fails with the run; it says that the rows are stored all the same.
            let sent = Client::connect(&setting("endpoint"))?.send("POST", "/", &[], Some(payload));
            ack.rows = Some(sent.map_or(7, |_| 1));
        }
        "http" => drop(Client::connect(&setting("endpoint"))?),
        "grpc" => drop(Channel::connect(&setting("endpoint"))?),
        "tcp" => drop(Connection::connect(&setting("endpoint"))?),
        "redirect" => {
            let answer = Client::connect(&setting("endpoint"))?.send("GET", "/", &[], None)?;
            ack.rows = Some(u64::from(answer.status()));
        }
        "connections kept" => loop {
            std::mem::forget(Client::connect(&setting("endpoint"))?);
        },
        "read for ever" => drop(Connection::connect(&setting("endpoint"))?.read_exact(u32::MAX)?),
        "request smuggled" => {
            Client::connect(&setting("endpoint"))?.send("GET / HTTP/1.1\r\nx: y\r\n\r\nPOST", "/", &[], None)?;
        }
        "path smuggled" => {
            Client::connect(&setting("endpoint"))?.send("GET", "/ HTTP/1.1\r\nhost: other\r\n\r\n", &[], None)?;
        }
        "header smuggled" => Client::connect(&setting("endpoint"))?.set_header("x", "1\r\nhost: other")?,
        _ => ack.rows = Some(u64::from(payload.rows())),
    }
    Ok(ack)
}
