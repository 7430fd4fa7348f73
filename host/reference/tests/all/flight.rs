//! Arrow Flight `DoPut`, by a generated client over a real socket. What is expected was seen of a real GreptimeDB 1.0.2.

use std::sync::Arc;

use crate::client::batches::{batch, message, numbered, open, opening, put, put_with, table};
use crate::client::messages::arrow::flight::protocol::flight_descriptor::DescriptorType;
use crate::client::messages::arrow::flight::protocol::flight_service_client::FlightServiceClient;
use crate::client::messages::arrow::flight::protocol::{FlightData, FlightDescriptor};
use crate::client::{count, sql, start};
use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, Field, Int32Type, Schema, TimeUnit};
use arrow_ipc::CompressionType;
use benchhost_reference::{ReferenceOptions, RunningReference};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tonic::Code;

/// A stream that fails as every stream does, after `acks` acknowledgements beside the first.
async fn fails(server: &RunningReference, what: &str, messages: Vec<FlightData>, acks: usize) {
    let (seen, status) = put(server, messages).await;
    let status = status.unwrap_or_else(|| panic!("{what}: no error"));
    assert_eq!((status.code(), status.message()), (Code::Unknown, "Execute gRPC request error"), "{what}");
    assert_eq!(seen.len(), acks + 1, "{what}");
    assert_eq!(status.metadata().get("x-greptime-err-code"), None);
}

#[tokio::test]
async fn the_first_acknowledgement_comes_before_any_message_and_the_schema_has_none() {
    let server = start(ReferenceOptions::default());
    table(&server);
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    let messages = stream::unfold(receiver, |mut receiver| async move { Some((receiver.recv().await?, receiver)) });
    let mut acks = open(&server, messages, &[]).await.unwrap();
    let first = acks.next().await.unwrap().unwrap();
    assert_eq!(first.app_metadata.as_ref(), br#"{"request_id":0,"affected_rows":0,"elapsed_secs":0.0}"#);
    sender.send(opening("cpu", &batch(0, 1).schema())).await.unwrap();
    sender.send(numbered(7, &batch(0, 10))).await.unwrap();
    let ack: Value = serde_json::from_slice(&acks.next().await.unwrap().unwrap().app_metadata).unwrap();
    assert_eq!((&ack["request_id"], &ack["affected_rows"]), (&json!(7), &json!(10)));
    assert_eq!(count(&server, "cpu"), 10, "what is acknowledged is there");
    drop(sender);
    assert!(acks.next().await.is_none());
}

#[tokio::test]
async fn acknowledgements_keep_the_order_and_numbers_come_back() {
    let server = start(ReferenceOptions::default());
    table(&server);
    let ids: Vec<i64> = (1..=200).chain([-5, 1 << 62]).collect();
    let mut messages = vec![opening("cpu", &batch(0, 1).schema())];
    for (place, id) in ids.iter().enumerate() {
        messages.push(numbered(*id, &batch(place as i64 * 1000, if place % 2 == 0 { 1 } else { 1000 })));
    }
    for odd in ["", "{", r#"{"request_id":"7"}"#] {
        messages.push(message(&batch(0, 0), odd, None));
    }
    let (acks, status) = put(&server, messages).await;
    assert!(status.is_none());
    let seen: Vec<i64> = acks.iter().map(|ack| ack["request_id"].as_i64().unwrap()).collect();
    let expected: Vec<i64> = [0].into_iter().chain(ids).chain([0, 0, 0]).collect();
    assert_eq!(seen, expected);
    let rows: u64 = acks.iter().map(|ack| ack["affected_rows"].as_u64().unwrap()).sum();
    assert_eq!((rows, count(&server, "cpu")), (101 * 1001, 101 * 1001));
}

#[tokio::test]
async fn compressions_may_alternate_and_every_value_arrives() {
    let server = start(ReferenceOptions::default());
    table(&server);
    let kinds = [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)];
    let mut messages = vec![opening("cpu", &batch(0, 1).schema())];
    for place in 0..9 {
        messages.push(message(
            &batch(place * 100, 100),
            &json!({"request_id": place}).to_string(),
            kinds[place as usize % 3],
        ));
    }
    let (acks, status) = put(&server, messages).await;
    assert!(status.is_none(), "{status:?}");
    assert_eq!(acks.len(), 10);
    let read = sql(&server, "SELECT host, cpu, n, ts FROM cpu ORDER BY ts");
    let expected: Vec<Value> = (0..900i64)
        .map(|t| json!([format!("host-{}", t % 3), (t % 4 != 0).then_some(t as f64 / 8.0), t * t, t]))
        .collect();
    assert_eq!(read, json!(expected));
}

