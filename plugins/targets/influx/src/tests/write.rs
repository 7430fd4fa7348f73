//! Requests that write, and what is made of the answers.

use super::*;
use benchhost_plugin::ErrorKind;

/// The error of a write of 10 rows that the server answers so.
fn refused(api: &str, path: &str, answer: Answer) -> Error {
    let server = Server::start();
    server.answer("POST", path, answer);
    session(&server, &[("api", api), ("database", "x"), ("token", "hunter2")])
        .send(&Payload::from_bytes(b"m v=1", 10))
        .unwrap_err()
}

fn refused_v1(status: u16, body: &str) -> Error {
    refused("v1", "/write", Answer::status(status).body(body))
}

fn refused_v2(status: u16, body: &str) -> Error {
    refused("v2", "/api/v2/write", Answer::status(status).body(body))
}

fn refused_v3(status: u16, body: &str) -> Error {
    refused("v3", "/api/v3/write_lp", Answer::status(status).body(body))
}

/// Where a session with these settings posts to.
fn write_path(server: &Server, settings: &[(&str, &str)]) -> String {
    let influx = session(server, settings);
    let known = influx.version.as_ref().and_then(|version| Api::of_version(version.as_deref()?));
    influx.api.write_path(&influx.settings, known).unwrap().to_string()
}

#[test]
fn each_path_has_its_parameters_and_its_words_for_a_unit() {
    let server = Server::start();
    for (api, precision, expected) in [
        ("v1", "s", "/write?db=b&rp=p&precision=s"),
        ("v1", "ms", "/write?db=b&rp=p&precision=ms"),
        ("v1", "ns", "/write?db=b&rp=p"),
        ("v2", "s", "/api/v2/write?org=benchhost&bucket=b%2Fp&precision=s"),
        ("v2", "ms", "/api/v2/write?org=benchhost&bucket=b%2Fp&precision=ms"),
        ("v2", "us", "/api/v2/write?org=benchhost&bucket=b%2Fp&precision=us"),
        ("v2", "ns", "/api/v2/write?org=benchhost&bucket=b%2Fp&precision=ns"),
        ("v3", "s", "/api/v3/write_lp?db=b%2Fp&precision=second&accept_partial=true"),
        ("v3", "ms", "/api/v3/write_lp?db=b%2Fp&precision=millisecond&accept_partial=true"),
        ("v3", "us", "/api/v3/write_lp?db=b%2Fp&precision=microsecond&accept_partial=true"),
        ("v3", "ns", "/api/v3/write_lp?db=b%2Fp&precision=nanosecond&accept_partial=true"),
    ] {
        assert_eq!(write_path(&server, &[("api", api), ("precision", precision), ("database", "b/p")]), expected);
    }
}

#[test]
fn the_switches_of_v3_are_sent() {
    let settings = [("api", "v3"), ("accept_partial", "false"), ("no_sync", "true"), ("database", "b")];
    let expected = "/api/v3/write_lp?db=b&precision=nanosecond&accept_partial=false&no_sync=true";
    assert_eq!(write_path(&Server::start(), &settings), expected);
}

#[test]
fn the_v1_path_spells_microseconds_as_the_server_does() {
    let settings = [("api", "v1"), ("precision", "us"), ("database", "b")];
    for (version, expected) in [("1.8.3", "/write?db=b&precision=u"), ("2.8.0", "/write?db=b&precision=us")] {
        let server = server(version);
        assert_eq!(write_path(&server, &settings), expected);
        assert_eq!(server.requests().len(), 1, "one look at `/ping`");
    }
    let silent = Server::start();
    silent.answer("GET", "/ping", Answer::status(204));
    let error = opened(&silent, &settings).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Unsupported);
    assert!(error.message.ends_with("set `precision` to ms or ns"), "{}", error.message);
}

#[test]
fn times_are_written_in_the_unit_that_the_path_names() {
    let server = Server::start();
    for (precision, times) in [("ms", ["7", "8"]), ("us", ["7000", "8000"]), ("ns", ["7000000", "8000000"])] {
        let payload = session(&server, &[("api", "v2"), ("precision", precision)]).encode(&batch()).unwrap();
        let expected = times.map(|time| time.to_owned());
        let text = payload.text();
        let written: Vec<_> = text.lines().map(|line| line.rsplit(' ').next().unwrap()).collect();
        assert_eq!(written, expected);
    }
    let error = session(&server, &[("api", "v1"), ("precision", "s")]).encode(&batch()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid);
}

#[test]
fn a_write_is_silent_about_rows() {
    let server = Server::start();
    server.answer("POST", "/write", Answer::status(204));
    let mut influx = session(&server, &[("api", "v1")]);
    let payload = influx.encode(&batch()).unwrap();
    assert_eq!(influx.send(&payload).unwrap(), lp::SILENT);
    let request = server.request().unwrap();
    assert_eq!(request.text(), "m\\ \"x\",host=h v=1.5 7000000\nm\\ \"x\",host=h v=2 8000000\n");
    assert_eq!(request.header("content-encoding"), None);
}

#[test]
fn a_session_sends_what_another_one_encoded() {
    let server = Server::start();
    server.answer("POST", "/write", Answer::status(204));
    let settings = [("api", "v1"), ("precision", "ms")];
    let payload = session(&server, &settings).encode(&batch()).unwrap();
    session(&server, &settings).send(&payload).unwrap();
    assert_eq!(server.request().unwrap().param("precision"), Some("ms"));
}

