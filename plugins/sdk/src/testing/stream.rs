//! A server for plugins that speak a protocol of their own, and the handle that reaches it.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::rc::{Rc, Weak};

use crate::{Error, ErrorKind, Payload, Result};

thread_local! {
    static SERVERS: RefCell<HashMap<String, Weak<State>>> = RefCell::default();
    static NUMBER: Cell<u32> = const { Cell::new(0) };
}

type Handler = Box<dyn Fn(&[u8]) -> Option<Vec<u8>>>;

struct State {
    handler: Handler,
    written: RefCell<Vec<u8>>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("written", &self.written).finish_non_exhaustive()
    }
}

/// A server of byte streams. Nothing else is granted: an endpoint of no living server is `denied`.
#[derive(Debug)]
pub struct StreamServer {
    endpoint: String,
    state: Rc<State>,
}

impl StreamServer {
    /// A server that answers each write of a plugin as `handler` says; none: it closes the connection.
    #[must_use]
    pub fn start(handler: impl Fn(&[u8]) -> Option<Vec<u8>> + 'static) -> Self {
        let number = NUMBER.get();
        NUMBER.set(number + 1);
        let endpoint = format!("tcp://stream-{number}.test:1");
        let state = Rc::new(State { handler: Box::new(handler), written: RefCell::default() });
        SERVERS.with_borrow_mut(|servers| servers.insert(endpoint.clone(), Rc::downgrade(&state)));
        Self { endpoint, state }
    }

    /// Its URL.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// What was written to it since this was last asked.
    #[must_use]
    pub fn written(&self) -> Vec<u8> {
        self.state.written.take()
    }
}

/// A connection to a [`StreamServer`], as in the contract's `tcp.connection`.
#[derive(Debug)]
pub struct Connection {
    server: Rc<State>,
    inbox: RefCell<VecDeque<u8>>,
    closed: Cell<bool>,
}

#[allow(missing_docs, clippy::missing_errors_doc, reason = "described in wit/tcp.wit")]
impl Connection {
    pub fn connect(endpoint: &str) -> Result<Self> {
        let server = SERVERS.with_borrow(|servers| servers.get(endpoint).and_then(Weak::upgrade));
        let server = server.ok_or_else(|| Error::new(ErrorKind::Denied, format!("{endpoint} was not granted")))?;
        Ok(Self { server, inbox: RefCell::default(), closed: Cell::new(false) })
    }
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        if self.closed.get() {
            return Err(ended());
        }
        self.server.written.borrow_mut().extend(bytes);
        match (self.server.handler)(bytes) {
            Some(answer) => self.inbox.borrow_mut().extend(answer),
            None => self.closed.set(true),
        }
        Ok(())
    }
    pub fn write_payload(&self, payload: &Payload) -> Result<()> {
        self.write(&payload.bytes())
    }
    pub fn read(&self, max: u32) -> Result<Vec<u8>> {
        let count = self.inbox.borrow().len().min(max as usize);
        if count == 0 && !self.closed.get() {
            return Err(silent());
        }
        Ok(self.take(count))
    }
    pub fn read_exact(&self, count: u32) -> Result<Vec<u8>> {
        if self.inbox.borrow().len() < count as usize {
            return Err(self.missing());
        }
        Ok(self.take(count as usize))
    }
    pub fn read_until(&self, delimiter: &[u8], max: u32) -> Result<Vec<u8>> {
        if delimiter.is_empty() {
            return Err(Error::invalid("the delimiter is empty"));
        }
        let bytes: Vec<u8> = self.inbox.borrow().iter().copied().collect();
        let found = bytes.windows(delimiter.len()).position(|window| window == delimiter);
        match found.map(|start| start + delimiter.len()) {
            Some(end) if end <= max as usize => Ok(self.take(end)),
            None if bytes.len() < max as usize => Err(self.missing()),
            _ => Err(Error::new(ErrorKind::Denied, format!("no delimiter in {max} bytes"))),
        }
    }
    fn take(&self, count: usize) -> Vec<u8> {
        self.inbox.borrow_mut().drain(..count).collect()
    }
    fn missing(&self) -> Error {
        if self.closed.get() { ended() } else { silent() }
    }
}

fn ended() -> Error {
    Error::new(ErrorKind::Unavailable, "connection closed by the server")
}

/// A real server would be waited for in vain.
fn silent() -> Error {
    Error::new(ErrorKind::TimedOut, "the server has said nothing more")
}
