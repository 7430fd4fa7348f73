//! Which endpoints can be dialled, how endpoints are written, and what a request may hold.

use std::sync::Arc;

use crate::support::{Server, bounded, transport};
use benchhost_net::{Endpoint, EndpointError, Grants, HttpClient, HttpOptions, NetError, Scheme, Transport};

const NO_CONTENT: &str = "HTTP/1.1 204 No Content\r\n\r\n";

async fn dial(granted: &[String], asked: &str) -> Result<HttpClient, NetError> {
    let mut grants = Grants::default();
    for text in granted {
        match text.parse::<Endpoint>() {
            Ok(endpoint) => grants.allow(&endpoint),
            Err(_) => grants.allow_host_port(text).unwrap(),
        }
    }
    Arc::new(Transport::new(HttpOptions::default(), grants).unwrap()).connect(asked, Some(0)).await
}

#[tokio::test]
async fn an_endpoint_that_was_not_granted_is_refused_and_the_error_says_how_to_grant_it() {
    bounded(async {
        let server = Server::answering(NO_CONTENT).await;
        let port = server.port;
        let other_port = format!("http://127.0.0.1:{}", if port == 1 { 2 } else { 1 });
        for granted in [vec![], vec![other_port], vec![format!("http://127.0.0.2:{port}")]] {
            let error = dial(&granted, &server.url()).await.unwrap_err();
            assert!(matches!(error, NetError::Denied { .. }), "{granted:?}: {error:?}");
            assert_eq!(
                error.to_string(),
                format!(
                    "http://127.0.0.1:{port} was not granted: allow it by `--allow-net 127.0.0.1:{port}`, or name it by \
                     `--endpoint http://127.0.0.1:{port}`"
                )
            );
            assert_eq!(error.code(), "denied");
            assert!(!error.retryable());
        }
        assert_eq!(server.connections(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_grant_is_for_host_and_port_whatever_the_path() {
    bounded(async {
        let server = Server::answering(NO_CONTENT).await;
        let port = server.port;
        for granted in
            [format!("http://127.0.0.1:{port}/a"), format!("127.0.0.1:{port}"), format!("http://LOCALHOST:{port}")]
        {
            dial(&[granted], &format!("{}/b", server.url())).await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn a_name_is_judged_by_the_address_that_is_dialled() {
    bounded(async {
        let server = Server::answering(NO_CONTENT).await;
        let port = server.port;
        let asked = format!("http://localhost:{port}");
        let mut client = dial(&[format!("http://127.0.0.1:{port}")], &asked).await.unwrap();
        assert_eq!(client.send("GET", "/", &[], None).await.unwrap().status, 204);
        let error = dial(&[format!("http://127.0.0.2:{port}")], &asked).await.unwrap_err();
        assert!(matches!(error, NetError::Denied { .. }), "{error:?}");
    })
    .await;
}

#[tokio::test]
async fn a_name_that_was_not_granted_is_refused_without_a_lookup() {
    bounded(async {
        let error =
            dial(&["http://127.0.0.1:8086".to_owned()], "http://secret.no-such-host.invalid:8086").await.unwrap_err();
        assert!(matches!(error, NetError::Denied { .. }), "a lookup would have failed otherwise: {error:?}");
    })
    .await;
}

#[tokio::test]
async fn addresses_are_tried_in_order_until_one_answers() {
    bounded(async {
        // `localhost` may also be `::1`, where nobody listens.
        let server = Server::answering(NO_CONTENT).await;
        let url = format!("http://localhost:{}", server.port);
        dial(std::slice::from_ref(&url), &url).await.unwrap().send("GET", "/", &[], None).await.unwrap();
    })
    .await;
}

#[test]
fn a_grant_without_a_port_is_no_grant() {
    let error = Grants::default().allow_host_port("127.0.0.1").unwrap_err();
    assert!(error.to_string().contains("has no port"), "{error}");
    assert!(Grants::default().allow_host_port("127.0.0.1:0").is_err());
    assert!(Grants::default().allow_host_port("a b:1").is_err());
}

#[test]
fn endpoints_are_read_as_they_are_written() {
    for (text, scheme, host, port, base, shown) in [
        ("http://127.0.0.1:8086", Scheme::Http, "127.0.0.1", 8086, "", "http://127.0.0.1:8086"),
        ("http://localhost/", Scheme::Http, "localhost", 80, "", "http://localhost"),
        ("HTTPS://DB.Example.org", Scheme::Https, "db.example.org", 443, "", "https://db.example.org"),
        ("https://db_1:443/a/b/", Scheme::Https, "db_1", 443, "/a/b", "https://db_1/a/b"),
        ("http://[::1]:8086/x", Scheme::Http, "[::1]", 8086, "/x", "http://[::1]:8086/x"),
        ("http://[0:0::1]", Scheme::Http, "[::1]", 80, "", "http://[::1]"),
        ("http://h:80", Scheme::Http, "h", 80, "", "http://h"),
        ("http://h:443", Scheme::Http, "h", 443, "", "http://h:443"),
    ] {
        let endpoint: Endpoint = text.parse().unwrap();
        assert_eq!(
            (endpoint.scheme(), endpoint.host().as_str(), endpoint.port(), endpoint.base_path()),
            (scheme, host, port, base)
        );
        assert_eq!(endpoint.to_string(), shown);
        assert_eq!(shown.parse::<Endpoint>().unwrap(), endpoint, "what is shown can be given again");
    }
}

#[test]
fn a_text_that_is_no_endpoint_is_refused_with_the_right_form() {
    for (text, message) in [
        (
            "127.0.0.1:8086",
            "endpoint `127.0.0.1:8086` has no scheme: write http://127.0.0.1:8086 or https://127.0.0.1:8086",
        ),
        ("ftp://h:1", "endpoint `ftp://h:1` has the scheme `ftp`: write http://, https://, tcp:// or tls://"),
        ("http://", "endpoint `http://` has no host: write http://host:port, an IPv6 address in brackets"),
        ("http://:80", "endpoint `http://:80` has no host: write http://host:port, an IPv6 address in brackets"),
        (
            "http://::1:80",
            "endpoint `http://::1:80` has several colons outside brackets: write http://host:port, an IPv6 address in brackets",
        ),
        (
            "http://[::1",
            "endpoint `http://[::1` has a bracket that is not closed: write http://host:port, an IPv6 address in brackets",
        ),
        (
            "http://[::1]x",
            "endpoint `http://[::1]x` has text between its host and its port: write http://host:port, an IPv6 address in brackets",
        ),
        (
            "http://[h]:1",
            "endpoint `http://[h]:1` has brackets around something that is no IPv6 address: write http://host:port, an IPv6 address in brackets",
        ),
        (
            "http://a b",
            "endpoint `http://a b` has a host with characters that no host name has: write http://host:port, an IPv6 address in brackets",
        ),
        ("http://h:0", "endpoint `http://h:0` has the port `0`: write a number from 1 to 65535"),
        ("http://h:", "endpoint `http://h:` has the port ``: write a number from 1 to 65535"),
        ("http://h:+80", "endpoint `http://h:+80` has the port `+80`: write a number from 1 to 65535"),
        ("http://h:65536", "endpoint `http://h:65536` has the port `65536`: write a number from 1 to 65535"),
        (
            "http://h/a b",
            "endpoint `http://h/a b` has a path with spaces or characters other than visible ASCII: percent-encode them",
        ),
        (
            "http://h/p?token=hush",
            "endpoint `http://h/p***` has a query or fragment: end it after the path, and give settings by -P name=value",
        ),
        (
            "http://h#hush",
            "endpoint `http://h***` has a query or fragment: end it after the path, and give settings by -P name=value",
        ),
    ] {
        assert_eq!(text.parse::<Endpoint>().unwrap_err().to_string(), message);
    }
}

#[test]
fn credentials_in_an_endpoint_are_refused_and_never_shown() {
    for text in [
        "http://user:hush@host:1",
        "http://hush@host",
        "user:hush@host:8086",
        "ftp://user:hush@host",
        "http:/user:hush@host",
        "http://user:hush/x@host",
        "http://user:hush?x@host",
        "http://user:hush#x@host",
        "http://user:x?hush@host",
        "http://host/?a=b@hush",
        "a?hush://host",
        "hush@h://x",
        "http://a@hush@host",
    ] {
        let error = text.parse::<Endpoint>().unwrap_err();
        assert!(!error.to_string().contains("hush") && !format!("{error:?}").contains("hush"), "{error} {error:?}");
    }
    let error = "http://user:hush@host:1".parse::<Endpoint>().unwrap_err();
    assert!(matches!(error, EndpointError::Credentials { .. }));
    assert_eq!(
        error.to_string(),
        "endpoint `http://***@host:1` holds a user name or password: give them by --user and --password-file or --token-file"
    );
}

#[test]
fn an_endpoint_cannot_steer_the_terminal_that_shows_its_error() {
    for text in ["http://h\u{1b}[2J", "http://h:1\n2", "h\u{7}", "x\u{1b}://h"] {
        let error = text.parse::<Endpoint>().unwrap_err().to_string();
        assert!(!error.contains(|letter: char| letter.is_control()), "{error:?}");
    }
}

#[tokio::test]
async fn a_request_that_cannot_be_written_is_refused_before_anything_is_sent() {
    bounded(async {
        let server = Server::answering(NO_CONTENT).await;
        let mut client = server.client().await;
        let header = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        let long = format!("/{}", "x".repeat(70_000));
        let cases = [
            ("", "/", vec![], "method `` is not an HTTP method"),
            ("GE T", "/", vec![], "method `GE T` is not an HTTP method"),
            ("GET\r\n", "/", vec![], "method `GET\\r\\n` is not an HTTP method"),
            ("CONNECT", "/", vec![], "method `CONNECT` opens a tunnel"),
            ("GET", "write", vec![], "path `write` does not start with `/`"),
            ("GET", "http://evil/", vec![], "path `http://evil/` does not start with `/`"),
            ("GET", "/a b?token=hush", vec![], "path `/a b` or its query has a space"),
            ("GET", "/a HTTP/1.1\r\nx: y", vec![], "or its query has a space"),
            ("GET", "/ü", vec![], "or its query has a space or another character"),
            ("GET", "/a#b", vec![], "path `/a` has a fragment"),
            ("GET", long.as_str(), vec![], "is too long with its query"),
            ("GET", "/", header("", "x"), "header `` has a name with characters"),
            ("GET", "/", header("x y", "hush"), "header `x y` has a name with characters"),
            ("GET", "/", header("x", "hush\r\ny: z"), "header `x` has a value with characters other than"),
            ("GET", "/", header("x", "hüsh"), "header `x` has a value with characters other than"),
            ("GET", "/", header("Content-Length", "5"), "header `Content-Length` cannot be set"),
            ("GET", "/", header("Transfer-Encoding", "chunked"), "header `Transfer-Encoding` cannot be set"),
            ("GET", "/", header("Host", "other"), "header `Host` cannot be set"),
        ];
        for (method, path, headers, message) in cases {
            let error = client.send(method, path, &headers, None).await.unwrap_err();
            assert!(matches!(error, NetError::Malformed { .. }), "{error:?}");
            assert!(error.to_string().contains(message), "{error} should contain {message}");
            assert!(!error.to_string().contains("hush"), "{error}");
            assert_eq!((error.code(), error.retryable()), ("malformed", false));
        }
        assert!(client.set_header("x", "a\nb").is_err());
        assert!(client.set_header("connection", "close").is_err());
        assert_eq!(client.take_exchange(), benchhost_net::Exchange::default());
        assert_eq!(client.send("GET", "/", &[], None).await.unwrap().status, 204, "the client still works");
    })
    .await;
}

#[tokio::test]
async fn more_headers_than_a_request_can_hold_are_an_error() {
    bounded(async {
        let server = Server::answering(NO_CONTENT).await;
        let mut client = server.client().await;
        let headers: Vec<_> = (0..40_000).map(|index| (format!("x-{index}"), String::new())).collect();
        let error = client.send("GET", "/", &headers, None).await.unwrap_err();
        assert_eq!(error.to_string(), "request has too many headers");
    })
    .await;
}

#[tokio::test]
async fn a_client_does_not_show_its_headers() {
    bounded(async {
        let server = Server::answering(NO_CONTENT).await;
        let mut client =
            transport(HttpOptions::default(), &server.url()).connect(&server.url(), Some(0)).await.unwrap();
        client.set_header("authorization", "Token hush").unwrap();
        assert!(!format!("{client:?}").contains("hush"));
    })
    .await;
}
