//! A server written by hand, one scripted connection at a time, so that a test decides every byte and every close.

#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(unreachable_pub, reason = "a module of several test crates")]
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up fails")]

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use benchhost_net::{Endpoint, Grants, HttpClient, HttpOptions, Transport};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Nothing in these tests waits longer than this.
pub const BOUND: Duration = Duration::from_secs(30);

/// Runs a test body with a bound on its time.
pub async fn bounded<T>(body: impl Future<Output = T>) -> T {
    tokio::time::timeout(BOUND, body).await.unwrap_or_else(|_| panic!("the test is not done within {BOUND:?}"))
}

/// A listening server; its task ends with the test's runtime.
pub struct Server {
    pub port: u16,
    connections: Arc<AtomicUsize>,
}

impl Server {
    /// Runs `script` for every connection, with the connection's number.
    pub async fn start<F, R>(script: F) -> Self
    where
        F: Fn(usize, Peer<TcpStream>) -> R + Send + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                tokio::spawn(script(count.fetch_add(1, Ordering::SeqCst), Peer::new(stream)));
            }
        });
        Self { port, connections }
    }

    /// A server that gives `answer` to every request, for as long as the client keeps the connection.
    pub async fn answering(answer: impl Into<Vec<u8>>) -> Self {
        let answer = Arc::new(answer.into());
        Self::start(move |_, mut peer| {
            let answer = Arc::clone(&answer);
            async move {
                while peer.request().await.is_some() {
                    peer.write(&answer).await;
                }
            }
        })
        .await
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Connections accepted so far.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// A client with default options, granted this server.
    pub async fn client(&self) -> HttpClient {
        self.client_with(HttpOptions::default()).await
    }

    pub async fn client_with(&self, options: HttpOptions) -> HttpClient {
        transport(options, &self.url()).connect(&self.url(), Some(0)).await.unwrap()
    }
}

/// A transport that is granted one endpoint.
pub fn transport(options: HttpOptions, granted: &str) -> Arc<Transport> {
    let endpoint: Endpoint = granted.parse().unwrap();
    Arc::new(Transport::new(options, Grants::new([endpoint])).unwrap())
}

/// A request as it came over the wire.
pub struct Request {
    pub head: String,
    pub body: Vec<u8>,
}

impl Request {
    pub fn line(&self) -> &str {
        self.head.lines().next().unwrap()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers(name).next()
    }

    pub fn headers<'a, 'n>(&'a self, name: &'n str) -> impl Iterator<Item = &'a str> + use<'a, 'n> {
        self.head.lines().skip(1).filter_map(move |line| {
            let (field, value) = line.split_once(": ")?;
            field.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// The server's end of a connection, which counts what passes.
pub struct Peer<S> {
    pub stream: S,
    pub read: u64,
    pub written: u64,
    buffer: Vec<u8>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Peer<S> {
    pub fn new(stream: S) -> Self {
        Self { stream, read: 0, written: 0, buffer: Vec::new() }
    }

    async fn more(&mut self) -> bool {
        let read = self.stream.read_buf(&mut self.buffer).await.unwrap_or(0);
        self.read += read as u64;
        read > 0
    }

    /// The next request with its body; `None` when the client is gone.
    pub async fn request(&mut self) -> Option<Request> {
        let end = loop {
            match self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                Some(at) => break at,
                None if self.more().await => {}
                None => return None,
            }
        };
        let head = String::from_utf8(self.buffer[..end].to_vec()).unwrap();
        self.buffer.drain(..end + 4);
        let mut request = Request { head, body: Vec::new() };
        let length: usize = request.header("content-length").map_or(0, |value| value.parse().unwrap());
        while self.buffer.len() < length {
            self.more().await.then_some(())?;
        }
        request.body = self.buffer.drain(..length).collect();
        Some(request)
    }

    pub async fn write(&mut self, bytes: &[u8]) {
        if self.stream.write_all(bytes).await.is_ok() && self.stream.flush().await.is_ok() {
            self.written += bytes.len() as u64;
        }
    }

    /// Waits until the client closes.
    pub async fn closed(&mut self) {
        while self.more().await {}
    }
}
