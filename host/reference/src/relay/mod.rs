//! A way to a server that fails on command: what a client does then can be seen without a server that fails.
//!
//! The relay listens on loopback and passes bytes on in both directions; it knows no protocol. Plain TCP only: over TLS a client would find that
//! the address is not the one in the server's certificate. It is made for a client that waits for each answer: what is under way when the fault
//! changes is cut.

mod line;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use line::Line;

/// Limit for reaching the server; a client whose server cannot be reached is cut.
const REACH: Duration = Duration::from_secs(5);
/// How long the thread at the door rests when the system can give it no connection.
const PAUSE: Duration = Duration::from_millis(10);

/// What a relay does with its clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    /// It passes everything on.
    #[default]
    None,
    /// Nobody listens: connections are refused, and those that were open are cut.
    Refuse,
    /// Connections are accepted and requests read, and nothing is ever answered; the server sees nothing of them.
    Stall,
    /// Requests are passed on, and the connection is reset after half of the first bytes that the server answers.
    Reset,
    /// The connection is closed in good order as soon as something was asked; the server sees nothing of it.
    Close,
}

/// A relay that runs until this is dropped.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    shared: Arc<Shared>,
    door: Option<Door>,
}

/// What the threads of a relay share.
#[derive(Debug)]
struct Shared {
    server: Vec<SocketAddr>,
    fault: Mutex<Fault>,
    lines: Mutex<Vec<Arc<Line>>>,
    accepted: AtomicU64,
}

/// The thread that takes connections, and the word for it to end.
#[derive(Debug)]
struct Door {
    closing: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Relay {
    /// Starts a relay to `server`, on a port of 127.0.0.1 of the system's choice. It passes everything on at first. The server is not looked for
    /// before a client comes.
    ///
    /// # Errors
    ///
    /// When the server's name has no address, or the system has no port or thread left.
    pub fn start(server: impl ToSocketAddrs) -> io::Result<Self> {
        let server: Vec<SocketAddr> = server.to_socket_addrs()?.collect();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared =
            Arc::new(Shared { server, fault: Mutex::default(), lines: Mutex::default(), accepted: AtomicU64::new(0) });
        let door = Some(Door::open(listener, &shared)?);
        Ok(Self { address, shared, door })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many connections it has taken so far.
    #[must_use]
    pub fn accepted(&self) -> u64 {
        self.shared.accepted.load(Ordering::Relaxed)
    }

    /// From now on does this. Connections that suffered from the fault before are cut; those that were sound stay open, unless they are refused
    /// now.
    ///
    /// # Errors
    ///
    /// When it is to listen again, and another process has taken its port meanwhile.
    pub fn set(&mut self, fault: Fault) -> io::Result<()> {
        let before = std::mem::replace(&mut *lock(&self.shared.fault), fault);
        if fault == Fault::Refuse
            && let Some(door) = self.door.take()
        {
            door.close(self.address);
        }
        if before != fault && (before != Fault::None || fault == Fault::Refuse) {
            self.shared.cut();
        }
        if fault != Fault::Refuse && self.door.is_none() {
            self.door = Some(Door::open(TcpListener::bind(self.address)?, &self.shared)?);
        }
        Ok(())
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        if let Some(door) = self.door.take() {
            door.close(self.address);
        }
        self.shared.cut();
    }
}

impl Door {
    fn open(listener: TcpListener, shared: &Arc<Shared>) -> io::Result<Self> {
        let closing = Arc::new(AtomicBool::new(false));
        let (closed, shared) = (Arc::clone(&closing), Arc::clone(shared));
        let thread = thread::Builder::new().name("relay-accept".into()).spawn(move || {
            // The listener ends with the thread: from then on connections are refused.
            let listener = listener;
            loop {
                let accepted = listener.accept();
                if closed.load(Ordering::Relaxed) {
                    break;
                }
                match accepted {
                    Ok((client, _)) => shared.join(client),
                    Err(_) => thread::sleep(PAUSE),
                }
            }
        })?;
        Ok(Self { closing, thread })
    }

    fn close(self, address: SocketAddr) {
        self.closing.store(true, Ordering::Relaxed);
        // The thread waits for somebody to come.
        if TcpStream::connect(address).is_ok() {
            let _ = self.thread.join();
        }
    }
}

impl Shared {
    fn fault(&self) -> Fault {
        *lock(&self.fault)
    }

    fn cut(&self) {
        for line in lock(&self.lines).drain(..) {
            line.cut();
        }
    }

    /// Joins a client to the server. One that cannot be served sees its connection close.
    fn join(self: &Arc<Self>, client: TcpStream) {
        self.accepted.fetch_add(1, Ordering::Relaxed);
        let reached = self.server.iter().find_map(|server| TcpStream::connect_timeout(server, REACH).ok());
        let Some(server) = reached else { return };
        let line = Arc::new(Line::new(client, server));
        let mut lines = lock(&self.lines);
        lines.retain(|line| !line.is_over());
        lines.push(Arc::clone(&line));
        drop(lines);
        for pump in [Line::ask as fn(&Line, &Self), Line::answer] {
            let (pumped, shared) = (Arc::clone(&line), Arc::clone(self));
            let spawned = thread::Builder::new().name("relay".into()).spawn(move || pump(&pumped, &shared));
            if spawned.is_err() {
                line.cut();
            }
        }
    }
}

/// What is guarded is never left half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