#[tokio::test]
async fn columns_may_be_shuffled_or_too_many_but_none_may_be_missing_or_of_another_type() {
    let server = start(ReferenceOptions::default());
    table(&server);
    let full = batch(0, 4);
    let shuffled = full.project(&[3, 0, 2, 1]).unwrap();
    let (_, status) = put(&server, vec![opening("cpu", &shuffled.schema()), numbered(1, &shuffled)]).await;
    assert!(status.is_none(), "{status:?}");
    let mut columns: Vec<(&str, ArrayRef)> = vec![("extra", Arc::clone(full.column(0)))];
    let schema = full.schema();
    columns.extend(
        schema.fields().iter().zip(full.columns()).map(|(field, array)| (field.name().as_str(), Arc::clone(array))),
    );
    let wide = RecordBatch::try_from_iter(columns.clone()).unwrap();
    let (acks, status) = put(&server, vec![opening("cpu", &wide.schema()), numbered(1, &wide)]).await;
    assert!(status.is_none(), "{status:?}");
    assert_eq!((acks.len(), count(&server, "cpu")), (2, 4));
    assert_eq!(sql(&server, "SELECT * FROM cpu WHERE CAST(ts AS BIGINT) = 1"), json!([["host-1", 0.125, 1, 1]]));

    for missing in 0..4usize {
        let kept: Vec<usize> = (0..4).filter(|place| *place != missing).collect();
        let short = full.project(&kept).unwrap();
        fails(&server, "a missing column", vec![opening("cpu", &short.schema()), numbered(1, &short)], 0).await;
    }
    for (place, data_type) in [
        (1, DataType::Float32),
        (1, DataType::Int64),
        (2, DataType::Int32),
        (0, DataType::LargeUtf8),
        (0, DataType::Utf8View),
        (3, DataType::Timestamp(TimeUnit::Microsecond, None)),
        (3, DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()))),
        (3, DataType::Int64),
    ] {
        let mut fields: Vec<Field> = schema.fields().iter().map(|field| field.as_ref().clone()).collect();
        fields[place] = fields[place].clone().with_data_type(data_type.clone());
        let mut arrays = full.columns().to_vec();
        arrays[place] = arrow::compute::cast(&arrays[place], &data_type).unwrap();
        let other = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap();
        let messages = vec![opening("cpu", &other.schema()), numbered(1, &other)];
        fails(&server, &format!("{data_type} in column {place}"), messages, 0).await;
    }
}

