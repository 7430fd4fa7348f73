//! OTLP, over HTTP and gRPC. What is expected of GreptimeDB's own paths was seen of a real 1.0.2.

use std::io::Write;

use crate::client::messages::opentelemetry::proto::collector::logs::v1::ExportLogsServiceResponse;
use crate::client::messages::opentelemetry::proto::collector::logs::v1::logs_service_client::LogsServiceClient;
use crate::client::messages::opentelemetry::proto::collector::metrics::v1::metrics_service_client::MetricsServiceClient;
use crate::client::messages::opentelemetry::proto::common::v1::any_value::Value as Any;
use crate::client::messages::opentelemetry::proto::common::v1::{AnyValue, ArrayValue, KeyValueList};
use crate::client::signals::{TIME, all_kinds, exponential, logs, metrics, pair, record, text};
use crate::client::{channel, count, post, sql, start};
use benchhost_reference::ReferenceOptions;
use prost::Message;
use serde_json::{Value, json};

const PROTOBUF: (&str, &str) = ("content-type", "application/x-protobuf");
const IDENTITY: (&str, &str) = ("x-greptime-pipeline-name", "greptime_identity");

#[test]
fn logs_go_to_the_table_that_greptimedb_makes_for_them() {
    let server = start(ReferenceOptions::default());
    let attributes = vec![pair("cpu", Any::DoubleValue(0.5)), pair("host", text("h1"))];
    let body = logs(vec![record(attributes)]).encode_to_vec();
    let answer = post(&server, "/v1/otlp/v1/logs", &[PROTOBUF], &body).unwrap();
    assert_eq!((answer.status, answer.body.len()), (200, 0));
    assert!(answer.head.contains("content-type: application/x-protobuf"), "{}", answer.head);
    let row = sql(&server, "SELECT * FROM opentelemetry_logs");
    let attributes = json!({"cpu": 0.5, "host": "h1"});
    assert_eq!(
        row,
        json!([[TIME, "000102030405060708090a0b0c0d0e0f", "abababababababab", "INFO", 9, "benchmark", attributes, 1, "lib",
            "1.2", {}, "s", {"service.name": "api"}, "r"]])
    );
    // Nothing replaces anything in a log.
    post(&server, "/v1/otlp/v1/logs", &[PROTOBUF, ("x-greptime-hints", "append_mode=false")], &body).unwrap();
    assert_eq!(count(&server, "opentelemetry_logs"), 2);
}

