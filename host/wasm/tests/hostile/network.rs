//! Ways to a server that was not granted. A listener on the very port shows that nothing arrives.

use std::io::{Read, Write};
use std::net::TcpListener;

use benchhost_core::{CallError, ErrorKind, OpError, StopLevel, Target, Targets};

use crate::common::{crash, error, wait};
use crate::lab::{bounded, lab, payload, targets};

/// What a session gets that asks for `asked` (`PORT` is the listener's) where `granted` was given.
fn asks(behaviour: &'static str, asked: &'static str, granted: &'static [&'static str]) -> OpError {
    bounded(move || {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        let granted: Vec<String> = granted.iter().map(|endpoint| endpoint.replace("PORT", &port)).collect();
        let granted: Vec<&str> = granted.iter().map(String::as_str).collect();
        let sandbox = lab();
        let targets = targets(&sandbox, behaviour, &asked.replace("PORT", &port), &granted);
        let told = error(wait(async { targets.open(0).await.unwrap().send(&payload()).await }));
        assert!(listener.accept().is_err(), "a connection was made");
        told
    })
}

macro_rules! denied {
    ($($name:ident: $behaviour:literal to $asked:literal;)*) => {
        $(#[test]
        fn $name() {
            let told = asks($behaviour, $asked, &["http://127.0.0.1:1", "tcp://127.0.0.1:1", "http://granted.invalid:PORT"]);
            assert!(matches!(told.kind, ErrorKind::Denied | ErrorKind::Invalid), "{told:?}");
        })*
    };
}

denied! {
    hostile_address_of_another_port: "http" to "http://127.0.0.1:PORT";
    hostile_address_by_grpc: "grpc" to "http://127.0.0.1:PORT";
    hostile_address_by_tcp: "tcp" to "tcp://127.0.0.1:PORT";
    hostile_address_of_another_name: "http" to "http://localhost:PORT";
    hostile_address_mapped: "http" to "http://[::ffff:127.0.0.1]:PORT";
    hostile_address_unspecified: "http" to "http://0.0.0.0:PORT";
    hostile_address_decimal: "http" to "http://2130706433:PORT";
    hostile_address_octal: "http" to "http://0177.0.0.1:PORT";
    hostile_address_short: "http" to "http://127.1:PORT";
    hostile_address_with_a_user: "http" to "http://127.0.0.1:1@127.0.0.1:PORT";
    hostile_address_of_a_dot: "http" to "http://granted.invalid.evil.invalid:PORT";
}

/// Whoever owns a name decides what it resolves to: only a name that was granted is looked up to be dialled, even if it leads to an address that
/// was granted.
#[test]
fn hostile_name_that_leads_to_a_granted_address() {
    for asked in ["http://rebound.localhost:PORT", "http://127.0.0.1.rebound.invalid:PORT"] {
        let told = asks("http", asked, &["http://127.0.0.1:PORT"]);
        assert_eq!(told.kind, ErrorKind::Denied, "{told:?}");
    }
}

/// A granted name that leads somewhere else by the time it is used lets nobody dial that address under another port.
#[test]
fn hostile_port_of_a_granted_name() {
    let told = asks("http", "http://localhost:PORT", &["http://localhost:1"]);
    assert_eq!(told.kind, ErrorKind::Denied, "{told:?}");
}

/// A granted server that answers everything with `answer`, once; what it was sent.
fn answers(behaviour: &'static str, answer: &'static str) -> (Result<Option<u64>, CallError>, String) {
    bounded(move || {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            listener.set_nonblocking(true).unwrap();
            let deadline = std::time::Instant::now() + std::time::Duration::from_secs(2);
            while std::time::Instant::now() < deadline {
                let Ok((mut stream, _)) = listener.accept() else {
                    std::thread::sleep(std::time::Duration::from_millis(5));
                    continue;
                };
                stream.set_nonblocking(false).unwrap();
                stream.set_read_timeout(Some(std::time::Duration::from_secs(1))).unwrap();
                let mut request = vec![0; 4096];
                let read = stream.read(&mut request).unwrap_or(0);
                let _ = stream.write_all(answer.as_bytes());
                return String::from_utf8_lossy(&request[..read]).into_owned();
            }
            String::new()
        });
        let sandbox = lab();
        let targets = targets(&sandbox, behaviour, &endpoint, &[&endpoint]);
        let outcome = wait(async { targets.open(0).await.unwrap().send(&payload()).await.map(|ack| ack.rows) });
        (outcome, server.join().unwrap())
    })
}

#[test]
fn hostile_redirect_is_not_followed() {
    let answer = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
    let (outcome, _) = answers("redirect", answer);
    assert_eq!(outcome.unwrap(), Some(302));
}

macro_rules! smuggles {
    ($($name:ident: $behaviour:literal;)*) => {
        $(#[test]
        fn $name() {
            let (outcome, sent) = answers($behaviour, "HTTP/1.1 204 No Content\r\n\r\n");
            let told = error(outcome);
            assert_eq!(told.kind, ErrorKind::Invalid, "{told:?}");
            assert!(!sent.contains("other") && !sent.contains("x: y"), "{sent}");
        })*
    };
}

smuggles! {
    hostile_request_smuggled: "request smuggled";
    hostile_path_smuggled: "path smuggled";
    hostile_header_smuggled: "header smuggled";
}

#[test]
fn hostile_connections_kept() {
    bounded(|| {
        let sandbox = lab();
        let targets = targets(&sandbox, "connections kept", "http://127.0.0.1:1", &["http://127.0.0.1:1"]);
        let outcome = wait(async { targets.open(0).await.unwrap().send(&payload()).await });
        // Where a connection is made at once nobody listens; where it is made late, the handles run out.
        match outcome {
            Err(CallError::Error(told)) => assert_eq!(told.kind, ErrorKind::Unavailable),
            other => assert!(crash(other).reason.contains("handles, which is the limit")),
        }
    });
}

#[test]
fn hostile_success_after_a_cancelled_run() {
    bounded(|| {
        let sandbox = lab();
        let targets = targets(&sandbox, "cancelled is success", "http://127.0.0.1:1", &["http://127.0.0.1:1"]);
        wait(async {
            let mut session = targets.open(0).await.unwrap();
            sandbox.stop.raise(StopLevel::Cancelled);
            // The host takes it for what it is, an answer; the run is over, and nothing is counted any more.
            match session.send(&payload()).await {
                Ok(ack) => assert_eq!(ack.rows, Some(7)),
                Err(CallError::Error(told)) => assert_eq!(told.kind, ErrorKind::Cancelled),
                Err(CallError::Crash(crash)) => panic!("{crash}"),
            }
        });
    });
}
