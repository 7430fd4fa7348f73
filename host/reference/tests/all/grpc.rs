//! GreptimeDB's own service, by a generated client over a real socket. What is expected was seen of a real 1.0.2.

use crate::client::messages::greptime::v1 as greptime;
use crate::client::rows::{Client, client, column, columns, cpu, insert, request, row, send, ten, to_database};
use crate::client::{count, sql, start};
use benchhost_reference::{Inject, ReferenceOptions, RunningReference};
use greptime::greptime_request::Request as Asked;
use greptime::value::ValueData;
use greptime::{
    ColumnDataType, GreptimeRequest, QueryRequest, RequestHeader, RowInsertRequest, Rows, SemanticType, query_request,
};
use prost::Message;
use serde_json::json;
use tonic::codec::CompressionEncoding;
use tonic::{Code, Request, Status};

fn code(status: &Status) -> Option<&str> {
    status.metadata().get("x-greptime-err-code")?.to_str().ok()
}

#[tokio::test]
async fn a_table_is_made_and_of_equal_keys_the_last_row_stays() {
    let server = start(ReferenceOptions::default());
    let mut client = client(&server).await;
    let first = client.handle(request(vec![insert("g", columns(), ten(0))])).await.unwrap().into_inner();
    assert_eq!(first.encode_to_vec(), [0x0a, 2, 0x0a, 0, 0x12, 2, 8, 0x0a]);
    assert_eq!(send(&mut client, request(vec![insert("g", columns(), ten(0))]), "").await.unwrap(), 10);
    assert_eq!(count(&server, "g"), 10);

    let twice = vec![
        cpu("d", 1.0, 5),
        row(vec![Some(ValueData::StringValue("d".into())), None, Some(ValueData::TimestampMillisecondValue(5))]),
    ];
    assert_eq!(send(&mut client, request(vec![insert("d", columns(), twice)]), "").await.unwrap(), 2);
    assert_eq!(sql(&server, "SELECT host, cpu, ts FROM d"), json!([["d", null, 5]]));
}

#[tokio::test]
async fn hints_say_how_a_table_is_made() {
    let server = start(ReferenceOptions::default());
    let mut client = client(&server).await;
    for _ in 0..2 {
        let rows = request(vec![insert("a", columns(), ten(0))]);
        assert_eq!(send(&mut client, rows, "append_mode=true,ttl=7d,unknown=1").await.unwrap(), 10);
    }
    assert_eq!(count(&server, "a"), 20);
    let mut one = Request::new(request(vec![insert("b", columns(), ten(0))]));
    one.metadata_mut().insert("x-greptime-hint-append_mode", "true".parse().unwrap());
    client.handle(one).await.unwrap();
    send(&mut client, request(vec![insert("b", columns(), ten(0))]), "").await.unwrap();
    assert_eq!(count(&server, "b"), 20, "a hint acts when the table is made, and then for good");

    let refused =
        send(&mut client, request(vec![insert("g5", columns(), ten(0))]), "auto_create_table=false").await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert_eq!(refused.message(), "Table `g5` does not exist, and `auto_create_table` hint is disabled");
    for wrong in ["append_mode=banana", "append_mode=true,merge_mode=last_non_null"] {
        let refused = send(&mut client, request(vec![insert("w", columns(), ten(0))]), wrong).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{wrong}");
    }
}

#[tokio::test]
async fn the_database_is_in_the_header() {
    let server = start(ReferenceOptions::default());
    let mut client = client(&server).await;
    let rows = || request(vec![insert("g", columns(), ten(0))]);
    for name in ["", "public", "greptime-public"] {
        assert_eq!(send(&mut client, to_database(name, rows()), "").await.unwrap(), 10, "{name}");
    }
    let refused = send(&mut client, to_database("nodb", rows()), "").await.unwrap_err();
    assert_eq!((refused.code(), code(&refused)), (Code::InvalidArgument, Some("1004")));
    assert_eq!(refused.message(), "Failed to find schema, schema info: nodb");
}