#[tokio::test]
async fn every_failure_is_told_in_the_same_words_and_what_came_before_stays() {
    let server = start(ReferenceOptions::default());
    table(&server);
    let good = batch(0, 10);
    let open = opening("cpu", &good.schema());
    let no_path = FlightData { flight_descriptor: None, ..open.clone() };
    let command =
        FlightDescriptor { r#type: DescriptorType::Cmd.into(), cmd: b"cpu".to_vec(), path: vec!["cpu".into()] };
    let two = FlightDescriptor { path: vec!["public".into(), "cpu".into()], ..open.flight_descriptor.clone().unwrap() };
    for (what, first) in [
        ("no such table", opening("nope", &good.schema())),
        ("another case", opening("CPU", &good.schema())),
        ("a database before it", opening("public.cpu", &good.schema())),
        ("no descriptor", no_path),
        ("a command", FlightData { flight_descriptor: Some(command), ..open.clone() }),
        ("a longer path", FlightData { flight_descriptor: Some(two), ..open.clone() }),
        ("a batch first", numbered(1, &good)),
        ("no flatbuffer", FlightData { data_header: Bytes::from_static(b"nonsense"), ..open.clone() }),
    ] {
        fails(&server, what, vec![first, numbered(1, &good)], 0).await;
    }
    let twice = vec![open.clone(), numbered(1, &good), open.clone(), numbered(2, &batch(100, 10))];
    fails(&server, "a second schema", twice, 1).await;
    assert_eq!(count(&server, "cpu"), 10);
    let (acks, status) = put_with(&server, vec![open.clone()], &[("x-greptime-db-name", "nodb")]).await;
    assert_eq!((acks.len(), status.map(|status| status.code())), (1, Some(Code::Unknown)));

    let keys = arrow::array::DictionaryArray::<Int32Type>::from_iter(["a", "b"]);
    let mut fields: Vec<Field> = good.schema().fields().iter().map(|field| field.as_ref().clone()).collect();
    fields[0] = Field::new("host", keys.data_type().clone(), true);
    let mut arrays = batch(0, 2).columns().to_vec();
    arrays[0] = Arc::new(keys);
    let packed = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap();
    fails(&server, "dictionaries", vec![opening("cpu", &packed.schema())], 0).await;
}

#[tokio::test]
async fn a_spoilt_batch_ends_its_stream_and_not_the_server() {
    let server = start(ReferenceOptions::default());
    table(&server);
    for compression in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        let good = message(&batch(0, 50), r#"{"request_id":1}"#, compression);
        let spoil = |bytes: &Bytes, place: usize| {
            let mut bytes = bytes.to_vec();
            bytes[place] ^= 0xff;
            Bytes::from(bytes)
        };
        let headers = (0..good.data_header.len())
            .map(|at| FlightData { data_header: spoil(&good.data_header, at), ..good.clone() });
        let bodies = (0..good.data_body.len())
            .step_by(7)
            .map(|at| FlightData { data_body: spoil(&good.data_body, at), ..good.clone() });
        for spoilt in headers.chain(bodies) {
            // Whether it can be read after all is a matter of luck; what it must not do is harm.
            let (_, status) = put(&server, vec![opening("cpu", &batch(0, 1).schema()), spoilt]).await;
            assert!(status.is_none_or(|status| status.message() == "Execute gRPC request error"));
        }
    }
    let (acks, status) = put(&server, vec![opening("cpu", &batch(0, 1).schema()), numbered(1, &batch(5000, 10))]).await;
    assert!(status.is_none());
    assert_eq!(acks[1]["affected_rows"], 10);
}

#[tokio::test]
async fn who_calls_is_said_in_the_metadata() {
    let server =
        start(ReferenceOptions { user: Some("u".into()), password: Some("p".into()), ..ReferenceOptions::default() });
    for (metadata, code) in [(&[][..], "7003"), (&[("x-greptime-auth", "Basic dTp4")][..], "7002")] {
        let (acks, status) = put_with(&server, vec![], metadata).await;
        let status = status.unwrap();
        assert_eq!((acks.len(), status.code()), (0, Code::Unauthenticated));
        assert_eq!(status.metadata().get("x-greptime-err-code").unwrap(), code);
    }
    for name in ["x-greptime-auth", "authorization"] {
        let (acks, status) = put_with(&server, vec![], &[(name, "Basic dTpw")]).await;
        assert_eq!((acks.len(), status.is_none()), (1, true), "{name}");
    }
}

#[tokio::test]
async fn counting_looks_at_no_body_when_the_client_says_the_times() {
    let server = start(ReferenceOptions { count_only: true, ..ReferenceOptions::default() });
    table(&server);
    let mut messages = vec![opening("cpu", &batch(0, 1).schema())];
    for place in 0..10 {
        let whole = numbered(place, &batch(place * 1000, 1000));
        let metadata = format!(r#"{{"request_id":{place},"min_timestamp":0,"max_timestamp":999}}"#);
        messages.push(FlightData {
            data_body: Bytes::from_static(b"no buffers"),
            app_metadata: metadata.into(),
            ..whole
        });
    }
    let (acks, status) = put(&server, messages).await;
    assert!(status.is_none(), "{status:?}");
    assert_eq!((acks.len(), count(&server, "cpu")), (11, 10_000));
}

#[tokio::test]
async fn a_server_that_drops_acknowledgements_stores_the_rows_all_the_same() {
    let server = start(ReferenceOptions { drop_acks: true, ..ReferenceOptions::default() });
    table(&server);
    let rows = batch(0, 1);
    let mut messages = vec![opening("cpu", &rows.schema())];
    messages.extend((1..=31).map(|id| numbered(id, &batch(id, 1))));
    let (acks, status) = put(&server, messages).await;
    assert_eq!((acks.len(), status.is_none()), (32, true), "32 find room whoever reads");

    // With a window of nothing but the first answers nobody can take more.
    let channel = tonic::transport::Endpoint::from_shared(format!("http://{}", server.grpc_address.unwrap())).unwrap();
    let channel = channel.initial_stream_window_size(1024).connect().await.unwrap();
    let (sender, receiver) = tokio::sync::mpsc::channel::<FlightData>(1);
    let messages = stream::unfold(receiver, |mut receiver| async move { Some((receiver.recv().await?, receiver)) });
    let mut acks = FlightServiceClient::new(channel).do_put(messages).await.unwrap().into_inner();
    sender.send(opening("cpu", &rows.schema())).await.unwrap();
    for id in 0..2000 {
        sender.send(numbered(id, &batch(1000 + id, 1))).await.unwrap();
    }
    drop(sender);
    while count(&server, "cpu") < 2031 {
        tokio::task::yield_now().await;
    }
    let mut seen = 0;
    while let Some(ack) = acks.next().await {
        ack.unwrap();
        seen += 1;
    }
    assert!(seen > 0 && seen < 1000, "{seen} of 2001 acknowledgements");
}

#[tokio::test]
async fn injected_faults_strike_single_batches() {
    let with = |fault: &str| ReferenceOptions { inject: vec![fault.parse().unwrap()], ..ReferenceOptions::default() };
    let messages =
        || vec![opening("cpu", &batch(0, 1).schema()), numbered(1, &batch(0, 100)), numbered(2, &batch(100, 100))];
    let server = start(with("lose=100%"));
    table(&server);
    let (acks, status) = put(&server, messages()).await;
    assert_eq!((acks.len(), status.is_none(), count(&server, "cpu")), (3, true, 0));
    let server = start(with("partial=100%"));
    table(&server);
    let (acks, _) = put(&server, messages()).await;
    let rows: u64 = acks.iter().map(|ack| ack["affected_rows"].as_u64().unwrap()).sum();
    assert!(rows < 200);
    assert_eq!(rows, count(&server, "cpu"));
    for (fault, code) in [("error=100%", Code::Internal), ("throttle=100%", Code::ResourceExhausted)] {
        let server = start(with(fault));
        table(&server);
        let (acks, status) = put(&server, messages()).await;
        assert_eq!((acks.len(), status.map(|status| status.code()), count(&server, "cpu")), (1, Some(code), 0));
    }
    let server = start(with("reset=100%"));
    table(&server);
    let (_, status) = put(&server, messages()).await;
    assert!(status.is_some_and(|status| !status.message().contains("injected")));
}
