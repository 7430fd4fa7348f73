//! A small client that blocks.

#![allow(clippy::unwrap_used, dead_code, reason = "tests; each uses a part of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use benchhost_reference::{Distribution, Injection, Running, Server, ServerOptions};
use serde_json::Value;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// A connection.
pub(crate) struct Client(BufReader<TcpStream>);

impl Client {
    pub(crate) fn new(server: &Running) -> Self {
        Self(BufReader::new(TcpStream::connect(server.address).unwrap()))
    }

    /// Sends a request and reads its answer.
    pub(crate) fn ask(&mut self, method: &str, target: &str, body: &str) -> Answer {
        let length = body.len();
        self.raw(&format!("{method} {target} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n{body}"))
    }

    /// Sends bytes as they are and reads an answer.
    pub(crate) fn raw(&mut self, text: &str) -> Answer {
        self.0.get_mut().write_all(text.as_bytes()).unwrap();
        self.answer()
    }

    /// Reads an answer.
    pub(crate) fn answer(&mut self) -> Answer {
        let mut line = || {
            let mut line = String::new();
            self.0.read_line(&mut line).unwrap();
            line.trim_end().to_owned()
        };
        let status = line().split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = line();
            let Some((name, value)) = line.split_once(": ") else { break };
            headers.push((name.to_owned(), value.to_owned()));
        }
        let mut answer = Answer { status, headers, body: String::new() };
        let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        answer.body = String::from_utf8(body).unwrap();
        answer
    }

    /// Whether the server has closed the connection.
    pub(crate) fn closed(&mut self) -> bool {
        self.0.read(&mut [0]).map_or(true, |read| read == 0)
    }

    pub(crate) fn write(&mut self, lines: &str) -> Answer {
        self.ask("POST", "/write?db=b", lines)
    }

    pub(crate) fn create(&mut self) {
        assert_eq!(self.ask("POST", "/query?q=CREATE%20DATABASE%20%22b%22", "").status, 200);
    }

    pub(crate) fn statement(&mut self, method: &str, statement: &str) -> Value {
        let statement = statement.replace(' ', "%20").replace('"', "%22").replace('<', "%3C").replace('>', "%3E");
        self.ask(method, &format!("/query?db=b&epoch=ns&q={statement}"), "").json()
    }

    /// Rows of `cpu` in a range.
    pub(crate) fn count(&mut self, start: i64, end: i64) -> Value {
        let where_ = format!("time >= {start} AND time < {end}");
        self.statement("GET", &format!(r#"SELECT COUNT("cpu") FROM "cpu" WHERE {where_}"#))
    }
}

/// A server with the database `b`.
pub(crate) fn server(options: ServerOptions) -> Running {
    let server = Server::start(options).unwrap();
    Client::new(&server).create();
    server
}

pub(crate) fn holding(service: Distribution) -> Running {
    injecting(Injection { service, ..Injection::default() })
}

pub(crate) fn injecting(injection: Injection) -> Running {
    server(ServerOptions { injection, ..ServerOptions::default() })
}