#[tokio::test]
async fn rows_must_fit_but_may_bring_columns_or_leave_them_out() {
    let server = start(ReferenceOptions::default());
    let mut client = client(&server).await;
    send(&mut client, request(vec![insert("g", columns(), ten(0))]), "").await.unwrap();

    let mut integer = columns();
    integer[1].datatype = ColumnDataType::Int64.into();
    let rows = vec![row(vec![
        Some(ValueData::StringValue("h".into())),
        Some(ValueData::I64Value(1)),
        Some(ValueData::TimestampMillisecondValue(50)),
    ])];
    let mut nanos = columns();
    nanos[2].datatype = ColumnDataType::TimestampNanosecond.into();
    let late = vec![row(vec![None, None, Some(ValueData::TimestampNanosecondValue(50))])];
    let untimed = vec![row(vec![Some(ValueData::StringValue("h".into())), Some(ValueData::F64Value(1.0))])];
    let short = vec![row(vec![Some(ValueData::StringValue("h".into()))])];
    let other = vec![row(vec![Some(ValueData::I64Value(1)), None, Some(ValueData::TimestampMillisecondValue(1))])];
    for (what, schema, rows) in [
        ("another type", integer, rows),
        ("another unit", nanos, late),
        ("no time", columns()[..2].to_vec(), untimed),
        ("a short row", columns(), short),
        ("a value that its column does not say", columns(), other),
    ] {
        let refused = send(&mut client, request(vec![insert("g", schema, rows)]), "").await.unwrap_err();
        assert_eq!((refused.code(), code(&refused)), (Code::InvalidArgument, Some("1004")), "{what}");
    }
    assert_eq!(count(&server, "g"), 10, "nothing of those was stored");

    let more = vec![columns()[2].clone(), column("mem", ColumnDataType::Int64, SemanticType::Field)];
    let rows = vec![row(vec![Some(ValueData::TimestampMillisecondValue(99)), Some(ValueData::I64Value(7))])];
    assert_eq!(send(&mut client, request(vec![insert("g", more, rows)]), "").await.unwrap(), 1);
    assert_eq!(sql(&server, "SELECT host, cpu, mem FROM g WHERE CAST(ts AS BIGINT) >= 99"), json!([[null, null, 7]]));
    assert_eq!(sql(&server, "SELECT mem FROM g WHERE CAST(ts AS BIGINT) = 0"), json!([[null]]));

    assert_eq!(send(&mut client, request(vec![insert("g", columns(), vec![])]), "").await.unwrap(), 0);
    let two = request(vec![insert("g", columns(), ten(200)), insert("g2", columns(), ten(0))]);
    assert_eq!(send(&mut client, two, "").await.unwrap(), 20);
}

#[tokio::test]
async fn sql_may_write_but_not_ask() {
    let server = start(ReferenceOptions::default());
    let mut client = client(&server).await;
    send(&mut client, request(vec![insert("g", columns(), ten(0))]), "").await.unwrap();
    let query = |sql: &str| GreptimeRequest {
        header: None,
        request: Some(Asked::Query(QueryRequest { query: Some(query_request::Query::Sql(sql.into())) })),
    };
    let sql = "INSERT INTO g (host, cpu, ts) VALUES ('x', 1.0, 77)";
    assert_eq!(send(&mut client, query(sql), "").await.unwrap(), 1);
    let refused = send(&mut client, query("SELECT 1"), "").await.unwrap_err();
    assert_eq!((refused.code(), refused.message()), (Code::Unimplemented, "GreptimeDatabase::Handle for query"));
    let nothing = GreptimeRequest::default();
    assert_eq!(send(&mut client, nothing, "").await.unwrap_err().code(), Code::InvalidArgument);
    let ddl = GreptimeRequest { header: None, request: Some(Asked::Ddl(vec![])) };
    assert_eq!(send(&mut client, ddl, "").await.unwrap_err().code(), Code::Unimplemented);
}

#[tokio::test]
async fn a_stream_is_answered_with_its_sum_and_keeps_what_came_before_an_error() {
    let server = start(ReferenceOptions::default());
    let mut client = client(&server).await;
    let batch = |place: i64| request(vec![insert("s", columns(), ten(place * 10))]);
    let sum = |answer: tonic::Response<greptime::GreptimeResponse>| answer.into_inner().affected_rows.unwrap().value;
    let five: Vec<_> = (0..5).map(batch).collect();
    assert_eq!(sum(client.handle_requests(futures_util::stream::iter(five)).await.unwrap()), 50);
    assert_eq!(count(&server, "s"), 50);
    assert_eq!(sum(client.handle_requests(futures_util::stream::empty()).await.unwrap()), 0);

    let three = vec![batch(10), to_database("nodb", batch(11)), batch(12)];
    let refused = client.handle_requests(futures_util::stream::iter(three)).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert_eq!(count(&server, "s"), 60);
}