#[test]
fn rows_are_compressed_when_asked_for() {
    let server = Server::start();
    server.answer("POST", "/write", Answer::status(204));
    let mut influx = session(&server, &[("api", "v1"), ("gzip", "true")]);
    let payload = influx.encode(&batch()).unwrap();
    assert_eq!(payload.rows(), 2);
    influx.send(&payload).unwrap();
    let request = server.request().unwrap();
    assert_eq!(request.header("content-encoding"), Some("gzip"));
    assert!(request.body.starts_with(&[0x1f, 0x8b]));
}

#[test]
fn a_partial_write_of_version_1_counts_what_was_dropped() {
    let error = refused_v1(
        400,
        r#"{"error":"partial write: field type conflict: input field \"v\" on measurement \"m\" is type float, already exists as type integer dropped=3"}"#,
    );
    assert_eq!((error.kind, error.retryable, error.rows_accepted), (ErrorKind::Partial, false, Some(7)));
    assert_eq!(error.code.as_deref(), Some("400"));
    assert!(error.message.contains("field type conflict"), "{}", error.message);
}

#[test]
fn lines_that_were_never_points_are_not_in_dropped() {
    let body = r#"{"error":"partial write: unable to parse 'bad': missing fields\nunable to parse 'm v=': invalid number dropped=0"}"#;
    assert_eq!(refused_v1(400, body).rows_accepted, Some(8));
}

#[test]
fn a_partial_write_that_counts_nothing_is_not_guessed_at() {
    let error = refused_v1(400, r#"{"error":"partial write: max-values-per-tag limit exceeded dropped=0"}"#);
    assert_eq!((error.kind, error.rows_accepted), (ErrorKind::Partial, None));
}

#[test]
fn a_partial_write_of_version_2_is_one_too() {
    let error = refused_v2(
        422,
        r#"{"code":"unprocessable entity","message":"failure writing points to database: partial write: field type conflict: input field \"u\" on measurement \"cpu\" is type string, already exists as type float dropped=1"}"#,
    );
    assert_eq!((error.kind, error.rows_accepted, error.code.as_deref()), (ErrorKind::Partial, Some(9), Some("422")));
}

#[test]
fn a_partial_write_of_version_3_counts_its_list() {
    let error = refused_v3(
        400,
        r#"{"error":"partial write of line protocol occurred","data":[{"error_message":"No fields were provided","line_number":2,"original_line":"m"},{"error_message":"other","line_number":5,"original_line":"m,"}]}"#,
    );
    assert_eq!((error.kind, error.retryable, error.rows_accepted), (ErrorKind::Partial, false, Some(8)));
    assert_eq!(error.message, "write: partial write of line protocol occurred: No fields were provided");
}

#[test]
fn a_batch_that_was_refused_whole_is_rejected() {
    let v1 = refused_v1(400, r#"{"error":"unable to parse 'bad line': missing fields"}"#);
    let v2 = refused_v2(400, r#"{"code":"invalid","message":"unable to parse 'bad line': missing fields"}"#);
    let v3 = refused_v3(400, r#"{"error":"line protocol parsing error","data":{"error_message":"x","line_number":1}}"#);
    for error in [&v1, &v2, &v3] {
        assert_eq!((error.kind, error.retryable, error.rows_accepted), (ErrorKind::Rejected, false, None));
    }
    assert_eq!(v1.message, "write: HTTP 400 Bad Request: unable to parse 'bad line': missing fields");
    assert_eq!(v2.message, v1.message);
    assert_eq!(v3.message, "write: HTTP 400 Bad Request: line protocol parsing error: x");
}

#[test]
fn advice_goes_with_the_commonest_refusals() {
    let auth = refused_v1(401, r#"{"error":"authorization failed"}"#);
    assert_eq!(auth.code.as_deref(), Some("401"));
    assert!(
        auth.message.ends_with("authorization failed: check `token`, or `user` and `password`"),
        "{}",
        auth.message
    );
    let missing = refused_v1(404, r#"{"error":"database not found: \"x\""}"#);
    assert!(missing.message.ends_with("create the database or bucket `x`, or let the run create it with its tables"));
    let missing = refused_v2(404, r#"{"code":"not found","message":"bucket \"x\" not found"}"#);
    assert!(missing.message.contains("bucket \"x\" not found: create"), "{}", missing.message);
    let org = refused_v2(404, r#"{"code":"not found","message":"organization name \"o\" not found"}"#);
    assert!(org.message.ends_with("not found: set `org`"), "{}", org.message);
    assert!(refused_v1(413, r#"{"error":"Request Entity Too Large"}"#).message.ends_with("write smaller batches"));
    for error in [auth, missing] {
        assert_eq!((error.kind, error.retryable), (ErrorKind::Rejected, false));
        assert!(!error.message.contains("hunter2"));
    }
}

#[test]
fn what_may_pass_is_tried_again() {
    let busy = refused("v2", "/api/v2/write", Answer::status(429).header("Retry-After", "3").body("{}"));
    assert_eq!((busy.kind, busy.retryable, busy.retry_after_ms), (ErrorKind::Throttled, true, Some(3000)));
    let full = refused_v1(503, "");
    assert_eq!((full.kind, full.retryable, full.retry_after_ms), (ErrorKind::Throttled, true, None));
    let broken = refused_v1(500, r#"{"error":"timeout"}"#);
    assert_eq!((broken.kind, broken.retryable), (ErrorKind::Rejected, true));
    assert!(!refused_v2(422, r#"{"code":"unprocessable entity","message":"no"}"#).retryable);
}
