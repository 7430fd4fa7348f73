//! Starting and ending a reference server.

use std::io;
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use thiserror::Error;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::http;
use crate::options::ReferenceOptions;
use crate::shared::Shared;

/// Threads that answer.
const THREADS: usize = 2;
/// What requests that are under way may take when the server ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// Why a reference server does not start.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// An address that cannot be had.
    #[error("the reference server cannot listen for {protocol} on {address}: {source}{}", hint(.source))]
    Listen {
        /// `HTTP` or `gRPC`.
        protocol: &'static str,
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        source: io::Error,
    },
    /// The system has no threads left.
    #[error("the reference server cannot be started: {0}")]
    Threads(#[from] io::Error),
    /// A password without a user.
    #[error("the reference server cannot be started: there is a password and no user")]
    User,
}

fn hint(error: &io::Error) -> &'static str {
    if error.kind() == io::ErrorKind::AddrInUse { "; choose another port, or port 0 for a free one" } else { "" }
}

/// The reference server.
#[derive(Debug, Clone, Copy)]
pub struct ReferenceServer;

impl ReferenceServer {
    /// Starts a server, which is ready when this returns. It listens only where the options say.
    ///
    /// # Errors
    ///
    /// An address that cannot be had, or no threads left.
    pub fn start(options: ReferenceOptions) -> Result<RunningReference, ReferenceError> {
        if options.password.is_some() && options.user.is_none() {
            return Err(ReferenceError::User);
        }
        // Before there is a runtime, so that it may be called where another one runs, and nothing has to be ended when it fails.
        let bind = |protocol, address: Option<SocketAddr>| {
            let bound =
                |address| http::bind(address).map_err(|source| ReferenceError::Listen { protocol, address, source });
            address.map(bound).transpose()
        };
        let (http, grpc) = (bind("HTTP", options.http)?, bind("gRPC", options.grpc)?);
        let runtime =
            Builder::new_multi_thread().worker_threads(THREADS).thread_name("reference").enable_all().build()?;
        let (over, shutdown) = watch::channel(false);
        let mut serving = Vec::new();
        let inside = runtime.enter();
        let shared = Shared::new(options);
        let (mut http_address, mut grpc_address) = (None, None);
        if let Some((listener, address)) = http {
            http_address = Some(address);
            let listener = TcpListener::from_std(listener)?;
            serving.push(runtime.spawn(http::serve(listener, http::router(shared.clone()), shutdown.clone())));
        }
        if let Some((listener, address)) = grpc {
            grpc_address = Some(address);
            let listener = TcpListener::from_std(listener)?;
            let mut over = shutdown;
            let shutdown = async move { drop(over.wait_for(|over| *over).await) };
            serving.push(runtime.spawn(async move {
                // Its only error is one of setting up what has no settings that can be wrong.
                let _ = crate::grpc::serve(listener, shared, shutdown).await;
            }));
        }
        drop(inside);
        Ok(RunningReference { http_address, grpc_address, over, serving, runtime: Some(runtime) })
    }
}

/// A server that runs until this is dropped.
#[derive(Debug)]
pub struct RunningReference {
    /// Where HTTP is spoken.
    pub http_address: Option<SocketAddr>,
    /// Where gRPC is spoken.
    pub grpc_address: Option<SocketAddr>,
    over: watch::Sender<bool>,
    serving: Vec<JoinHandle<()>>,
    runtime: Option<Runtime>,
}

impl RunningReference {
    /// Its URL for HTTP: `http://127.0.0.1:port`.
    #[must_use]
    pub fn http_endpoint(&self) -> Option<String> {
        self.http_address.map(|address| format!("http://{address}"))
    }

    /// Ends the server: requests under way have a second to finish, then they are cut. Dropping it does the same.
    pub fn stop(self) {}
}

impl Drop for RunningReference {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        // Nobody is left to hear it when all listeners have ended already.
        let _ = self.over.send(true);
        let serving = std::mem::take(&mut self.serving);
        // A thread of its own, since a runtime must not be ended or waited for inside of another one.
        let ending = thread::Builder::new().name("reference-end".into()).spawn(move || {
            runtime.block_on(async {
                for task in serving {
                    let _ = tokio::time::timeout(FAREWELL, task).await;
                }
            });
            runtime.shutdown_timeout(FAREWELL);
        });
        if let Ok(ending) = ending {
            let _ = ending.join();
        }
    }
}
