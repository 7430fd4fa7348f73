//! Flight's client, and batches to put by it.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray};
use arrow::datatypes::Schema;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteOptions};
use benchhost_reference::RunningReference;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use serde_json::{Value, json};
use tonic::{Request, Status, Streaming};

use super::messages::arrow::flight::protocol::flight_descriptor::DescriptorType;
use super::messages::arrow::flight::protocol::flight_service_client::FlightServiceClient;
use super::messages::arrow::flight::protocol::{FlightData, FlightDescriptor, PutResult};
use super::{channel, sql};

pub(crate) const TABLE: &str =
    "CREATE TABLE cpu (host STRING, cpu DOUBLE, n BIGINT, ts TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host))";

pub(crate) fn table(server: &RunningReference) {
    sql(server, TABLE);
}

/// Rows of the table from a time on, each a millisecond later.
pub(crate) fn batch(from: i64, rows: i64) -> RecordBatch {
    let times = from..from + rows;
    let hosts: StringArray = times.clone().map(|time| Some(format!("host-{}", time % 3))).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("host", Arc::new(hosts)),
        (
            "cpu",
            Arc::new(Float64Array::from_iter(times.clone().map(|time| (time % 4 != 0).then_some(time as f64 / 8.0)))),
        ),
        ("n", Arc::new(Int64Array::from_iter_values(times.clone().map(|time| time * time)))),
        ("ts", Arc::new(TimestampMillisecondArray::from_iter_values(times))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).unwrap()
}

pub(crate) fn opening(table: &str, schema: &Schema) -> FlightData {
    let mut tracker = DictionaryTracker::new(false);
    let encoded = IpcDataGenerator::default().schema_to_bytes_with_dictionary_tracker(
        schema,
        &mut tracker,
        &IpcWriteOptions::default(),
    );
    FlightData {
        flight_descriptor: Some(FlightDescriptor {
            r#type: DescriptorType::Path.into(),
            cmd: Vec::new(),
            path: vec![table.into()],
        }),
        data_header: encoded.ipc_message.into(),
        app_metadata: Bytes::from_static(br#"{"request_id":0}"#),
        data_body: Bytes::new(),
    }
}

pub(crate) fn message(batch: &RecordBatch, metadata: &str, compression: Option<CompressionType>) -> FlightData {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut tracker = DictionaryTracker::new(false);
    let (_, encoded) =
        IpcDataGenerator::default().encode(batch, &mut tracker, &options, &mut Default::default()).unwrap();
    FlightData {
        flight_descriptor: None,
        data_header: encoded.ipc_message.into(),
        app_metadata: metadata.to_owned().into(),
        data_body: encoded.arrow_data.into(),
    }
}

pub(crate) fn numbered(id: i64, batch: &RecordBatch) -> FlightData {
    message(batch, &json!({"request_id": id}).to_string(), None)
}

pub(crate) async fn open(
    server: &RunningReference,
    messages: impl Stream<Item = FlightData> + Send + 'static,
    metadata: &[(&'static str, &str)],
) -> Result<Streaming<PutResult>, Status> {
    let mut request = Request::new(messages);
    for (name, value) in metadata {
        request.metadata_mut().insert(*name, value.parse().unwrap());
    }
    Ok(FlightServiceClient::new(channel(server).await).do_put(request).await?.into_inner())
}

/// All acknowledgements, and how the stream ended.
pub(crate) async fn put(server: &RunningReference, messages: Vec<FlightData>) -> (Vec<Value>, Option<Status>) {
    put_with(server, messages, &[]).await
}

pub(crate) async fn put_with(
    server: &RunningReference,
    messages: Vec<FlightData>,
    metadata: &[(&'static str, &str)],
) -> (Vec<Value>, Option<Status>) {
    let mut acks = match open(server, stream::iter(messages), metadata).await {
        Ok(acks) => acks,
        Err(status) => return (Vec::new(), Some(status)),
    };
    let mut seen = Vec::new();
    while let Some(ack) = acks.next().await {
        match ack {
            Ok(ack) => seen.push(serde_json::from_slice(&ack.app_metadata).unwrap()),
            Err(status) => return (seen, Some(status)),
        }
    }
    (seen, None)
}
