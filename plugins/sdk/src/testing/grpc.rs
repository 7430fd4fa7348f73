//! A gRPC server that answers what the test tells it to. It has no socket: channels find it by its endpoint.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::rc::{Rc, Weak};

use super::channel::Reply;
use crate::{Error, ErrorKind, Header, MessageCompression, PutAck, Result, Table};

thread_local! {
    static SERVERS: RefCell<HashMap<String, Weak<State>>> = RefCell::default();
    static NUMBER: Cell<u32> = const { Cell::new(0) };
}

/// A gRPC server of one test.
#[derive(Debug)]
pub struct GrpcServer(Rc<State>);

impl GrpcServer {
    /// A server that has no answers yet.
    #[must_use]
    pub fn start() -> Self {
        let number = NUMBER.get();
        NUMBER.set(number + 1);
        let endpoint = format!("http://grpc-{number}.test:80");
        let state = Rc::new(State { endpoint: endpoint.clone(), ..State::default() });
        SERVERS.with_borrow_mut(|servers| servers.insert(endpoint, Rc::downgrade(&state)));
        Self(state)
    }

    /// Its URL.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.0.endpoint
    }

    /// Answers calls of `path` (`/package.Service/Method`), unary or streams, from now on.
    pub fn answer(&self, path: &str, answer: GrpcAnswer) {
        self.on(path, move |_| answer.clone());
    }

    /// Answers calls of `path` from now on as `handler` says.
    pub fn on(&self, path: &str, handler: impl Fn(&Call) -> GrpcAnswer + 'static) {
        self.0.routes.borrow_mut().insert(path.to_owned(), Rc::new(handler));
    }

    /// Ends each stream that is opened from now on with `answer` when it has taken so many messages: the next `send` fails.
    pub fn end_streams_after(&self, messages: usize, answer: GrpcAnswer) {
        *self.0.early.borrow_mut() = Some((messages, answer));
    }

    /// Lets streams run to their end again.
    pub fn end_streams_normally(&self) {
        *self.0.early.borrow_mut() = None;
    }

    /// Answers what is put into Flight streams from now on as `handler` says.
    pub fn on_put(&self, handler: impl Fn(&Put) -> Result<PutAck> + 'static) {
        *self.0.put.borrow_mut() = Some(Rc::new(handler));
    }

    /// The calls since this was last asked that were answered, oldest first.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.0.calls.take()
    }

    /// What was put into Flight streams since this was last asked, oldest first.
    #[must_use]
    pub fn puts(&self) -> Vec<Put> {
        self.0.puts.take()
    }

    /// The only call since this was last asked.
    ///
    /// # Errors
    ///
    /// `internal` when there was none, or more than one.
    pub fn call(&self) -> Result<Call> {
        let mut calls = self.calls();
        match calls.len() {
            1 => Ok(calls.remove(0)),
            other => Err(Error::internal(format!("{other} calls, not one: {calls:?}"))),
        }
    }
}

/// A call, as the server got it.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// `/package.Service/Method`.
    pub path: String,
    /// What the channel sent along.
    pub metadata: Vec<Header>,
    /// How messages were compressed. They stand here plain.
    pub compression: Option<MessageCompression>,
    /// One message, or all that a stream took.
    pub messages: Vec<Vec<u8>>,
}

impl Call {
    /// The metadata of that name.
    #[must_use]
    pub fn metadata(&self, name: &str) -> Option<&str> {
        find_header(&self.metadata, name)
    }
}

/// One batch that was put into a Flight stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Put {
    /// The descriptor's path.
    pub path: Vec<String>,
    /// The table whose schema the stream began with.
    pub table: Table,
    /// How many batches might wait for their acknowledgement.
    pub max_in_flight: u32,
    /// What the channel sent along.
    pub metadata: Vec<Header>,
    /// The batch, as the stand-in of the encoder wrote it.
    pub batch: Vec<u8>,
    /// Rows of the batch.
    pub rows: u32,
}

impl Put {
    /// The metadata of that name.
    #[must_use]
    pub fn metadata(&self, name: &str) -> Option<&str> {
        find_header(&self.metadata, name)
    }
}

/// What a gRPC server answers.
#[derive(Debug, Clone, PartialEq)]
pub struct GrpcAnswer {
    pub(super) status: u32,
    pub(super) message: String,
    pub(super) metadata: Vec<Header>,
    pub(super) body: Vec<u8>,
    failure: Option<Error>,
}

impl GrpcAnswer {
    /// Success, with this message.
    #[must_use]
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self { status: 0, message: String::new(), metadata: Vec::new(), body: body.into(), failure: None }
    }

    /// A status that is no success, with the server's words.
    #[must_use]
    pub fn status(status: u32, message: &str) -> Self {
        Self { status, message: message.to_owned(), ..Self::ok([]) }
    }

    /// No answer: the connection fails with `error`.
    #[must_use]
    pub fn failure(error: Error) -> Self {
        Self { failure: Some(error), ..Self::ok([]) }
    }

    /// The same with one more field in the trailers.
    #[must_use]
    pub fn metadata(mut self, name: &str, value: &str) -> Self {
        self.metadata.push(Header::new(name, value));
        self
    }

    pub(super) fn reply(self) -> Result<Reply> {
        match self.failure.clone() {
            Some(error) => Err(error),
            None => Ok(Reply::new(self)),
        }
    }
}

type Handler = Rc<dyn Fn(&Call) -> GrpcAnswer>;
type PutHandler = Rc<dyn Fn(&Put) -> Result<PutAck>>;

/// What the server's channels share with it.
#[derive(Default)]
pub(super) struct State {
    endpoint: String,
    routes: RefCell<HashMap<String, Handler>>,
    pub(super) early: RefCell<Option<(usize, GrpcAnswer)>>,
    put: RefCell<Option<PutHandler>>,
    calls: RefCell<Vec<Call>>,
    puts: RefCell<Vec<Put>>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.endpoint)
    }
}

impl State {
    /// Answers a call and remembers it.
    pub(super) fn take(&self, call: Call) -> Result<Reply> {
        let handler = self.routes.borrow().get(&call.path).map(Rc::clone);
        let answer = match handler {
            Some(handler) => handler(&call).reply(),
            None => Err(Error::internal(format!("the test has told the server no answer to {}", call.path))),
        };
        self.calls.borrow_mut().push(call);
        answer
    }

    /// Answers a batch and remembers it.
    pub(super) fn put(&self, put: Put) -> Result<PutAck> {
        let handler = self.put.borrow().as_ref().map(Rc::clone);
        let ack = match handler {
            Some(handler) => handler(&put),
            None => Err(Error::internal("the test has told the server no answer to what is put")),
        };
        self.puts.borrow_mut().push(put);
        ack
    }
}

pub(super) fn find_header<'a>(headers: &'a [Header], name: &str) -> Option<&'a str> {
    headers.iter().find(|header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value.as_str())
}

/// The server of an endpoint.
pub(super) fn find(endpoint: &str) -> Result<Rc<State>> {
    let server = SERVERS.with_borrow(|servers| servers.get(endpoint).and_then(Weak::upgrade));
    server.ok_or_else(|| {
        Error::new(ErrorKind::Denied, format!("`{endpoint}` is not granted: no gRPC server of this test"))
    })
}
