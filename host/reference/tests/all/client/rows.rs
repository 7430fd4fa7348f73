//! GreptimeDB's client, and rows to send by it.

use benchhost_reference::RunningReference;
use prost::Message;
use tonic::transport::Channel;
use tonic::{Request, Status};

use super::channel;
use super::messages::greptime::v1 as greptime;
use greptime::greptime_database_client::GreptimeDatabaseClient;
use greptime::greptime_request::Request as Asked;
use greptime::value::ValueData;
use greptime::{
    ColumnDataType, ColumnSchema, GreptimeRequest, RequestHeader, Row, RowInsertRequest, RowInsertRequests, Rows,
    SemanticType, Value,
};

pub(crate) type Client = GreptimeDatabaseClient<Channel>;

pub(crate) async fn client(server: &RunningReference) -> Client {
    GreptimeDatabaseClient::new(channel(server).await)
}

pub(crate) fn column(name: &str, datatype: ColumnDataType, semantic: SemanticType) -> ColumnSchema {
    ColumnSchema {
        column_name: name.into(),
        datatype: datatype.into(),
        semantic_type: semantic.into(),
        datatype_extension: None,
    }
}

pub(crate) fn columns() -> Vec<ColumnSchema> {
    vec![
        column("host", ColumnDataType::String, SemanticType::Tag),
        column("cpu", ColumnDataType::Float64, SemanticType::Field),
        column("ts", ColumnDataType::TimestampMillisecond, SemanticType::Timestamp),
    ]
}

pub(crate) fn row(values: Vec<Option<ValueData>>) -> Row {
    Row { values: values.into_iter().map(|value_data| Value { value_data }).collect() }
}

pub(crate) fn cpu(host: &str, cpu: f64, time: i64) -> Row {
    row(vec![
        Some(ValueData::StringValue(host.into())),
        Some(ValueData::F64Value(cpu)),
        Some(ValueData::TimestampMillisecondValue(time)),
    ])
}

/// Ten rows of ten times.
pub(crate) fn ten(from: i64) -> Vec<Row> {
    (from..from + 10).map(|time| cpu("h", 1.5, time)).collect()
}

pub(crate) fn insert(table: &str, schema: Vec<ColumnSchema>, rows: Vec<Row>) -> RowInsertRequest {
    RowInsertRequest { table_name: table.into(), rows: Rows { schema, rows }.encode_to_vec().into() }
}

pub(crate) fn request(inserts: Vec<RowInsertRequest>) -> GreptimeRequest {
    GreptimeRequest { header: None, request: Some(Asked::RowInserts(RowInsertRequests { inserts })) }
}

pub(crate) fn to_database(name: &str, request: GreptimeRequest) -> GreptimeRequest {
    GreptimeRequest { header: Some(RequestHeader { dbname: name.into(), ..RequestHeader::default() }), ..request }
}

pub(crate) async fn send(client: &mut Client, request: GreptimeRequest, hints: &'static str) -> Result<u32, Status> {
    let mut request = Request::new(request);
    if !hints.is_empty() {
        request.metadata_mut().insert("x-greptime-hints", hints.parse().unwrap());
    }
    let answer = client.handle(request).await?.into_inner();
    Ok(answer.affected_rows.map_or(0, |rows| rows.value))
}
