//! What requests cost on the wire.

use std::time::Duration;

/// Time and bytes of the requests since the last [`HttpClient::take_exchange`](crate::HttpClient::take_exchange), failed ones
/// included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exchange {
    /// From the first byte handed to the socket to the last byte read, summed over the requests. Of a request that failed: to
    /// the moment it was given up. Time spent on making a connection, or on waiting for a shared one, is not in it.
    pub wait: Duration,
    /// Bytes given to the socket: heads, bodies and TLS records, those of a TLS handshake included.
    pub bytes_sent: u64,
    /// Bytes taken from the socket, counted likewise.
    pub bytes_received: u64,
    /// Bytes of a request went out and no complete answer came: whether the server acted on it is not known.
    pub unanswered: bool,
}
