//! The handles that reach a [`GrpcServer`](super::GrpcServer).

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::grpc::{self, Call, GrpcAnswer};
use crate::{Error, ErrorKind, Header, MessageCompression, Payload, Result};

/// A way to a [`GrpcServer`], as in the contract's `grpc.channel`.
#[derive(Debug)]
pub struct Channel {
    pub(super) server: Rc<grpc::State>,
    pub(super) metadata: RefCell<Vec<Header>>,
    compression: Cell<Option<MessageCompression>>,
}

#[allow(missing_docs, clippy::missing_errors_doc, reason = "described in wit/grpc.wit")]
impl Channel {
    pub fn connect(endpoint: &str) -> Result<Self> {
        Ok(Self { server: grpc::find(endpoint)?, metadata: RefCell::default(), compression: Cell::new(None) })
    }
    pub fn set_metadata(&self, name: &str, value: &str) -> Result<()> {
        let mut metadata = self.metadata.borrow_mut();
        metadata.retain(|header| !header.name.eq_ignore_ascii_case(name));
        metadata.push(Header::new(name, value));
        Ok(())
    }
    pub fn compress(&self, compression: MessageCompression) {
        self.compression.set(Some(compression));
    }
    pub fn unary(&self, path: &str, message: &Payload) -> Result<Reply> {
        self.server.take(self.begin(path, vec![message.bytes()]))
    }
    pub fn open_stream(&self, path: &str) -> Result<ClientStream> {
        let early = self.server.early.borrow().clone();
        Ok(ClientStream { server: Rc::clone(&self.server), call: RefCell::new(self.begin(path, Vec::new())), early })
    }
    fn begin(&self, path: &str, messages: Vec<Vec<u8>>) -> Call {
        let metadata = self.metadata.borrow().clone();
        Call { path: path.to_owned(), metadata, compression: self.compression.get(), messages }
    }
}

/// A call of many messages, as in the contract's `grpc.client-stream`.
#[derive(Debug)]
pub struct ClientStream {
    server: Rc<grpc::State>,
    call: RefCell<Call>,
    early: Option<(usize, GrpcAnswer)>,
}

#[allow(missing_docs, clippy::missing_errors_doc, reason = "described in wit/grpc.wit")]
impl ClientStream {
    pub fn send(&self, message: &Payload) -> Result<()> {
        if self.is_over() {
            return Err(Error::new(ErrorKind::Unavailable, "the stream is over"));
        }
        self.call.borrow_mut().messages.push(message.bytes());
        Ok(())
    }
    pub fn early_reply(&self) -> Option<Reply> {
        let (_, answer) = self.early.as_ref()?;
        if self.is_over() { answer.clone().reply().ok() } else { None }
    }
    pub fn finish(&self) -> Result<Reply> {
        match &self.early {
            Some((_, answer)) if self.is_over() => answer.clone().reply(),
            _ => self.server.take(self.call.borrow().clone()),
        }
    }
    fn is_over(&self) -> bool {
        self.early.as_ref().is_some_and(|(messages, _)| self.call.borrow().messages.len() >= *messages)
    }
}

/// How a call ended, as in the contract's `grpc.reply`.
#[derive(Debug)]
pub struct Reply(GrpcAnswer);

#[allow(missing_docs, reason = "described in wit/grpc.wit")]
impl Reply {
    pub(super) fn new(answer: GrpcAnswer) -> Self {
        Self(answer)
    }
    pub fn status(&self) -> u32 {
        self.0.status
    }
    pub fn message(&self) -> String {
        self.0.message.clone()
    }
    pub fn metadata(&self, name: &str) -> Option<String> {
        grpc::find_header(&self.0.metadata, name).map(str::to_owned)
    }
    pub fn body(&self) -> Payload {
        Payload::from_bytes(&self.0.body, 0)
    }
}