#[test]
fn headers_pick_the_table_and_draw_attributes_out_as_tags() {
    let server = start(ReferenceOptions::default());
    let body = logs(vec![record(vec![pair("host", text("h1")), pair("cpu", Any::DoubleValue(1.0))])]).encode_to_vec();
    let table = ("x-greptime-log-table-name", "mine");
    let keys = ("x-greptime-log-extract-keys", "host, service.name,absent");
    assert_eq!(post(&server, "/v1/otlp/v1/logs?db=public", &[PROTOBUF, table, keys], &body).unwrap().status, 200);
    assert_eq!(sql(&server, "SELECT host, \"service.name\" FROM mine"), json!([["h1", "api"]]));
    let numeric = ("x-greptime-log-extract-keys", "cpu");
    let refused = post(&server, "/v1/otlp/v1/logs", &[PROTOBUF, table, numeric], &body).unwrap();
    assert_eq!(
        (refused.status, refused.text()),
        (400, r#"{"error":"Unsupported json data type for tag: cpu FLOAT"}"#.into())
    );
}

#[test]
fn the_identity_pipeline_makes_a_column_of_each_attribute() {
    let server = start(ReferenceOptions::default());
    let nested = Any::KvlistValue(KeyValueList { values: vec![pair("in", Any::IntValue(3))] });
    let list = Any::ArrayValue(ArrayValue { values: vec![AnyValue { value: Some(Any::IntValue(1)) }] });
    let full = record(vec![
        pair("host", text("h1")),
        pair("cpu", Any::DoubleValue(0.25)),
        pair("n", Any::IntValue(-4)),
        pair("ok", Any::BoolValue(true)),
        pair("list", list),
        pair("map", nested),
    ]);
    let headers = [PROTOBUF, IDENTITY, ("x-greptime-log-table-name", "ident")];
    let body = logs(vec![full, record(vec![])]).encode_to_vec();
    let answer = post(&server, "/v1/otlp/v1/logs", &headers, &body).unwrap();
    assert_eq!((answer.status, answer.text()), (200, String::new()));
    let names = ["host", "cpu", "n", "ok", "list", "map.in"].map(|name| format!("\"LogAttributes.{name}\"")).join(",");
    let query =
        format!("SELECT {names}, \"ResourceAttributes.service.name\", \"Timestamp\", \"Body\" FROM ident ORDER BY 1");
    assert_eq!(
        sql(&server, &query),
        json!([
            ["h1", 0.25, -4, true, "[1]", 3, "api", TIME, "benchmark"],
            [null, null, null, null, null, null, "api", TIME, "benchmark"]
        ])
    );
    // The time index is when they came, not when they were written.
    let time = sql(&server, "SELECT greptime_timestamp FROM ident LIMIT 1")[0][0].as_u64().unwrap();
    assert!(time > TIME + 1_000_000_000, "{time}");

    let whole = logs(vec![record(vec![pair("n", Any::IntValue(1))]), record(vec![pair("cpu", Any::IntValue(1))])])
        .encode_to_vec();
    let refused = post(&server, "/v1/otlp/v1/logs", &headers, &whole).unwrap();
    assert_eq!(refused.status, 400);
    assert!(
        refused.text().contains("column LogAttributes.cpu expect type Float64(Float64Type), given: INT64(4)"),
        "{}",
        refused.text()
    );
    let mixed =
        logs(vec![record(vec![pair("x", Any::DoubleValue(1.0))]), record(vec![pair("x", text("1"))])]).encode_to_vec();
    let words =
        "Column datatype mismatch. For column: LogAttributes.x, expected datatype: Float64, actual datatype: String";
    assert_eq!(
        post(&server, "/v1/otlp/v1/logs", &headers, &mixed).unwrap().text(),
        json!({"error": words}).to_string()
    );
    assert_eq!(count(&server, "ident"), 2, "a body is stored as a whole or not at all");
}

#[test]
fn what_greptimedb_refuses_is_refused_in_its_words() {
    let server = start(ReferenceOptions::default());
    let body = logs(vec![record(vec![])]).encode_to_vec();
    let path = "/v1/otlp/v1/logs";
    let error = |headers: &[(&str, &str)], body: &[u8]| {
        let answer = post(&server, path, headers, body).unwrap();
        (answer.status, serde_json::from_slice::<Value>(&answer.body).unwrap()["error"].as_str().unwrap().to_owned())
    };
    let (status, words) = error(&[("content-type", "application/json")], b"{}");
    assert_eq!(status, 400);
    let start = "Unsupported content type 'application/json'. OTLP endpoint only supports 'application/x-protobuf'. ";
    assert!(words.starts_with(start), "{words}");
    let pipeline = ("x-greptime-log-pipeline-name", "nosuchpipe");
    assert_eq!(
        error(&[PROTOBUF, pipeline], &body),
        (400, "Pipeline not found, name: nosuchpipe, version: latest".into())
    );
    assert_eq!(
        error(&[PROTOBUF, ("x-greptime-db-name", "nodb")], &body),
        (400, "Failed to find schema, schema info: nodb".into())
    );
    assert_eq!(error(&[PROTOBUF], b"\xff\xff").0, 400);
    let gzip = post(&server, path, &[PROTOBUF, ("content-encoding", "gzip")], b"no gzip").unwrap();
    assert_eq!((gzip.status, gzip.text()), (400, "Failed to buffer the request body: Invalid gzip header".into()));
    assert_eq!(post(&server, path, &[PROTOBUF], b"").unwrap().status, 200, "an empty body is well");
    // A bomb of 65 MiB.
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    for _ in 0..65 {
        packer.write_all(&vec![0; 1 << 20]).unwrap();
    }
    let bomb = post(&server, path, &[PROTOBUF, ("content-encoding", "gzip")], &packer.finish().unwrap()).unwrap();
    assert_eq!((bomb.status, bomb.text()), (413, "Failed to buffer the request body: length limit exceeded".into()));
}

#[test]
fn the_standard_paths_take_gzip_and_say_what_they_do_not_take() {
    let server = start(ReferenceOptions::default());
    let body = logs(vec![record(vec![])]).encode_to_vec();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&body).unwrap();
    let answer =
        post(&server, "/v1/logs", &[PROTOBUF, ("content-encoding", "gzip")], &packer.finish().unwrap()).unwrap();
    assert_eq!((answer.status, answer.body.len(), count(&server, "otlp_logs")), (200, 0, 1));
    assert_eq!(post(&server, "/v1/logs", &[("content-type", "application/json")], b"{}").unwrap().status, 415);
    assert_eq!(post(&server, "/v1/logs", &[PROTOBUF, ("content-encoding", "br")], b"").unwrap().status, 415);
}

#[test]
fn who_calls_is_said_in_the_head() {
    let server =
        start(ReferenceOptions { user: Some("u".into()), password: Some("p".into()), ..ReferenceOptions::default() });
    let body = logs(vec![record(vec![])]).encode_to_vec();
    let refused = post(&server, "/v1/otlp/v1/logs", &[PROTOBUF, ("authorization", "Basic dTp4")], &body).unwrap();
    assert_eq!(refused.status, 401);
    assert!(
        refused.head.contains("x-greptime-err-code: 7002") && refused.text().contains("\"code\":7002"),
        "{refused:?}"
    );
    assert_eq!(post(&server, "/v1/logs", &[PROTOBUF], &body).unwrap().status, 401);
    assert_eq!(post(&server, "/v1/logs", &[PROTOBUF, ("authorization", "Basic dTpw")], &body).unwrap().status, 200);
}

