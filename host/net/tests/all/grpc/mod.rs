//! A gRPC server whose handler decides every message, status and close.

#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(unreachable_pub, reason = "a module of several test crates")]
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up fails")]

pub(crate) mod echo;

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use benchhost_net::{Endpoint, Grants, GrpcChannel, HttpOptions, Transport};
use bytes::{Buf, Bytes, BytesMut};
use hyper::body::{Body, Frame, Incoming};
use hyper::header::HeaderName;
use hyper::http::request::Parts;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio_rustls::TlsAcceptor;

/// Nothing in these tests waits longer than this.
pub const BOUND: Duration = Duration::from_secs(60);

/// Runs a test body with a bound on its time.
pub async fn bounded<T>(body: impl Future<Output = T>) -> T {
    tokio::time::timeout(BOUND, body).await.unwrap_or_else(|_| panic!("the test is not done within {BOUND:?}"))
}

/// How the server takes connections.
#[derive(Clone, Default)]
pub struct Setup {
    /// What a stream may send before the handler reads; hyper's own choice if none.
    pub window: Option<u32>,
    pub tls: Option<TlsAcceptor>,
}

/// A listening server; its tasks end with the test's runtime.
pub struct GrpcServer {
    pub port: u16,
    scheme: &'static str,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    connections: Mutex<Vec<AbortHandle>>,
    accepted: AtomicUsize,
    calls: AtomicUsize,
    read: AtomicU64,
    written: AtomicU64,
}

impl GrpcServer {
    /// Runs `handler` for every call, with the call's number.
    pub async fn start<F, R>(handler: F) -> Self
    where
        F: Fn(usize, Call) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        Self::start_with(Setup::default(), handler).await
    }

    pub async fn start_with<F, R>(setup: Setup, handler: F) -> Self
    where
        F: Fn(usize, Call) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let scheme = if setup.tls.is_some() { "https" } else { "http" };
        let (handler, ours) = (Arc::new(handler), Arc::clone(&shared));
        tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                tcp.set_nodelay(true).unwrap();
                shared.accepted.fetch_add(1, SeqCst);
                let counted = Counted { tcp, shared: Arc::clone(&shared) };
                let (handler, setup, all) = (Arc::clone(&handler), setup.clone(), Arc::clone(&shared));
                let task = tokio::spawn(async move {
                    match setup.tls {
                        None => serve(counted, setup.window, handler, all).await,
                        Some(ref tls) => {
                            if let Ok(stream) = tls.accept(counted).await {
                                serve(stream, setup.window, handler, all).await;
                            }
                        }
                    }
                });
                shared.connections.lock().unwrap().push(task.abort_handle());
            }
        });
        Self { port, scheme, shared: ours }
    }

    pub fn url(&self) -> String {
        format!("{}://127.0.0.1:{}", self.scheme, self.port)
    }

    /// Connections accepted so far.
    pub fn connections(&self) -> usize {
        self.shared.accepted.load(SeqCst)
    }

    /// Calls begun so far.
    pub fn calls(&self) -> usize {
        self.shared.calls.load(SeqCst)
    }

    /// Bytes taken from and given to all sockets.
    pub fn bytes(&self) -> (u64, u64) {
        (self.shared.read.load(SeqCst), self.shared.written.load(SeqCst))
    }

    /// Closes all sockets, as a server does that is killed.
    pub fn kill(&self) {
        self.shared.connections.lock().unwrap().drain(..).for_each(|task| task.abort());
    }

    pub fn transport(&self, options: HttpOptions) -> Arc<Transport> {
        let endpoint: Endpoint = self.url().parse().unwrap();
        Arc::new(Transport::new(options, Grants::new([endpoint])).unwrap())
    }

    pub async fn channel_with(&self, options: HttpOptions) -> GrpcChannel {
        self.transport(options).channel(&self.url(), Some(0)).await.unwrap()
    }

    pub async fn channel(&self) -> GrpcChannel {
        self.channel_with(HttpOptions::default()).await
    }
}

async fn serve<S, F, R>(stream: S, window: Option<u32>, handler: Arc<F>, shared: Arc<Shared>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    F: Fn(usize, Call) -> R + Send + Sync + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    let service = service_fn(move |request: Request<Incoming>| {
        let (head, body) = request.into_parts();
        let (answer, answered) = oneshot::channel();
        let call = Call { head, body, buffer: BytesMut::new(), answer: Some(answer) };
        tokio::spawn(handler(shared.calls.fetch_add(1, SeqCst), call));
        // A handler that answers nothing keeps the call open.
        async move {
            match answered.await {
                Ok(response) => Ok::<_, Infallible>(response),
                Err(_) => std::future::pending().await,
            }
        }
    });
    let mut builder = http2::Builder::new(TokioExecutor::new());
    if let Some(window) = window {
        builder.initial_stream_window_size(window).initial_connection_window_size(window);
    }
    _ = builder.serve_connection(TokioIo::new(stream), service).await;
}

