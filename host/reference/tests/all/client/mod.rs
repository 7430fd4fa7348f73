//! What the tests of the protocols share: a server of their own, its clients, and SQL over HTTP to read back with.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "each test program uses a part of it, and a helper fails by a panic as a test does"
)]

pub(crate) mod batches;
pub(crate) mod rows;
pub(crate) mod signals;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use benchhost_reference::{ReferenceOptions, ReferenceServer, RunningReference};
use serde_json::Value;
use tonic::transport::{Channel, Endpoint};

pub(crate) mod messages {
    //! Generated, with clients.
    #![allow(
        missing_docs,
        unreachable_pub,
        unused_qualifications,
        clippy::all,
        clippy::allow_attributes_without_reason,
        reason = "generated"
    )]
    include!(concat!(env!("OUT_DIR"), "/client/messages.rs"));
}

/// A server on free ports.
pub(crate) fn start(options: ReferenceOptions) -> RunningReference {
    let any: SocketAddr = ([127, 0, 0, 1], 0).into();
    ReferenceServer::start(ReferenceOptions { http: Some(any), grpc: Some(any), ..options }).expect("the server starts")
}

/// A channel to its gRPC listener.
pub(crate) async fn channel(server: &RunningReference) -> Channel {
    let address = server.grpc_address.expect("it listens for gRPC");
    Endpoint::from_shared(format!("http://{address}")).expect("an address").connect().await.expect("it answers")
}

/// An answer over HTTP.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Posts a body, over a connection of its own.
pub(crate) fn post(
    server: &RunningReference,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> std::io::Result<Answer> {
    let address = server.http_address.expect("it listens for HTTP");
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut head =
        format!("POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    stream.write_all(body)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").ok_or(std::io::ErrorKind::UnexpectedEof)?;
    let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
    let status = head[9..12].parse().expect("a status");
    Ok(Answer { status, body: answer[end + 4..].to_vec(), head })
}

/// The rows that a query finds.
pub(crate) fn sql(server: &RunningReference, query: &str) -> Value {
    let encoded: String = query.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let answer = post(server, "/v1/sql?db=public", &form, format!("sql={encoded}").as_bytes()).expect("an answer");
    let json: Value = serde_json::from_slice(&answer.body).unwrap_or_else(|_| panic!("{query}: {}", answer.text()));
    assert_eq!(answer.status, 200, "{query}: {json}");
    json["output"][0]["records"]["rows"].clone()
}

/// How many rows a table has.
pub(crate) fn count(server: &RunningReference, table: &str) -> u64 {
    sql(server, &format!("SELECT count(*) FROM \"{table}\""))[0][0].as_u64().expect("a number")
}