#[test]
fn metrics_are_stored_as_prometheus_would_have_them() {
    let server = start(ReferenceOptions::default());
    let body = metrics(all_kinds()).encode_to_vec();
    for _ in 0..2 {
        let answer = post(&server, "/v1/otlp/v1/metrics", &[PROTOBUF], &body).unwrap();
        assert_eq!((answer.status, answer.text()), (200, String::new()));
    }
    let time = TIME / 1_000_000;
    let gauges =
        "SELECT host_name, job, service_name, greptime_timestamp, greptime_value FROM my_metric_seconds ORDER BY 1";
    assert_eq!(sql(&server, gauges), json!([["a", "api", "api", time, 0.5], ["b", "api", "api", time, 3.0]]));
    assert_eq!(sql(&server, "SELECT greptime_value FROM my_sum_bytes_total"), json!([[7.0]]));
    let buckets = sql(&server, "SELECT le, greptime_value FROM my_hist_bucket ORDER BY 2");
    assert_eq!(buckets, json!([["0.5", 1.0], ["1", 3.0], ["+Inf", 6.0]]));
    assert_eq!(sql(&server, "SELECT greptime_value FROM my_hist_sum"), json!([[9.5]]));
    assert_eq!(sql(&server, "SELECT greptime_value FROM my_hist_count"), json!([[6.0]]));
    assert_eq!(sql(&server, "SELECT quantile, greptime_value FROM my_summary"), json!([["0.5", 1.5]]));
    let refused =
        post(&server, "/v1/otlp/v1/metrics", &[PROTOBUF], &metrics(vec![exponential()]).encode_to_vec()).unwrap();
    assert_eq!(refused.status, 400, "what the real server makes of it is not known");
}

#[tokio::test]
async fn grpc_stores_all_kinds_of_metrics_and_logs() {
    let server = start(ReferenceOptions::default());
    let mut kinds = all_kinds();
    kinds.push(exponential());
    let answer = MetricsServiceClient::new(channel(&server).await).export(metrics(kinds)).await.unwrap();
    assert!(answer.into_inner().partial_success.is_none());
    let gauges = "SELECT \"host.name\", \"service.name\", timestamp, value FROM \"my.metric\" ORDER BY 1";
    assert_eq!(sql(&server, gauges), json!([["a", "api", TIME, 0.5], ["b", "api", TIME, 3.0]]));
    let histogram = "SELECT count, sum, min, bounds, bucket_counts FROM \"my.hist\"";
    assert_eq!(sql(&server, histogram), json!([[6, 9.5, 0.1, [0.5, 1.0], [1, 2, 3]]]));
    let exponential = "SELECT count, sum, scale, zero_count, positive_offset, positive_counts FROM \"my.exp\"";
    assert_eq!(sql(&server, exponential), json!([[4, 8.0, -1, 1, -2, [1, 2]]]));
    assert_eq!(sql(&server, "SELECT quantiles FROM \"my.summary\""), json!([[[[0.5, 1.5]]]]));

    let sent = logs(vec![record(vec![pair("b", Any::BytesValue(vec![1, 2]))]), record(vec![])]);
    let answer = LogsServiceClient::new(channel(&server).await).export(sent).await.unwrap();
    assert!(answer.into_inner().partial_success.is_none());
    assert_eq!(sql(&server, "SELECT log_attributes FROM otlp_logs"), json!([[{"b": "AQI="}], [{}]]));
}

#[tokio::test]
async fn an_injected_part_is_a_partial_success() {
    let server =
        start(ReferenceOptions { inject: vec!["partial=100%".parse().unwrap()], ..ReferenceOptions::default() });
    let records = || logs((0..50).map(|_| record(vec![])).collect());
    let answer = LogsServiceClient::new(channel(&server).await).export(records()).await.unwrap().into_inner();
    let partial = answer.partial_success.expect("a partial success");
    assert!((1..=50).contains(&partial.rejected_log_records) && !partial.error_message.is_empty());
    assert_eq!(count(&server, "otlp_logs"), 50 - partial.rejected_log_records as u64);
    let answer = post(&server, "/v1/otlp/v1/logs", &[PROTOBUF], &records().encode_to_vec()).unwrap();
    let answer = ExportLogsServiceResponse::decode(answer.body.as_slice()).unwrap();
    let rejected = answer.partial_success.expect("a partial success").rejected_log_records as u64;
    assert_eq!(count(&server, "opentelemetry_logs"), 50 - rejected);
}

#[test]
fn injected_refusals_have_a_status_of_their_own() {
    let with = |fault: &str| ReferenceOptions { inject: vec![fault.parse().unwrap()], ..ReferenceOptions::default() };
    let body = logs(vec![record(vec![])]).encode_to_vec();
    assert_eq!(post(&start(with("error=100%")), "/v1/logs", &[PROTOBUF], &body).unwrap().status, 500);
    let throttled = post(&start(with("throttle=100%")), "/v1/otlp/v1/logs", &[PROTOBUF], &body).unwrap();
    assert_eq!(throttled.status, 429);
    assert!(throttled.head.contains("retry-after: 1"), "{}", throttled.head);
    let cut = post(&start(with("reset=100%")), "/v1/logs", &[PROTOBUF], &body);
    assert!(cut.is_err(), "{cut:?}");
}
