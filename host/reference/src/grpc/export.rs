//! OTLP over gRPC, as the specification has it. The tables are those of the standard HTTP paths.

use std::sync::Arc;

use tonic::{Request, Response, Status};

use super::call::{authenticate_call, database_of, denied, scissors};
use crate::messages::opentelemetry::proto::collector::logs::v1::logs_service_server::LogsService;
use crate::messages::opentelemetry::proto::collector::logs::v1::{ExportLogsServiceRequest, ExportLogsServiceResponse};
use crate::messages::opentelemetry::proto::collector::metrics::v1::metrics_service_server::MetricsService;
use crate::messages::opentelemetry::proto::collector::metrics::v1::{
    ExportMetricsServiceRequest, ExportMetricsServiceResponse,
};
use crate::otlp::export::{self, LOGS, LogTable};
use crate::otlp::logs::Layout;
use crate::otlp::metrics::Shape;
use crate::shared::Shared;

/// The services for logs and metrics.
pub(super) struct Export {
    shared: Arc<Shared>,
}

impl Export {
    /// Over a store.
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }
}

#[tonic::async_trait]
impl LogsService for Export {
    async fn export(
        &self,
        request: Request<ExportLogsServiceRequest>,
    ) -> Result<Response<ExportLogsServiceResponse>, Status> {
        let headers = request.metadata().as_ref();
        authenticate_call(&self.shared, headers)?;
        let scissors = scissors(request.extensions());
        let to = LogTable {
            database: database_of(headers).to_owned(),
            table: LOGS.to_owned(),
            layout: Layout::Table { extract: Vec::new() },
            ttl: None,
        };
        let stored = export::logs(&self.shared, request.get_ref(), &to).await;
        stored.map(Response::new).map_err(|error| denied(error, scissors.as_ref()))
    }
}

#[tonic::async_trait]
impl MetricsService for Export {
    async fn export(
        &self,
        request: Request<ExportMetricsServiceRequest>,
    ) -> Result<Response<ExportMetricsServiceResponse>, Status> {
        let headers = request.metadata().as_ref();
        authenticate_call(&self.shared, headers)?;
        let scissors = scissors(request.extensions());
        let database = database_of(headers);
        let stored = export::metrics(&self.shared, request.get_ref(), database, Shape::Standard).await;
        stored.map(Response::new).map_err(|error| denied(error, scissors.as_ref()))
    }
}