#[tokio::test]
async fn gzip_and_zstd_are_read_and_deflate_is_refused() {
    let server = start(ReferenceOptions::default());
    for encoding in [CompressionEncoding::Gzip, CompressionEncoding::Zstd] {
        let mut client = client(&server).await.send_compressed(encoding);
        let rows = request(vec![insert("z", columns(), ten(0))]);
        assert_eq!(send(&mut client, rows, "").await.unwrap(), 10);
    }
    let mut request = Request::new(request(vec![insert("z", columns(), ten(0))]));
    request.metadata_mut().insert("grpc-encoding", "deflate".parse().unwrap());
    let refused = client(&server).await.handle(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unimplemented);
    assert_eq!(refused.message(), "Content is compressed with `deflate` which isn't supported");
}

#[tokio::test]
async fn who_calls_is_said_in_the_message() {
    let options =
        ReferenceOptions { user: Some("u".into()), password: Some("p".into()), ..ReferenceOptions::default() };
    let server = start(options);
    let mut client = client(&server).await;
    let rows = || request(vec![insert("g", columns(), ten(0))]);
    let as_user = |username: &str, password: &str| {
        let basic = greptime::Basic { username: username.into(), password: password.into() };
        let authorization =
            Some(greptime::AuthHeader { auth_scheme: Some(greptime::auth_header::AuthScheme::Basic(basic)) });
        GreptimeRequest { header: Some(RequestHeader { authorization, ..RequestHeader::default() }), ..rows() }
    };
    assert_eq!(send(&mut client, as_user("u", "p"), "").await.unwrap(), 10);
    for (request, expected) in [(rows(), "7003"), (as_user("u", "x"), "7002"), (as_user("x", "p"), "7000")] {
        let refused = send(&mut client, request, "").await.unwrap_err();
        assert_eq!((refused.code(), code(&refused)), (Code::Unauthenticated, Some(expected)));
    }
    let mut in_metadata = Request::new(rows());
    in_metadata.metadata_mut().insert("authorization", "Basic dTpw".parse().unwrap());
    assert_eq!(code(&client.handle(in_metadata).await.unwrap_err()), Some("7003"));
}

#[tokio::test]
async fn every_type_is_read_back_as_it_was_sent() {
    use ColumnDataType as T;
    let server = start(ReferenceOptions::default());
    let mut client = client(&server).await;
    let values = [
        ("b", T::Boolean, ValueData::BoolValue(true), json!(true)),
        ("i8", T::Int8, ValueData::I8Value(-8), json!(-8)),
        ("i16", T::Int16, ValueData::I16Value(-16), json!(-16)),
        ("i32", T::Int32, ValueData::I32Value(-32), json!(-32)),
        ("i64", T::Int64, ValueData::I64Value(i64::MIN), json!(i64::MIN)),
        ("u8", T::Uint8, ValueData::U8Value(255), json!(255)),
        ("u16", T::Uint16, ValueData::U16Value(65535), json!(65535)),
        ("u32", T::Uint32, ValueData::U32Value(u32::MAX), json!(u32::MAX)),
        ("u64", T::Uint64, ValueData::U64Value(u64::MAX), json!(u64::MAX)),
        ("f32", T::Float32, ValueData::F32Value(0.5), json!(0.5)),
        ("f64", T::Float64, ValueData::F64Value(0.1), json!(0.1)),
        ("bin", T::Binary, ValueData::BinaryValue(vec![1, 255]), json!([1, 255])),
        ("str", T::String, ValueData::StringValue("ä\"\n".into()), json!("ä\"\n")),
        ("date", T::Date, ValueData::DateValue(-1), json!(-1)),
        ("s", T::TimestampSecond, ValueData::TimestampSecondValue(-1), json!(-1)),
        ("us", T::TimestampMicrosecond, ValueData::TimestampMicrosecondValue(3), json!(3)),
        ("ns", T::TimestampNanosecond, ValueData::TimestampNanosecondValue(4), json!(4)),
    ];
    let mut schema: Vec<_> = values.iter().map(|(name, kind, ..)| column(name, *kind, SemanticType::Field)).collect();
    schema.push(columns()[2].clone());
    let mut full: Vec<_> = values.iter().map(|(_, _, value, _)| Some(value.clone())).collect();
    full.push(Some(ValueData::TimestampMillisecondValue(1)));
    let mut empty = vec![None; values.len()];
    empty.push(Some(ValueData::TimestampMillisecondValue(2)));
    send(&mut client, request(vec![insert("t", schema, vec![row(full), row(empty)])]), "").await.unwrap();
    let names: Vec<_> = values.iter().map(|(name, ..)| format!("\"{name}\"")).collect();
    let read = sql(&server, &format!("SELECT {} FROM t ORDER BY ts", names.join(",")));
    let expected: Vec<_> = values.iter().map(|(.., json)| json.clone()).collect();
    assert_eq!(read[0], json!(expected));
    assert_eq!(read[1], json!(vec![json!(null); values.len()]));
}

