//! The reference server's gRPC listener: GreptimeDB's own service, Arrow Flight and OTLP, all on one port.

mod call;
mod columns;
mod connection;
mod database;
mod export;
mod flight;
mod rows;
mod status;
mod wire;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::codec::CompressionEncoding::{Gzip, Zstd};
use tonic::transport::Server;

use crate::messages::arrow::flight::protocol::flight_service_server::FlightServiceServer;
use crate::messages::greptime::v1::greptime_database_server::GreptimeDatabaseServer;
use crate::messages::greptime::v1::health_check_server::HealthCheckServer;
use crate::messages::opentelemetry::proto::collector::logs::v1::logs_service_server::LogsServiceServer;
use crate::messages::opentelemetry::proto::collector::metrics::v1::metrics_service_server::MetricsServiceServer;
use crate::shared::Shared;
use connection::Listener;
use database::{Database, Health};
use export::Export;
use flight::Flight;

/// The largest message, in bytes, as in a real GreptimeDB.
const MAX_MESSAGE: usize = 512 << 20;
/// How far a client may send ahead on one stream and on one connection, in bytes: enough that no client waits for the window.
const STREAM_WINDOW: u32 = 8 << 20;
const CONNECTION_WINDOW: u32 = 32 << 20;
/// The largest HTTP/2 frame, in bytes: a batch of any size is read in few pieces.
const MAX_FRAME: u32 = 1 << 20;
/// How long calls may go on after the shutdown was asked for, before their connections are cut.
const GRACE: Duration = Duration::from_millis(500);
/// Serves `listener` until `shutdown`, and then lets calls end for half a second.
///
/// # Errors
///
/// The transport cannot be set up.
pub(crate) async fn serve(
    listener: TcpListener,
    shared: Arc<Shared>,
    shutdown: impl Future<Output = ()> + Send,
) -> Result<(), tonic::transport::Error> {
    /// What goes for every service.
    macro_rules! service {
        ($server:ident, $service:expr) => {
            $server::new($service)
                .max_decoding_message_size(MAX_MESSAGE)
                .accept_compressed(Gzip)
                .accept_compressed(Zstd)
        };
    }
    let all = CancellationToken::new();
    let stop = CancellationToken::new();
    let connections = stream::unfold(Listener::new(listener, all.clone()), |listener| async move {
        Some((Ok::<_, std::io::Error>(listener.next().await), listener))
    });
    let server = Server::builder()
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_frame_size(MAX_FRAME)
        .add_service(service!(GreptimeDatabaseServer, Database::new(Arc::clone(&shared))))
        .add_service(service!(FlightServiceServer, Flight::new(Arc::clone(&shared))))
        .add_service(service!(LogsServiceServer, Export::new(Arc::clone(&shared))))
        .add_service(service!(MetricsServiceServer, Export::new(shared)))
        .add_service(HealthCheckServer::new(Health))
        .serve_with_incoming_shutdown(connections, stop.clone().cancelled_owned());
    tokio::pin!(server);
    tokio::select! {
        ended = &mut server => return ended,
        () = shutdown => stop.cancel(),
    }
    let ended = tokio::time::timeout(GRACE, server).await;
    all.cancel();
    ended.unwrap_or(Ok(()))
}
