//! Targets that talk to a server over real sockets, by way of a relay, and take a failing way in different ways.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use benchhost_core::{Ack, CallError, Crash, Effort, ErrorKind, OpError, Target, Targets};
use benchhost_data::{Batch, Payload, Table};
use benchhost_reference::relay::Relay;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::suffer;
use crate::book::Book;
use crate::finding::{Outcome, Report};
use crate::worker::{Trouble, Worker};

/// How a target takes a failing way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// As the contract says.
    Well,
    /// It acknowledges what it has sent, answer or not.
    Blindly,
    /// Every error is `internal`.
    AsItsOwn,
    /// No error is retryable.
    AsFinal,
    /// It keeps a broken connection for ever.
    ForEver,
    /// It panics.
    InPanic,
    /// It waits without end.
    Patiently,
}

struct Fakes {
    takes: Takes,
    address: std::net::SocketAddr,
}

struct Fake {
    takes: Takes,
    address: std::net::SocketAddr,
    connection: Option<TcpStream>,
}

impl Targets for Fakes {
    type Session = Fake;

    async fn open(&self, _: u32) -> Result<Fake, CallError> {
        Ok(Fake { takes: self.takes, address: self.address, connection: None })
    }
}

impl Fake {
    async fn exchange(&mut self, wait: Duration) -> Result<(), (ErrorKind, String)> {
        let broke = |error: std::io::Error| (ErrorKind::Unavailable, error.to_string());
        if self.connection.is_none() {
            self.connection = Some(TcpStream::connect(self.address).await.map_err(broke)?);
        }
        let connection = self.connection.as_mut().unwrap();
        connection.write_all(b"ask!").await.map_err(broke)?;
        if self.takes == Takes::Blindly {
            return Ok(());
        }
        let mut answer = [0; 6];
        match tokio::time::timeout(wait, connection.read_exact(&mut answer)).await {
            Ok(read) => read.map(|_| ()).map_err(broke),
            Err(_) => Err((ErrorKind::TimedOut, "no answer".to_owned())),
        }
    }
}

impl Target for Fake {
    async fn server(&mut self) -> Result<Vec<(String, String)>, CallError> {
        Ok(Vec::new())
    }

    async fn create_table(&mut self, _: &Table) -> Result<(), CallError> {
        Ok(())
    }

    async fn drop_table(&mut self, _: &Table) -> Result<(), CallError> {
        Ok(())
    }

    async fn count_rows(&mut self, _: &Table, _: i64, _: i64) -> Result<u64, CallError> {
        Ok(0)
    }

    async fn encode(&mut self, batch: &Arc<Batch>) -> Result<Payload, CallError> {
        Ok(Payload::new(Vec::new(), batch.rows()))
    }

    async fn send(&mut self, _: &Payload) -> Result<Ack, CallError> {
        let wait = if self.takes == Takes::Patiently { Duration::from_secs(3_600) } else { Duration::from_secs(1) };
        let Err((kind, message)) = self.exchange(wait).await else { return Ok(Ack::default()) };
        if self.takes == Takes::InPanic {
            let (plugin, call) = ("fake".to_owned(), "ingest.send".to_owned());
            return Err(Crash { plugin, call, reason: message, stderr: String::new() }.into());
        }
        if self.takes != Takes::ForEver {
            self.connection = None;
        }
        let kind = if self.takes == Takes::AsItsOwn { ErrorKind::Internal } else { kind };
        Err(OpError { retryable: self.takes != Takes::AsFinal, ..OpError::new(kind, message) }.into())
    }

    async fn finish(&mut self) -> Result<Option<u64>, CallError> {
        Ok(None)
    }

    fn take_effort(&mut self) -> Effort {
        Effort::default()
    }

    async fn close(&mut self) {}
}

/// A server that answers every four bytes with six.
fn server() -> std::net::SocketAddr {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let mut request = [0; 4];
                while stream.read_exact(&mut request).is_ok() && stream.write_all(b"answer").is_ok() {}
            });
        }
    });
    address
}

fn faults(takes: Takes) -> (Report, Option<(&'static str, Trouble)>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut relays = vec![Relay::start(server()).unwrap()];
    let fakes = Fakes { takes, address: relays[0].address() };
    let mut worker = Worker::new(&fakes, Duration::from_secs(4));
    let mut book = Book::default();
    let unrecovered = runtime.block_on(async {
        let payload = Payload::new(Vec::new(), 1);
        worker.send(&payload).await.unwrap();
        suffer(&mut worker, &mut relays, &payload, &mut book).await.unwrap()
    });
    (book.report(Path::new("fake")), unrecovered)
}

fn failed(report: &Report) -> Vec<&'static str> {
    let failed = report.findings.iter().filter(|finding| finding.outcome == Outcome::Fail);
    failed.map(|finding| finding.rule).collect()
}

#[test]
fn a_target_that_says_what_happened_and_connects_again_passes() {
    let (report, unrecovered) = faults(Takes::Well);
    assert!(failed(&report).is_empty() && unrecovered.is_none(), "{unrecovered:?}\n{}", report.to_text());
    assert_eq!(report.count(Outcome::Pass), 4);
}

#[test]
fn rows_that_are_acknowledged_without_an_answer_are_found_out() {
    let (report, _) = faults(Takes::Blindly);
    for rule in ["fault.stalled", "fault.reset", "fault.closed"] {
        assert!(failed(&report).contains(&rule), "{}", report.to_text());
    }
    assert!(report.to_text().contains("and `send` acknowledges the rows"));
}

#[test]
fn errors_of_another_kind_are_found_out() {
    let (report, unrecovered) = faults(Takes::AsItsOwn);
    assert_eq!(failed(&report), ["fault.refused", "fault.stalled", "fault.reset", "fault.closed"]);
    assert!(unrecovered.is_none());
}

#[test]
fn a_refused_connection_must_be_worth_another_try() {
    let (report, _) = faults(Takes::AsFinal);
    assert_eq!(failed(&report), ["fault.refused"]);
    assert!(report.finding("fault.stalled").unwrap().says.ends_with("not retryable"));
}

#[test]
fn a_session_that_never_connects_again_is_found_out() {
    let (report, unrecovered) = faults(Takes::ForEver);
    assert!(failed(&report).is_empty(), "{}", report.to_text());
    assert_eq!(unrecovered.unwrap().0, "fault.refused");
}

#[test]
fn a_session_that_dies_or_hangs_of_a_fault_is_found_out_and_the_next_fault_is_tried() {
    let (report, _) = faults(Takes::InPanic);
    assert_eq!(failed(&report).len(), 5, "{}", report.to_text());
    let (report, _) = faults(Takes::Patiently);
    assert_eq!(failed(&report), ["fault.stalled", "fault.recovers"], "{}", report.to_text());
    assert!(report.finding("fault.stalled").unwrap().says.contains("did not return within 4s"));
}
