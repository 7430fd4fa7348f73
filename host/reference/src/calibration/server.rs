//! Starting and ending.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use thiserror::Error;

use crate::calibration::connection::{self, Gate, Shared};
use crate::calibration::http::Answer;
use crate::calibration::influx::Influx;
use crate::calibration::injection::InjectionError;
use crate::calibration::options::ServerOptions;
use crate::calibration::record::{Record, Truth};
use crate::calibration::timeline::Timeline;

/// Stack of a connection's thread: what it needs, twice over.
const STACK: usize = 256 << 10;
/// How long a client that is turned away may take to send what it has begun.
const FAREWELL: Duration = Duration::from_millis(50);
/// The pause after a connection could not be taken, as when there are no more file handles.
const PAUSE: Duration = Duration::from_millis(10);

/// Why a server does not start.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StartError {
    /// An injection that cannot be.
    #[error("the reference server cannot be started: {0}")]
    Injection(#[from] InjectionError),
    /// The system refuses an address or a thread.
    #[error("the reference server cannot listen on 127.0.0.1: {0}")]
    Listen(#[from] io::Error),
}

/// The reference server.
#[derive(Debug, Clone, Copy)]
pub struct Server;

impl Server {
    /// Starts a server on 127.0.0.1, on a port of the system's choice. It is ready when this returns.
    ///
    /// # Errors
    ///
    /// When the options cannot be, or the system has no port or thread left.
    pub fn start(options: ServerOptions) -> Result<Running, StartError> {
        options.injection.check()?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            influx: Influx::new(options.forget),
            gate: Mutex::new(Gate::new(Timeline::new(options.injection, options.seed))),
            record: Mutex::new(Record::new()),
            spins: options.spin,
            ended: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        let door = thread::Builder::new()
            .name("reference-accept".into())
            .spawn(move || accept(&listener, &accepting, options.max_connections))?;
        Ok(Running { address, shared, door: Some(door) })
    }
}

/// A server that runs until this is dropped.
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    shared: Arc<Shared>,
    door: Option<JoinHandle<()>>,
}

impl Running {
    /// Its URL: `http://127.0.0.1:port`.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it did with the writes since the last reset.
    #[must_use]
    pub fn truth(&self) -> Truth {
        self.shared.truth()
    }

    /// Forgets what it did. Draws, stalls and the rate limit go on as if nothing had happened.
    pub fn reset(&self) {
        lock(&self.shared.record).reset();
    }

    /// Ends the server: connections are cut, and holds given up. Dropping it does the same.
    pub fn stop(self) {}
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        // The thread at the door waits for somebody to come.
        if TcpStream::connect(self.address).is_ok()
            && let Some(door) = self.door.take()
        {
            let _ = door.join();
        }
    }
}

/// Takes connections until the server has ended, then cuts those that there are and waits for their threads.
fn accept(listener: &TcpListener, shared: &Arc<Shared>, most: usize) {
    let open: Arc<Mutex<HashMap<u64, TcpStream>>> = Arc::default();
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    let mut number = 0;
    loop {
        let accepted = listener.accept();
        if shared.ended.load(Ordering::Relaxed) {
            break;
        }
        threads.retain(|thread| !thread.is_finished());
        let Ok((stream, _)) = accepted else {
            thread::sleep(PAUSE);
            continue;
        };
        if lock(&open).len() >= most {
            turn_away(&stream, most);
            continue;
        }
        number += 1;
        match spawn(number, stream, shared, &open) {
            Ok(thread) => threads.push(thread),
            // The client sees its connection close; it was never read.
            Err(_) => {
                lock(&open).remove(&number);
            }
        }
    }
    for stream in lock(&open).values() {
        let _ = stream.shutdown(Shutdown::Both);
    }
    for thread in threads {
        let _ = thread.join();
    }
}

/// A thread for a connection, which is in `open` as long as it lasts.
fn spawn(
    number: u64,
    stream: TcpStream,
    shared: &Arc<Shared>,
    open: &Arc<Mutex<HashMap<u64, TcpStream>>>,
) -> io::Result<JoinHandle<()>> {
    lock(open).insert(number, stream.try_clone()?);
    let (shared, open) = (Arc::clone(shared), Arc::clone(open));
    thread::Builder::new().name(format!("reference-{number}")).stack_size(STACK).spawn(move || {
        connection::serve(&stream, &shared);
        lock(&open).remove(&number);
        // The list holds the socket open as well: only now it closes.
        let _ = stream.shutdown(Shutdown::Both);
    })
}

/// Answers a connection that is one too many.
fn turn_away(mut stream: &TcpStream, most: usize) {
    let words = format!("this server takes {most} connections at once, and has them: use fewer");
    let _ = stream.set_write_timeout(Some(FAREWELL));
    let _ = stream.set_read_timeout(Some(FAREWELL));
    let _ = stream.write_all(&Answer::error(503, words).bytes(true));
    let _ = stream.shutdown(Shutdown::Write);
    // Closing on unread bytes would reset the connection, and the client might never see the answer.
    let _ = stream.read(&mut [0; 4096]);
}

/// A lock that outlives a panic: what it guards is counters and maps, which are never left half-changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
