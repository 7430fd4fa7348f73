//! A server that answers what the test tells it to. It has no socket: clients find it by its endpoint.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::rc::{Rc, Weak};

use crate::{Error, Header, Result};

thread_local! {
    static SERVERS: RefCell<HashMap<String, Weak<State>>> = RefCell::default();
    static NUMBER: Cell<u32> = const { Cell::new(0) };
}

/// A server of one test. Nothing else is granted: an endpoint of no living server is `denied`.
#[derive(Debug)]
pub struct Server(Rc<State>);

impl Server {
    /// A server that has no answers yet.
    #[must_use]
    pub fn start() -> Self {
        let number = NUMBER.get();
        NUMBER.set(number + 1);
        let endpoint = format!("http://server-{number}.test:80");
        let state =
            Rc::new(State { endpoint: endpoint.clone(), routes: RefCell::default(), requests: RefCell::default() });
        SERVERS.with_borrow_mut(|servers| servers.insert(endpoint, Rc::downgrade(&state)));
        Self(state)
    }

    /// Its URL.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.0.endpoint
    }

    /// Answers requests of `method` to `path`, the query aside, from now on.
    pub fn answer(&self, method: &str, path: &str, answer: Answer) {
        self.on(method, path, move |_| answer.clone());
    }

    /// Answers requests of `method` to `path`, the query aside, from now on, as `handler` says.
    pub fn on(&self, method: &str, path: &str, handler: impl Fn(&Request) -> Answer + 'static) {
        let route = Route { method: method.to_owned(), path: path.to_owned(), handler: Rc::new(handler) };
        self.0.routes.borrow_mut().push(route);
    }

    /// What it was asked since this was last asked, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.0.requests.take()
    }

    /// The only request since this was last asked.
    ///
    /// # Errors
    ///
    /// `internal` when there was none, or more than one.
    pub fn request(&self) -> Result<Request> {
        let mut requests = self.requests();
        match requests.len() {
            1 => Ok(requests.remove(0)),
            other => Err(Error::internal(format!("{other} requests, not one: {requests:?}"))),
        }
    }
}

/// A request, as the server got it.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// In capitals.
    pub method: String,
    /// Without the query; escaped.
    pub path: String,
    /// The query, in order, without escapes.
    pub query: Vec<(String, String)>,
    /// Header fields, those of the client first.
    pub headers: Vec<Header>,
    /// The body as it went over the wire; empty if there was none.
    pub body: Vec<u8>,
}

impl Request {
    pub(super) fn new(method: &str, path_and_query: &str, headers: Vec<Header>, body: Vec<u8>) -> Self {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (percent_decode(name), percent_decode(value))
        });
        Self { method: method.to_owned(), path: path.to_owned(), query: pairs.collect(), headers, body }
    }

    /// The first query parameter of that name.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// The first header field of that name, in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value.as_str())
    }

    /// The body as text; what is not UTF-8 is replaced.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON; null if it is none.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// What a server answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<Header>,
    pub(super) body: Vec<u8>,
    failure: Option<Error>,
}

impl Answer {
    /// A status with an empty body.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new(), failure: None }
    }

    /// No answer: the connection fails with `error`.
    #[must_use]
    pub fn failure(error: Error) -> Self {
        Self { failure: Some(error), ..Self::status(0) }
    }

    /// The same with a body.
    #[must_use]
    pub fn body(self, body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..self }
    }

    /// The same with one more header field.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push(Header::new(name, value));
        self
    }
}

/// What the server's clients share with it.
#[derive(Debug)]
pub(super) struct State {
    endpoint: String,
    routes: RefCell<Vec<Route>>,
    requests: RefCell<Vec<Request>>,
}

impl State {
    /// Answers a request and remembers it.
    pub(super) fn take(&self, request: Request) -> Result<Answer> {
        let answer = self.answer(&request);
        self.requests.borrow_mut().push(request);
        answer
    }

    /// What the test has told. What was told last goes first.
    fn answer(&self, request: &Request) -> Result<Answer> {
        let fits = |route: &&Route| route.method == request.method && route.path == request.path;
        let handler = self.routes.borrow().iter().rev().find(fits).map(|route| Rc::clone(&route.handler));
        let Some(handler) = handler else {
            let Request { method, path, .. } = request;
            return Err(Error::internal(format!("the test has told the server no answer to {method} {path}")));
        };
        let answer = handler(request);
        match answer.failure {
            Some(error) => Err(error),
            None => Ok(answer),
        }
    }
}

/// One kind of request and its answer.
struct Route {
    method: String,
    path: String,
    handler: Rc<dyn Fn(&Request) -> Answer>,
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// The server of a URL, and the URL's path.
pub(super) fn find(base_url: &str) -> Result<(Rc<State>, String)> {
    let scheme_end = base_url.find("://").map_or(0, |at| at + 3);
    let path_start = base_url[scheme_end..].find('/').map_or(base_url.len(), |at| scheme_end + at);
    let (origin, path) = base_url.split_at(path_start);
    let server = SERVERS.with_borrow(|servers| servers.get(origin).and_then(Weak::upgrade));
    match server {
        Some(server) => Ok((server, path.trim_end_matches('/').to_owned())),
        None => {
            Err(Error::new(crate::ErrorKind::Denied, format!("`{base_url}` is not granted: no server of this test")))
        }
    }
}

/// Undoes percent-encoding, and `+` for a space.
fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, more)) = rest.split_first() {
        let hex = more.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match (first, hex) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &more[2..];
            }
            _ => {
                bytes.push(if first == b'+' { b' ' } else { first });
                rest = more;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
