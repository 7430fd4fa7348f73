//! A small client that blocks, and a server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use benchhost_reference::{ReferenceOptions, ReferenceServer, RunningReference};
use serde_json::Value;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// A connection.
pub(crate) struct Client(BufReader<TcpStream>);

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self(BufReader::new(TcpStream::connect(address).unwrap()))
    }

    pub(crate) fn get(&mut self, target: &str) -> Answer {
        self.ask("GET", target, &[], b"")
    }

    pub(crate) fn post(&mut self, target: &str, body: &str) -> Answer {
        self.ask("POST", target, &[], body.as_bytes())
    }

    /// Sends JSON.
    pub(crate) fn document(&mut self, method: &str, target: &str, body: &str) -> Answer {
        self.ask(method, target, &[("Content-Type", "application/json")], body.as_bytes())
    }

    pub(crate) fn ask(&mut self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.try_ask(method, target, headers, body).unwrap()
    }

    /// An answer; none if the connection ends before it.
    pub(crate) fn try_ask(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Option<Answer> {
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!("{method} {target} HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
        let stream = self.0.get_mut();
        stream.write_all(&[head.as_bytes(), body].concat()).ok()?;
        self.answer(method == "HEAD")
    }

    fn answer(&mut self, head_only: bool) -> Option<Answer> {
        let mut line = || {
            let mut line = String::new();
            self.0.read_line(&mut line).ok().filter(|read| *read > 0)?;
            Some(line.trim_end().to_owned())
        };
        let status = line()?.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        loop {
            let line = line()?;
            let Some((name, value)) = line.split_once(": ") else { break };
            headers.push((name.to_owned(), value.to_owned()));
        }
        let mut answer = Answer { status, headers, body: String::new() };
        let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
        if !head_only {
            let mut body = vec![0; length];
            self.0.read_exact(&mut body).ok()?;
            answer.body = String::from_utf8_lossy(&body).into_owned();
        }
        Some(answer)
    }

    /// `/v1/sql` of a database.
    pub(crate) fn sql_in(&mut self, database: &str, sql: &str) -> Answer {
        let body = format!("sql={}", escaped(sql));
        let form = [("Content-Type", "application/x-www-form-urlencoded")];
        self.ask("POST", &format!("/v1/sql?db={database}"), &form, body.as_bytes())
    }

    pub(crate) fn sql(&mut self, sql: &str) -> Answer {
        self.sql_in("public", sql)
    }

    /// The rows that SQL finds.
    pub(crate) fn rows(&mut self, sql: &str) -> Value {
        let answer = self.sql(sql).json();
        let rows = answer["output"][0]["records"]["rows"].clone();
        assert!(rows.is_array(), "{sql}: {answer}");
        rows
    }

    /// `/query` of a database.
    pub(crate) fn influxql(&mut self, database: &str, statement: &str) -> Value {
        self.get(&format!("/query?db={database}&epoch=ns&q={}", escaped(statement))).json()
    }
}

/// Percent-encoded.
pub(crate) fn escaped(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// A server with HTTP alone.
pub(crate) fn start(options: ReferenceOptions) -> RunningReference {
    ReferenceServer::start(ReferenceOptions { grpc: None, ..options }).unwrap()
}

/// A server and a connection to it.
pub(crate) fn serve(options: ReferenceOptions) -> (RunningReference, Client) {
    let server = start(options);
    let client = Client::new(server.http_address.unwrap());
    (server, client)
}

/// One with these faults.
pub(crate) fn injecting(faults: &[&str]) -> (RunningReference, Client) {
    let inject = faults.iter().map(|fault| fault.parse().unwrap()).collect();
    serve(ReferenceOptions { inject, ..ReferenceOptions::default() })
}