/// One call.
pub struct Call {
    pub head: Parts,
    body: Incoming,
    buffer: BytesMut,
    answer: Option<oneshot::Sender<Response<Frames>>>,
}

impl Call {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The next message with its flag; `None` at the end, `Err` when the client has reset the call.
    pub async fn next(&mut self) -> Result<Option<(u8, Bytes)>, String> {
        loop {
            if self.buffer.len() >= 5 {
                let length = u32::from_be_bytes(self.buffer[1..5].try_into().unwrap()) as usize;
                if self.buffer.len() >= 5 + length {
                    let flag = self.buffer[0];
                    self.buffer.advance(5);
                    return Ok(Some((flag, self.buffer.split_to(length).freeze())));
                }
            }
            match poll_fn(|cx| Pin::new(&mut self.body).poll_frame(cx)).await {
                None => {
                    assert!(self.buffer.is_empty(), "the call ends within a message");
                    return Ok(None);
                }
                Some(Err(error)) => return Err(format!("{error:?}")),
                Some(Ok(frame)) => self.buffer.extend_from_slice(&frame.into_data().unwrap()),
            }
        }
    }

    /// The next message; `None` at the end or after a reset.
    pub async fn message(&mut self) -> Option<Bytes> {
        self.next().await.ok().flatten().map(|(_, message)| message)
    }

    /// Answers with the head.
    pub fn begin(&mut self, fields: &[(&'static str, &str)]) -> Answer {
        let (frames, queue) = mpsc::unbounded_channel();
        let mut response = Response::builder().status(200);
        if fields.iter().all(|(name, _)| *name != "content-type") {
            response = response.header("content-type", "application/grpc");
        }
        for (name, value) in fields {
            response = response.header(*name, *value);
        }
        _ = self.answer.take().unwrap().send(response.body(Frames(queue)).unwrap());
        Answer(frames)
    }

    /// Answers with nothing but fields.
    pub fn only(&mut self, status: u16, fields: &[(&'static str, &str)]) {
        let mut response = Response::builder().status(status);
        for (name, value) in fields {
            response = response.header(*name, *value);
        }
        let (_, queue) = mpsc::unbounded_channel();
        _ = self.answer.take().unwrap().send(response.body(Frames(queue)).unwrap());
    }
}

/// The answer of a call, piece by piece. Dropping it without a status ends the stream without one.
#[derive(Clone)]
pub struct Answer(mpsc::UnboundedSender<Frame<Bytes>>);

impl Answer {
    /// A message; the flag says whether it is compressed.
    pub fn message(&self, flag: u8, message: &[u8]) {
        let length = u32::try_from(message.len()).unwrap().to_be_bytes();
        self.raw([&[flag], &length[..], message].concat());
    }

    pub fn raw(&self, bytes: Vec<u8>) {
        _ = self.0.send(Frame::data(bytes.into()));
    }

    pub fn end(self, fields: &[(&'static str, &str)]) {
        let mut trailers = HeaderMap::new();
        for (name, value) in fields {
            trailers.insert(HeaderName::from_static(name), value.parse().unwrap());
        }
        _ = self.0.send(Frame::trailers(trailers));
    }

    pub fn ok(self) {
        self.end(&[("grpc-status", "0")]);
    }

    /// Acknowledges a batch.
    pub fn ack(&self, id: u64, rows: u64) {
        let text = format!("{{\"request_id\":{id},\"affected_rows\":{rows},\"elapsed_secs\":0.5}}");
        self.message(0, &[&[0x0a, u8::try_from(text.len()).unwrap()], text.as_bytes()].concat());
    }
}

/// A batch of a put: its number and its payload.
pub fn batch(message: &Bytes) -> (u64, Bytes) {
    assert_eq!(message[0], 0x1a, "no app_metadata");
    let length = usize::from(message[1]);
    let text = std::str::from_utf8(&message[2..2 + length]).unwrap();
    let id = text.strip_prefix("{\"request_id\":").unwrap().strip_suffix('}').unwrap().parse().unwrap();
    (id, message.slice(2 + length..))
}

/// The frames of an answer.
pub struct Frames(mpsc::UnboundedReceiver<Frame<Bytes>>);

impl Body for Frames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.get_mut().0.poll_recv(cx).map(|frame| frame.map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_closed() && self.0.is_empty()
    }
}

struct Counted {
    tcp: TcpStream,
    shared: Arc<Shared>,
}

impl AsyncRead for Counted {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        let before = buf.filled().len();
        let outcome = Pin::new(&mut self.tcp).poll_read(cx, buf);
        self.shared.read.fetch_add((buf.filled().len() - before) as u64, SeqCst);
        outcome
    }
}

impl AsyncWrite for Counted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<std::io::Result<usize>> {
        let outcome = Pin::new(&mut self.tcp).poll_write(cx, buf);
        if let Poll::Ready(Ok(bytes)) = outcome {
            self.shared.written.fetch_add(bytes as u64, SeqCst);
        }
        outcome
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(cx)
    }
}
