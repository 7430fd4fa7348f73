//! Settings, credentials and the choice of the write path.

use super::*;
use benchhost_plugin::{ErrorKind, settings_schema};

#[test]
fn contradictions_are_refused() {
    for (settings, words) in [
        (&[("token", "t"), ("user", "u")][..], "both `token` and `user` are set: give one of them"),
        (&[("password", "hunter2")], "`password` is set without `user`"),
        (&[("database", "")], "setting `database`: the name is empty"),
        (&[("no_sync", "true")], "no_sync=true is only for api v3, and this is v1"),
        (&[("accept_partial", "false"), ("api", "v2")], "accept_partial=false is only for api v3, and this is v2"),
    ] {
        let error = opened(&server("1.8.3"), settings).err().unwrap();
        assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Invalid, words));
    }
}

#[test]
fn secrets_are_marked_in_the_schema() {
    let schema: serde_json::Value = serde_json::from_str(&settings_schema::<Settings>()).unwrap();
    for (name, property) in schema["properties"].as_object().unwrap() {
        let secret = ["password", "token"].contains(&name.as_str());
        assert_eq!(property["writeOnly"] == true, secret, "{name}");
        assert!(property["description"].is_string(), "{name}");
    }
    assert_eq!(schema["required"], serde_json::json!(["endpoint"]));
    assert_eq!(schema["properties"]["api"]["enum"], serde_json::json!(["auto", "v1", "v2", "v3", "greptime"]));
    assert_eq!(schema["properties"]["precision"]["default"], "ns");
}

#[test]
fn the_write_path_follows_the_servers_version() {
    for (version, path) in
        [("1.8.3", "/write"), ("2.8.0", "/api/v2/write"), ("v2.7.4", "/api/v2/write"), ("3.10.1", "/api/v3/write_lp")]
    {
        let server = server(version);
        server.answer("POST", path, Answer::status(204));
        let mut influx = session(&server, &[]);
        assert_eq!(server.requests().len(), 1, "one look at `/ping`");
        influx.send(&Payload::from_bytes(b"x", 1)).unwrap();
        assert_eq!(server.request().unwrap().path, path, "{version}");
    }
}

#[test]
fn a_version_in_the_body_of_ping_is_found_too() {
    let server = Server::start();
    let body = r#"{"version":"3.10.1","revision":"x"}"#;
    server.answer("GET", "/ping", Answer::status(200).body(body));
    assert!(session(&server, &[]).server().unwrap().contains(&("version".into(), "3.10.1".into())));
}

#[test]
fn a_server_that_hides_its_version_needs_the_setting() {
    let server = Server::start();
    server.answer("GET", "/ping", Answer::status(204));
    let error = opened(&server, &[]).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Unsupported);
    assert!(error.message.ends_with("set `api` to v1, v2 or v3"), "{}", error.message);
    let mut influx = session(&server, &[("api", "v1")]);
    assert!(influx.server().unwrap().contains(&("version".into(), "unknown".into())));
}

#[test]
fn a_known_path_is_opened_without_asking_the_server() {
    let server = Server::start();
    for api in ["v1", "v2", "v3"] {
        session(&server, &[("api", api)]);
    }
    assert_eq!(server.requests(), []);
}

#[test]
fn a_refused_look_at_the_version_says_so() {
    let server = Server::start();
    server.answer("GET", "/ping", Answer::status(401).body(r#"{"error": "the request was not authenticated"}"#));
    let error = opened(&server, &[("token", "hunter2")]).err().unwrap();
    assert_eq!(
        error.message,
        "ask for the version at `/ping`: HTTP 401 Unauthorized: the request was not authenticated: check `token`, or `user` and `password`"
    );
}

#[test]
fn each_path_has_its_credentials() {
    let token = [("token", "t0")];
    let user = [("user", "Aladdin"), ("password", "open sesame")];
    for (api, path, settings, expected) in [
        ("v1", "/write", &[][..], None),
        ("v1", "/write", &token[..], Some("Token t0")),
        ("v1", "/write", &user[..], Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")),
        ("v2", "/api/v2/write", &token[..], Some("Token t0")),
        ("v2", "/api/v2/write", &user[..], Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")),
        ("v3", "/api/v3/write_lp", &token[..], Some("Bearer t0")),
    ] {
        let server = Server::start();
        server.answer("POST", path, Answer::status(204));
        let all: Vec<_> = [("api", api)].into_iter().chain(settings.iter().copied()).collect();
        session(&server, &all).send(&Payload::from_bytes(b"x", 1)).unwrap();
        assert_eq!(server.request().unwrap().header("Authorization"), expected, "{api} {settings:?}");
    }
}

#[test]
fn facts_name_what_changes_a_result() {
    let facts = session(&server("3.10.1"), &[("gzip", "true"), ("precision", "ms")]).server().unwrap();
    let expected = [
        ("product", "InfluxDB"),
        ("version", "3.10.1"),
        ("api", "v3"),
        ("precision", "ms"),
        ("gzip", "true"),
        ("accept_partial", "true"),
        ("no_sync", "false"),
    ];
    assert_eq!(facts, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}
