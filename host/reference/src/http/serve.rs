//! The listener and its connections.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::reply::Cut;

/// The pause after a connection could not be taken, as when there are no more file handles.
const PAUSE: Duration = Duration::from_millis(10);

/// Opens a listener, which needs no runtime yet.
///
/// # Errors
///
/// The system's, as when the port is taken.
pub(crate) fn bind(address: SocketAddr) -> io::Result<(std::net::TcpListener, SocketAddr)> {
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Takes connections until `shutdown` says so, then lets each finish the request that it has.
pub(crate) async fn serve(listener: TcpListener, router: Router, mut shutdown: watch::Receiver<bool>) {
    let service = TowerToHyperService::new(router);
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = shutdown.wait_for(|over| *over) => break,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, _)) => {
                let (service, mut shutdown) = (service.clone(), shutdown.clone());
                connections.spawn(async move {
                    let over = async move { drop(shutdown.wait_for(|over| *over).await) };
                    connection(stream, service, over).await;
                });
            }
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// Answers one connection. An answer that is marked as [`Cut`] ends it without a word.
async fn connection(stream: TcpStream, service: TowerToHyperService<Router>, over: impl Future<Output = ()>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        let answer = service.call(request);
        async move {
            match answer.await {
                Ok(response) if response.extensions().get::<Cut>().is_some() => {
                    Err(io::Error::new(io::ErrorKind::ConnectionReset, "injected: the connection is cut"))
                }
                Ok(response) => Ok(response),
                Err(never) => Err(impossible(never)),
            }
        }
    });
    let connection = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        () = over => connection.as_mut().graceful_shutdown(),
    }
    // An error is the client's, who sees it as well as anybody.
    let _ = connection.await;
}

fn impossible(never: Infallible) -> io::Error {
    match never {}
}
