//! Native gRPC and Arrow Flight `DoPut` over HTTP/2.
//!
//! The protocol is framed here by hand, over hyper's HTTP/2 connection: the encoders of the usual libraries copy every message once
//! more, where a body whose pieces are the caller's own buffers copies nothing. Messages are opaque; who sends them knows their format.
//!
//! An HTTP/2 connection is not polled by whoever waits, as an HTTP/1.1 one is: many calls run on it at once, from several threads. So it
//! has a task of its own in the runtime that dialled it, and breaks when that runtime ends; whoever needs it next makes a new one.

mod ack;
mod acks;
mod body;
mod call;
mod channel;
mod compression;
mod deframe;
mod http2;
mod json;
mod link;
mod message;
mod put;
mod reply;
mod socket;
mod status;
mod stream;

pub use ack::PutAck;
pub use channel::GrpcChannel;
pub use compression::MessageCompression;
pub use put::PutStream;
pub use reply::GrpcReply;
pub use stream::GrpcStream;

pub(crate) use link::Http2Link;
pub(crate) use status::{name as status_name, retryable as status_retryable};
