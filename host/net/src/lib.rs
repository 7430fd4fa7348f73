//! Transport: the only room with sockets.
//!
//! It dials the endpoints that the user granted and nothing else, speaks HTTP/1.1, gRPC and Flight `DoPut` over HTTP/2, or hands bytes
//! over and back ([`TcpConnection`]), over one kept-alive connection per worker (or a few shared ones), and says of every exchange how long the wire was waited for, how many bytes crossed it and whether
//! a request went out that was never answered. Those three are what the counts and spans of a result are made of.
//!
//! What it never does: follow a redirect, retry a request of which a byte was written, decompress an HTTP/1.1 answer, touch a proxy
//! variable of the environment, print, or put a credential into an error.
//!
//! hyper drives the protocols. An HTTP/1.1 connection is polled inside [`HttpClient::send`] by the worker that waits for the answer: no
//! task is spawned, so a request costs no scheduler round and dropping the future is all that is needed to give it up.

mod client;
mod connection;
mod dial;
mod endpoint;
mod error;
mod exchange;
mod failure;
mod grants;
mod grpc;
mod meter;
mod options;
mod request;
mod response;
#[cfg(target_os = "linux")]
mod sock_diag;
mod stream;
mod tcp;
mod tcp_facts;
mod tls;
mod transport;
mod trust;

pub use client::HttpClient;
pub use endpoint::{Endpoint, EndpointError, Scheme};
pub use error::{NetError, TlsError};
pub use exchange::Exchange;
pub use grants::Grants;
pub use grpc::{GrpcChannel, GrpcReply, GrpcStream, MessageCompression, PutAck, PutStream};
pub use options::{HttpOptions, TlsOptions};
pub use request::PreparedRequest;
pub use response::HttpResponse;
pub use tcp::TcpConnection;
pub use tcp_facts::{TcpFacts, TcpTotals};
pub use transport::Transport;