#[tokio::test]
async fn a_message_that_is_none_is_refused_and_the_server_lives() {
    let server = start(ReferenceOptions::default());
    let mut client = client(&server).await;
    let good = Rows { schema: columns(), rows: ten(0) }.encode_to_vec();
    for cut in 0..good.len() {
        let mut bad = good[..cut].to_vec();
        bad.push(0xff);
        let insert = RowInsertRequest { table_name: "bad".into(), rows: bad.into() };
        let refused = send(&mut client, request(vec![insert]), "").await.expect_err("a broken message");
        assert_eq!(refused.code(), Code::InvalidArgument, "{cut}");
    }
    assert_eq!(send(&mut client, request(vec![insert("good", columns(), ten(0))]), "").await.unwrap(), 10);
}

#[tokio::test]
async fn counting_keeps_the_count_alone() {
    let server = start(ReferenceOptions { count_only: true, ..ReferenceOptions::default() });
    let mut client = client(&server).await;
    for place in 0..3 {
        let rows = request(vec![insert("c", columns(), ten(place * 10))]);
        assert_eq!(send(&mut client, rows, "").await.unwrap(), 10);
    }
    assert_eq!(count(&server, "c"), 30);
}

/// A server that does the same to every write, with an empty table `g`.
async fn faulty(fault: Inject) -> (RunningReference, Client) {
    let server = start(ReferenceOptions { inject: vec![fault], ..ReferenceOptions::default() });
    sql(&server, "CREATE TABLE g (host STRING, cpu DOUBLE, ts TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host))");
    let client = client(&server).await;
    (server, client)
}

#[tokio::test]
async fn injected_refusals_store_nothing_and_say_when_to_come_again() {
    let rows = || request(vec![insert("g", columns(), ten(0))]);
    let (server, mut client) = faulty(Inject::Error(1.0)).await;
    let refused = send(&mut client, rows(), "").await.unwrap_err();
    assert_eq!((refused.code(), code(&refused), count(&server, "g")), (Code::Internal, Some("1003"), 0));
    let (server, mut client) = faulty(Inject::Throttle(1.0)).await;
    let refused = send(&mut client, rows(), "").await.unwrap_err();
    assert_eq!((refused.code(), count(&server, "g")), (Code::ResourceExhausted, 0));
    assert_eq!(refused.metadata().get("grpc-retry-pushback-ms").unwrap(), "1000");
    assert!(String::from_utf8_lossy(refused.details()).contains("type.googleapis.com/google.rpc.RetryInfo"));
}

#[tokio::test]
async fn injected_losses_are_acknowledged_and_parts_are_counted() {
    let rows = || request(vec![insert("g", columns(), ten(0))]);
    let (server, mut client) = faulty(Inject::Lose(1.0)).await;
    assert_eq!((send(&mut client, rows(), "").await.unwrap(), count(&server, "g")), (10, 0));
    let (server, mut client) = faulty(Inject::Partial(1.0)).await;
    let accepted = send(&mut client, rows(), "").await.unwrap();
    assert!(accepted < 10);
    assert_eq!(count(&server, "g"), u64::from(accepted));
}

#[tokio::test]
async fn an_injected_reset_cuts_the_connection_and_the_next_one_is_well() {
    let (server, mut client) = faulty(Inject::Reset(0.5)).await;
    let mut ends = [0; 2];
    let mut acknowledged = 0;
    for place in 0..40 {
        match send(&mut client, request(vec![insert("g", columns(), ten(place * 10))]), "").await {
            Ok(rows) => {
                ends[0] += 1;
                acknowledged += u64::from(rows);
            }
            Err(status) => {
                ends[1] += 1;
                assert!(!status.message().contains("injected"), "the server answered: {status}");
            }
        }
    }
    assert!(ends.iter().all(|times| *times > 5), "{ends:?}");
    let stored = count(&server, "g");
    assert!(stored > acknowledged && stored < 400, "some were stored before the cut: {stored} of {acknowledged}");
}
