//! GreptimeDB's own service: rows in one request or in a stream of them, and SQL that answers with a number of rows.

use std::sync::Arc;

use tonic::{Request, Response, Status, Streaming};

use super::call::{authenticate_message, database_in, denied, scissors};
use super::connection::Scissors;
use super::{rows, status};
use crate::admit;
use crate::hints::Hints;
use crate::messages::greptime::v1::greptime_database_server::GreptimeDatabase;
use crate::messages::greptime::v1::greptime_request::Request as Asked;
use crate::messages::greptime::v1::health_check_server::HealthCheck;
use crate::messages::greptime::v1::query_request::Query;
use crate::messages::greptime::v1::{
    AffectedRows, GreptimeRequest, GreptimeResponse, HealthCheckRequest, HealthCheckResponse, QueryRequest,
    ResponseHeader, RowInsertRequests, Status as Said,
};
use crate::shared::Shared;
use crate::sql::Outcome;
use crate::store::{Extra, Missing};

/// What a table is commented with that a write has made.
const COMMENT: &str = "Created on insertion";

/// `greptime.v1.GreptimeDatabase`.
pub(super) struct Database {
    shared: Arc<Shared>,
}

/// What goes for all requests of a call.
struct Call {
    hints: Hints,
    scissors: Option<Scissors>,
}

impl Database {
    /// Over a store.
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    async fn act(&self, call: &Call, request: GreptimeRequest) -> Result<u64, Status> {
        authenticate_message(&self.shared, request.header.as_ref())?;
        let database = database_in(request.header.as_ref());
        match request.request {
            Some(Asked::RowInserts(inserts)) => self.insert(call, database, inserts).await,
            Some(Asked::Query(query)) => self.query(database, query).await,
            Some(Asked::Inserts(_)) => Err(unserved("inserts by column (use row_inserts)")),
            Some(Asked::Ddl(_)) => Err(unserved("ddl (use SQL)")),
            Some(Asked::Deletes(_) | Asked::RowDeletes(_)) => Err(unserved("deletes")),
            None => Err(status::invalid("Missing required field in protobuf, field: request")),
        }
    }

    async fn insert(&self, call: &Call, database: &str, inserts: RowInsertRequests) -> Result<u64, Status> {
        let store = &self.shared.store;
        if !call.hints.create {
            // The store would refuse as well, but in other words.
            let missing = inserts.inserts.iter().find(|insert| store.schema(database, &insert.table_name).is_err());
            if let (Some(insert), true) = (missing, store.has_database(database)) {
                return Err(status::invalid(format!(
                    "Table `{}` does not exist, and `auto_create_table` hint is disabled",
                    insert.table_name
                )));
            }
        }
        let read = inserts.inserts.iter().map(|insert| rows::read(&insert.table_name, &insert.rows));
        let rows = read.collect::<Result<Vec<_>, _>>().map_err(status::invalid)?;
        let missing = if call.hints.create {
            let mut options = call.hints.options.clone();
            options.comment = Some(COMMENT.to_owned());
            Missing::Create(options)
        } else {
            Missing::Refuse
        };
        let count = admit::count(&rows);
        let write = |accepted| store.write(database, admit::first(rows, accepted), &missing, Extra::AddColumns);
        admit::write(&self.shared, count, write).await.map_err(|error| denied(error, call.scissors.as_ref()))
    }

    async fn query(&self, database: &str, query: QueryRequest) -> Result<u64, Status> {
        let Some(Query::Sql(sql)) = query.query else {
            return Err(unserved("a logical plan (use SQL)"));
        };
        let mut affected = 0;
        for outcome in self.shared.store.sql(database, &sql).await.map_err(status::refused)? {
            match outcome {
                Outcome::Affected(rows) => affected += rows,
                Outcome::Records(..) => return Err(Status::unimplemented("GreptimeDatabase::Handle for query")),
            }
        }
        Ok(affected)
    }
}

fn unserved(what: &str) -> Status {
    Status::unimplemented(format!("The reference server does not serve {what}"))
}

impl Call {
    fn new<T>(request: &Request<T>) -> Result<Self, Status> {
        let hints = Hints::from_headers(request.metadata().as_ref()).map_err(status::invalid)?;
        Ok(Self { hints, scissors: scissors(request.extensions()) })
    }
}

fn answer(rows: u64) -> Response<GreptimeResponse> {
    Response::new(GreptimeResponse {
        header: Some(ResponseHeader { status: Some(Said::default()) }),
        affected_rows: Some(AffectedRows { value: u32::try_from(rows).unwrap_or(u32::MAX) }),
    })
}

#[tonic::async_trait]
impl GreptimeDatabase for Database {
    async fn handle(&self, request: Request<GreptimeRequest>) -> Result<Response<GreptimeResponse>, Status> {
        let call = Call::new(&request)?;
        Ok(answer(self.act(&call, request.into_inner()).await?))
    }

    /// What was acted on before an error stays.
    async fn handle_requests(
        &self,
        request: Request<Streaming<GreptimeRequest>>,
    ) -> Result<Response<GreptimeResponse>, Status> {
        let call = Call::new(&request)?;
        let mut requests = request.into_inner();
        let mut affected = 0;
        while let Some(request) = requests.message().await? {
            affected += self.act(&call, request).await?;
        }
        Ok(answer(affected))
    }
}

/// `greptime.v1.HealthCheck`: always well.
pub(super) struct Health;

#[tonic::async_trait]
impl HealthCheck for Health {
    async fn health_check(&self, _: Request<HealthCheckRequest>) -> Result<Response<HealthCheckResponse>, Status> {
        Ok(Response::new(HealthCheckResponse {}))
    }
}
