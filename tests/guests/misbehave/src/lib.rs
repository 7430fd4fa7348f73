//! A target that misbehaves in the way that its setting `does` says. What each way must lead to is said by the tests of the sandbox.
//!
//! Misdeeds happen in `send`, except those that need a batch, which happen in `encode`, and those that give text away, which happen in
//! `server`.

// Plugins export nothing where they are not WebAssembly, and the rest would be unused there.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::exit, clippy::print_stdout, clippy::print_stderr, clippy::needless_pass_by_value, reason = "misdeeds")]

use std::cell::RefCell;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use benchhost_plugin::{
    Ack, Batch, Client, Connection, Error, ErrorKind, Header, LineProtocol, Payload, Result, Secret, Table, Target,
    TimeUnit, export_target, gzip, log,
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
struct Settings {
    /// The misdeed.
    #[serde(default)]
    does: String,
    /// Where to send to.
    #[serde(default)]
    endpoint: String,
    /// A secret to tell.
    token: Option<Secret>,
}

struct Misbehave {
    settings: Settings,
    client: Option<Client>,
    encoder: LineProtocol,
}

thread_local! {
    static KEPT: RefCell<Vec<Payload>> = const { RefCell::new(Vec::new()) };
}

impl Misbehave {
    fn does(&self, misdeed: &str) -> bool {
        self.settings.does == misdeed
    }

    fn client(&mut self) -> Result<&Client> {
        if self.client.is_none() {
            self.client = Some(Client::connect(&self.settings.endpoint)?);
        }
        self.client.as_ref().ok_or_else(|| Error::internal("no client"))
    }
}

fn keep(payload: Payload) {
    KEPT.with_borrow_mut(|kept| kept.push(payload));
}

fn fact(name: &str, value: impl ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}

#[allow(unconditional_recursion, reason = "misdeed")]
#[inline(never)]
fn recurse(depth: u64) -> u64 {
    // The array keeps the compiler from making a loop of it.
    let frame = std::hint::black_box([depth; 16]);
    recurse(depth + 1) + frame[3]
}

impl Target for Misbehave {
    type Settings = Settings;
    const NAME: &'static str = "misbehave";
    const SUMMARY: &'static str = "does what a plugin must not";

    fn open(settings: Settings, _worker: Option<u32>) -> Result<Self> {
        if settings.does == "refuse" {
            return Err(Error::invalid("the settings contradict each other"));
        }
        assert!(settings.does != "panic-in-open", "no session for you");
        Ok(Self { settings, client: None, encoder: LineProtocol::new(TimeUnit::Nanosecond) })
    }

    fn server(&mut self) -> Result<Vec<(String, String)>> {
        let token = self.settings.token.as_ref().map(Secret::expose).unwrap_or_default();
        match self.settings.does.as_str() {
            "tell" => {
                log::warn(&format!("the token is {token}"));
                println!("on stdout it is {token}");
                eprint!("and on stderr it is ");
                eprintln!("{token}");
                Ok(vec![fact("token", token)])
            }
            "steer" => {
                log::info("\u{1b}[2Jyour screen is mine");
                log::info(&"x".repeat(20_000));
                Ok(vec![])
            }
            "look" => Ok(vec![
                fact("variables", std::env::vars().count()),
                fact("arguments", std::env::args().count()),
                fact("files", std::fs::read_dir("/").is_ok() || std::fs::read("/etc/passwd").is_ok()),
                fact("write", std::fs::write("/tmp/benchhost-escape", "x").is_ok()),
                fact("sockets", std::net::TcpStream::connect(&self.settings.endpoint).is_ok()),
                fact("names", std::net::ToSocketAddrs::to_socket_addrs("localhost:1").is_ok()),
            ]),
            "random" => Ok((0..3_u32).map(|i| fact("random", RandomState::new().hash_one(i))).collect()),
            _ => Ok(vec![fact("product", "misbehave")]),
        }
    }

    fn create_table(&mut self, _table: &Table) -> Result<()> {
        Ok(())
    }

    fn drop_table(&mut self, _table: &Table) -> Result<()> {
        Ok(())
    }

    fn count_rows(&mut self, _table: &Table, _start_ns: i64, _end_ns: i64) -> Result<u64> {
        Err(Error { kind: ErrorKind::Unsupported, ..Error::internal("nobody counts here") })
    }

    fn encode(&mut self, batch: &Batch) -> Result<Payload> {
        match self.settings.does.as_str() {
            "column" => drop(batch.float64s(99)),
            "type" => drop(batch.keys(0)),
            "miscount" => return Ok(Payload::from_bytes(b"rows", batch.rows() + 1)),
            "gzip" => return gzip(&self.encoder.encode(batch)?, None),
            "gzip-100" => return gzip(&self.encoder.encode(batch)?, Some(100)),
            "keep-reading" => {
                let text = format!("{:?} {:?} {:?}", batch.table(), batch.timestamps(), batch.nulls(1));
                return Ok(Payload::from_bytes(text.as_bytes(), batch.rows()));
            }
            _ => {}
        }
        Ok(Payload::from_bytes(b"rows", batch.rows()))
    }

    fn send(&mut self, payload: &Payload) -> Result<Ack> {
        let token = self.settings.token.as_ref().map(Secret::expose).unwrap_or_default();
        match self.settings.does.as_str() {
            "loop" => loop {
                std::hint::black_box(());
            },
            "grow" => {
                let mut all: Vec<Vec<u8>> = Vec::new();
                loop {
                    all.push(std::hint::black_box(vec![1; 1 << 20]));
                }
            }
            "huge" => keep(Payload::from_bytes(&vec![7; 3 << 20], 0)),
            "leak" => keep(Payload::from_bytes(b"x", 0)),
            "hoard" => loop {
                keep(Payload::from_bytes(&[7; 1 << 16], 0));
            },
            "recurse" => {
                std::hint::black_box(recurse(0));
            }
            "panic" => panic!("out of cheese, token {token}"),
            "exit" => std::process::exit(3),
            "sleep" => std::thread::sleep(Duration::from_millis(300)),
            "sleep-forever" => std::thread::sleep(Duration::from_secs(3_600)),
            "tell" => {
                return Err(Error {
                    code: Some(format!("code-{token}")),
                    retryable: true,
                    retry_after_ms: Some(250),
                    ..Error::internal(format!("the token {token} was refused"))
                });
            }
            "post-prepared" => {
                let header = Header { name: "x-one".to_owned(), value: "1".to_owned() };
                let request = self.client()?.prepare("POST", "/write", &[header])?;
                for left in [false, true] {
                    if let Some(response) = request.send(payload)? {
                        return Err(Error::internal(format!("left {left}: {}", response.status())));
                    }
                }
                return Ok(Ack { pending: false, rows: None, server_time_ns: None });
            }
            "line" => {
                let connection = Connection::connect(&self.settings.endpoint)?;
                connection.write(b"greet\n")?;
                let greeting = connection.read_until(b"\n", 100)?;
                connection.write_payload(payload)?;
                let length = connection.read_exact(2)?;
                let rest = connection.read(100)?;
                return match (greeting.as_slice(), length.as_slice(), rest.as_slice()) {
                    (b"hi\n", b"05", b"rest") => {
                        Ok(Ack { pending: false, rows: Some(u64::from(payload.rows())), server_time_ns: None })
                    }
                    other => Err(Error::internal(format!("{other:?}"))),
                };
            }
            "ask-too-much" => {
                let connection = Connection::connect(&self.settings.endpoint)?;
                connection.read_exact(u32::MAX)?;
            }
            "post" => {
                let header = Header { name: "x-one".to_owned(), value: "1".to_owned() };
                let response = self.client()?.send("POST", "/write", &[header], Some(payload))?;
                let body = response.body();
                let text = String::from_utf8_lossy(&body.read(0, 100)).into_owned();
                return match response.status() {
                    204 => {
                        Ok(Ack { pending: false, rows: Some(u64::from(payload.rows())), server_time_ns: Some(1_000) })
                    }
                    status => Err(Error::internal(format!("status {status}: {text}"))),
                };
            }
            _ => {}
        }
        if self.does("read-past") {
            let rows = payload.read(0, u32::MAX).len() + payload.read(u64::MAX, 10).len();
            return Ok(Ack { pending: false, rows: Some(rows as u64), server_time_ns: None });
        }
        Ok(Ack { pending: false, rows: None, server_time_ns: None })
    }
}

export_target!(Misbehave);
