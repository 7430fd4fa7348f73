//! One client's way to the server and back.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::net::sockopt::set_socket_linger;

use super::{Fault, Shared, lock};

/// A client and its server. Each direction has a thread.
#[derive(Debug)]
pub(super) struct Line {
    /// Gone once it was reset: a socket is reset when the last one who holds it lets go.
    client: Mutex<Option<Arc<TcpStream>>>,
    server: TcpStream,
    over: AtomicBool,
}

impl Line {
    pub(super) fn new(client: TcpStream, server: TcpStream) -> Self {
        // Answers of a few bytes must not wait for each other.
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        Self { client: Mutex::new(Some(Arc::new(client))), server, over: AtomicBool::new(false) }
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Ends both connections, in good order.
    pub(super) fn cut(&self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(client) = self.client() {
            let _ = client.shutdown(Shutdown::Both);
        }
        let _ = self.server.shutdown(Shutdown::Both);
    }

    fn client(&self) -> Option<Arc<TcpStream>> {
        lock(&self.client).clone()
    }

    /// From the client to the server, until one of them ends.
    pub(super) fn ask(&self, shared: &Shared) {
        let Some(client) = self.client() else { return };
        let mut buffer = vec![0; 1 << 16];
        loop {
            let asked = match (&*client).read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(bytes) => &buffer[..bytes],
            };
            match shared.fault() {
                Fault::None | Fault::Reset => {
                    if (&self.server).write_all(asked).is_err() {
                        break;
                    }
                }
                Fault::Stall | Fault::Refuse => {}
                // The rest is read until the client has seen the end: closing on unread bytes would be a reset.
                Fault::Close => {
                    let _ = client.shutdown(Shutdown::Write);
                }
            }
        }
        let _ = self.server.shutdown(Shutdown::Write);
    }

    /// From the server to the client, until one of them ends.
    pub(super) fn answer(&self, shared: &Shared) {
        let mut buffer = vec![0; 1 << 16];
        loop {
            let answered = match (&self.server).read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(bytes) => &buffer[..bytes],
            };
            match shared.fault() {
                Fault::None => {
                    if self.client().is_none_or(|client| (&*client).write_all(answered).is_err()) {
                        break;
                    }
                }
                Fault::Reset => {
                    let _ = self.reset(&answered[..answered.len() / 2]);
                    break;
                }
                Fault::Stall | Fault::Refuse | Fault::Close => {}
            }
        }
        self.over.store(true, Ordering::Relaxed);
        if let Some(client) = self.client() {
            let _ = client.shutdown(Shutdown::Write);
        }
    }

    /// Sends the last bytes and resets the connection to the client.
    fn reset(&self, last: &[u8]) -> io::Result<()> {
        let Some(client) = lock(&self.client).take() else { return Ok(()) };
        (&*client).write_all(last)?;
        set_socket_linger(&*client, Some(Duration::ZERO))?;
        // Wakes the other direction without a word to the client; whoever of the two lets go last resets it.
        client.shutdown(Shutdown::Read)?;
        let _ = self.server.shutdown(Shutdown::Both);
        Ok(())
    }
}
