//! What the SDK makes of HTTP answers.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "tests")]

use benchhost_plugin::testing::{Answer, Server};
use benchhost_plugin::{Client, Error, ErrorKind, Query, Response, Secret};
use serde_json::json;

/// The answer that a plugin sees.
fn answered(answer: Answer) -> Response {
    let server = Server::start();
    server.answer("GET", "/x", answer);
    Client::connect(server.endpoint()).unwrap().call("GET", &Query::new("/x")).unwrap()
}

fn error_of(answer: Answer) -> Error {
    answered(answer).success("write").unwrap_err()
}

#[test]
fn every_status_has_its_kind() {
    for (status, kind, retryable) in [
        (429, ErrorKind::Throttled, true),
        (503, ErrorKind::Throttled, true),
        (502, ErrorKind::Unavailable, true),
        (504, ErrorKind::Unavailable, true),
        (408, ErrorKind::TimedOut, true),
        (500, ErrorKind::Rejected, true),
        (501, ErrorKind::Rejected, false),
        (507, ErrorKind::Rejected, false),
        (302, ErrorKind::Rejected, false),
        (400, ErrorKind::Rejected, false),
        (401, ErrorKind::Rejected, false),
        (403, ErrorKind::Rejected, false),
        (404, ErrorKind::Rejected, false),
        (413, ErrorKind::Rejected, false),
        (422, ErrorKind::Rejected, false),
    ] {
        let error = error_of(Answer::status(status));
        assert_eq!((error.kind, error.retryable), (kind, retryable), "{status}");
        assert_eq!(error.code, Some(status.to_string()));
    }
}

#[test]
fn the_message_says_what_was_tried_and_what_the_server_said() {
    let error = error_of(Answer::status(404).body(r#"{"error":"database not found: \"x\""}"#));
    assert_eq!(error.message, r#"write: HTTP 404 Not Found: database not found: "x""#);
    assert_eq!(error_of(Answer::status(418)).message, "write: HTTP 418");
}

#[test]
fn the_servers_wish_to_wait_is_passed_on_in_milliseconds() {
    let waiting = |value: &str| error_of(Answer::status(429).header("Retry-After", value)).retry_after_ms;
    assert_eq!(waiting("7"), Some(7000));
    assert_eq!(waiting("0.125"), Some(125));
    assert_eq!(waiting("Wed, 21 Oct 2026 07:28:00 GMT"), None);
}

#[test]
fn any_2xx_is_a_success() {
    for status in [200, 202, 204] {
        assert!(answered(Answer::status(status)).success("write").is_ok());
    }
}

#[test]
fn a_failed_connection_is_no_answer() {
    let server = Server::start();
    server.answer("GET", "/x", Answer::failure(Error::new(ErrorKind::Unavailable, "refused").retry_after(None)));
    let error = Client::connect(server.endpoint()).unwrap().call("GET", &Query::new("/x")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.retryable);
}

#[test]
fn an_answer_that_is_not_json_is_quoted() {
    let error = answered(Answer::status(200).body("<html>")).json("count rows").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Internal);
    assert!(error.message.starts_with("count rows: the server's answer is not JSON"), "{}", error.message);
    assert!(error.message.ends_with("<html>"), "{}", error.message);
}

#[test]
fn json_is_posted_as_json_below_the_base_path() {
    let server = Server::start();
    server.answer("POST", "/base/x", Answer::status(200).body(r#"{"a":[1]}"#));
    let client = Client::connect(&format!("{}/base/", server.endpoint())).unwrap();
    let answer = client.post_json(&Query::new("/x").with("q", "a b"), &json!({ "b": 2 })).unwrap();
    assert_eq!(answer.json("ask").unwrap(), json!({ "a": [1] }));
    let request = server.request().unwrap();
    assert_eq!(request.param("q"), Some("a b"));
    assert_eq!(request.header("Content-Type"), Some("application/json"));
    assert_eq!(request.json(), json!({ "b": 2 }));
}

#[test]
fn a_user_and_password_become_basic_credentials() {
    let server = Server::start();
    server.answer("GET", "/x", Answer::status(204));
    let client = Client::connect(server.endpoint()).unwrap();
    client.authorize(Some("Aladdin"), Some(&Secret::from("open sesame"))).unwrap();
    client.call("GET", &Query::new("/x")).unwrap();
    assert_eq!(server.request().unwrap().header("authorization"), Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
}

#[test]
fn a_password_without_a_user_is_refused_and_not_repeated() {
    let server = Server::start();
    let client = Client::connect(server.endpoint()).unwrap();
    let error = client.authorize(None, Some(&Secret::from("hunter2"))).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid);
    assert!(!error.message.contains("hunter2"));
}

#[test]
fn a_secret_does_not_show() {
    assert_eq!(format!("{:?}", Some(Secret::from("hunter2"))), "Some(***)");
}
