//! What goes over the wire and what comes back.

use crate::support::{Server, bounded, transport};
use benchhost_net::HttpOptions;
use bytes::Bytes;
use tokio::sync::mpsc;

const NO_CONTENT: &str = "HTTP/1.1 204 No Content\r\n\r\n";

#[tokio::test]
async fn many_requests_use_one_connection() {
    bounded(async {
        let server = Server::answering(NO_CONTENT).await;
        let mut client = server.client().await;
        for _ in 0..100 {
            let answer = client.send("POST", "/write", &[], Some(Bytes::from_static(b"m f=1"))).await.unwrap();
            assert_eq!(answer.status, 204);
            assert!(answer.body.is_empty());
        }
        assert_eq!(server.connections(), 1);
        assert!(!client.take_exchange().unanswered);
    })
    .await;
}

#[test]
fn a_client_works_on_a_runtime_of_many_threads_and_moves_between_tasks() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(bounded(async {
        let server = Server::answering(NO_CONTENT).await;
        let mut client = server.client().await;
        for _ in 0..20 {
            client = tokio::spawn(async move {
                client.send("GET", "/", &[], None).await.unwrap();
                client
            })
            .await
            .unwrap();
        }
        assert_eq!(server.connections(), 1);
    }));
}

/// The head of the one request that `send` makes.
async fn request_of(send: impl AsyncFnOnce(&Server)) -> crate::support::Request {
    let (seen, mut requests) = mpsc::unbounded_channel();
    let server = Server::start(move |_, mut peer| {
        let seen = seen.clone();
        async move {
            while let Some(request) = peer.request().await {
                seen.send(request).unwrap();
                peer.write(NO_CONTENT.as_bytes()).await;
            }
        }
    })
    .await;
    send(&server).await;
    requests.recv().await.unwrap()
}

#[tokio::test]
async fn a_request_has_host_agent_length_and_its_headers() {
    bounded(async {
        let request = request_of(async |server| {
            let mut client = server.client().await;
            client.set_header("Authorization", "Token old").unwrap();
            client.set_header("authorization", "Token new").unwrap();
            let headers = [("X-Two".to_owned(), "a".to_owned()), ("x-two".to_owned(), "b".to_owned())];
            client
                .send("POST", "/write?db=bench&precision=ns", &headers, Some(Bytes::from_static(b"m f=1")))
                .await
                .unwrap();
        })
        .await;
        assert_eq!(request.line(), "POST /write?db=bench&precision=ns HTTP/1.1");
        assert!(request.header("host").unwrap().starts_with("127.0.0.1:"));
        assert_eq!(request.header("user-agent").unwrap(), format!("benchhost/{}", env!("CARGO_PKG_VERSION")));
        assert_eq!(request.header("content-length"), Some("5"));
        assert_eq!(request.headers("authorization").collect::<Vec<_>>(), ["Token new"]);
        assert_eq!(request.headers("x-two").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(request.header("transfer-encoding"), None);
        assert_eq!(request.header("accept-encoding"), None);
        assert_eq!(request.body, b"m f=1");
    })
    .await;
}

#[tokio::test]
async fn a_header_of_one_request_replaces_the_clients_own_and_is_gone_with_the_next() {
    bounded(async {
        let (seen, mut requests) = mpsc::unbounded_channel();
        let server = Server::start(move |_, mut peer| {
            let seen = seen.clone();
            async move {
                while let Some(request) = peer.request().await {
                    seen.send(request).unwrap();
                    peer.write(NO_CONTENT.as_bytes()).await;
                }
            }
        })
        .await;
        let mut client = server.client().await;
        client.set_header("x-mode", "always").unwrap();
        client.send("GET", "/", &[("X-Mode".to_owned(), "once".to_owned())], None).await.unwrap();
        client.send("GET", "/", &[], None).await.unwrap();
        client.set_header("x-mode", "changed").unwrap();
        client.send("GET", "/", &[], None).await.unwrap();
        for value in ["once", "always", "changed"] {
            assert_eq!(requests.recv().await.unwrap().headers("x-mode").collect::<Vec<_>>(), [value]);
        }
    })
    .await;
}

#[tokio::test]
async fn a_base_path_goes_before_every_path() {
    bounded(async {
        for (base, path, line) in [
            ("/tsdb/", "/write", "GET /tsdb/write HTTP/1.1"),
            ("/tsdb", "", "GET /tsdb HTTP/1.1"),
            ("", "", "GET / HTTP/1.1"),
            ("/", "/x", "GET /x HTTP/1.1"),
        ] {
            let request = request_of(async |server| {
                let url = format!("{}{base}", server.url());
                let mut client = transport(HttpOptions::default(), &server.url()).connect(&url, Some(0)).await.unwrap();
                client.send("GET", path, &[], None).await.unwrap();
            })
            .await;
            assert_eq!(request.line(), line);
        }
    })
    .await;
}

#[tokio::test]
async fn a_request_that_usually_has_a_body_says_when_it_has_none() {
    bounded(async {
        for (method, body, length) in [
            ("POST", None, Some("0")),
            ("POST", Some(Bytes::new()), Some("0")),
            ("PUT", None, Some("0")),
            ("GET", None, None),
            ("DELETE", None, None),
        ] {
            let request = request_of(async |server| {
                server.client().await.send(method, "/", &[], body.clone()).await.unwrap();
            })
            .await;
            assert_eq!(request.header("content-length"), length, "{method} {body:?}");
        }
    })
    .await;
}

/// Status, header `x-mark` and body of one answer, given in `pieces` that arrive one by one.
async fn answer_of(method: &str, pieces: &'static [&'static [u8]], close: bool) -> (u16, Option<String>, Bytes) {
    let server = Server::start(move |_, mut peer| async move {
        while peer.request().await.is_some() {
            for piece in pieces {
                peer.write(piece).await;
                tokio::task::yield_now().await;
            }
            if close {
                return;
            }
        }
    })
    .await;
    let mut client = server.client().await;
    let answer = client.send(method, "/", &[], None).await.unwrap();
    let again = client.send(method, "/", &[], None).await.unwrap();
    assert_eq!((answer.status, &answer.body), (again.status, &again.body), "the next request is not disturbed");
    assert_eq!(server.connections(), if close { 2 } else { 1 });
    assert!(!client.take_exchange().unanswered);
    (answer.status, answer.header("X-MARK").map(ToOwned::to_owned), answer.body)
}

#[tokio::test]
async fn a_body_of_known_length_is_read_whole() {
    bounded(async {
        let (status, mark, body) = answer_of(
            "GET",
            &[b"HTTP/1.1 200 OK\r\nx-mark: yes\r\nContent-Length: 11\r\n\r\nhello", b" wo", b"rld"],
            false,
        )
        .await;
        assert_eq!((status, mark.as_deref(), &body[..]), (200, Some("yes"), &b"hello world"[..]));
    })
    .await;
}

#[tokio::test]
async fn a_chunked_body_is_read_whole_and_its_trailers_are_not_part_of_it() {
    bounded(async {
        let (status, _, body) = answer_of(
            "GET",
            &[
                b"HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
                b"6\r\n world\r",
                b"\n0\r\nx-late: 1\r\n\r\n",
            ],
            false,
        )
        .await;
        assert_eq!((status, &body[..]), (400, &b"hello world"[..]));
    })
    .await;
}

#[tokio::test]
async fn a_body_that_ends_with_the_connection_is_read_whole() {
    bounded(async {
        let (status, _, body) = answer_of("GET", &[b"HTTP/1.1 200 OK\r\n\r\nhello", b" world"], true).await;
        assert_eq!((status, &body[..]), (200, &b"hello world"[..]));
    })
    .await;
}

#[tokio::test]
async fn an_answer_that_announces_its_close_is_followed_by_a_new_connection() {
    bounded(async {
        answer_of("GET", &[b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"], true).await;
        answer_of("GET", &[b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"], true).await;
    })
    .await;
}

#[tokio::test]
async fn answers_without_a_body_end_with_their_head() {
    bounded(async {
        answer_of("GET", &[b"HTTP/1.1 204 No Content\r\n\r\n"], false).await;
        answer_of("GET", &[b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"], false).await;
        answer_of("GET", &[b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"], false).await;
        answer_of("HEAD", &[b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"], false).await;
    })
    .await;
}

#[tokio::test]
async fn an_interim_answer_is_passed_over() {
    bounded(async {
        let (status, _, _) =
            answer_of("GET", &[b"HTTP/1.1 103 Early Hints\r\n\r\n", b"HTTP/1.1 204 No Content\r\n\r\n"], false).await;
        assert_eq!(status, 204);
    })
    .await;
}

#[tokio::test]
async fn a_redirect_is_an_answer() {
    bounded(async {
        let (status, _, _) = answer_of(
            "GET",
            &[b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"],
            false,
        )
        .await;
        assert_eq!(status, 302);
    })
    .await;
}

#[tokio::test]
async fn compressed_bodies_pass_untouched_both_ways() {
    bounded(async {
        // Not even a valid gzip stream: nobody looks inside.
        let packed: Bytes = Bytes::from_static(b"\x1f\x8b\x08\x00\x00\x00\xff\xfe");
        let echo = Server::start(|_, mut peer| async move {
            while let Some(request) = peer.request().await {
                let encoding = request.header("content-encoding").unwrap_or("none");
                let length = request.body.len();
                let head =
                    format!("HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: {length}\r\n\r\n");
                peer.write(&[head.as_bytes(), &request.body].concat()).await;
            }
        })
        .await;
        let headers = [("content-encoding".to_owned(), "gzip".to_owned())];
        let answer = echo.client().await.send("POST", "/", &headers, Some(packed.clone())).await.unwrap();
        assert_eq!(answer.header("content-encoding"), Some("gzip"));
        assert_eq!(answer.body, packed);
    })
    .await;
}

#[tokio::test]
async fn large_bodies_pass_whole_both_ways() {
    bounded(async {
        let large: Bytes = (0..3_000_000_u32).map(|index| (index * 7 % 251) as u8).collect::<Vec<_>>().into();
        let echo = Server::start(|_, mut peer| async move {
            while let Some(request) = peer.request().await {
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", request.body.len());
                peer.write(&[head.as_bytes(), &request.body].concat()).await;
            }
        })
        .await;
        let mut client = echo.client().await;
        for _ in 0..2 {
            assert_eq!(client.send("POST", "/", &[], Some(large.clone())).await.unwrap().body, large);
        }
        assert_eq!(echo.connections(), 1);
    })
    .await;
}

#[tokio::test]
async fn bytes_are_counted_as_the_server_counts_them() {
    bounded(async {
        let (counted, mut counts) = mpsc::unbounded_channel();
        let server = Server::start(move |_, mut peer| {
            let counted = counted.clone();
            async move {
                while peer.request().await.is_some() {
                    peer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n").await;
                    counted.send((peer.read, peer.written)).unwrap();
                }
            }
        })
        .await;
        let mut client = server.client().await;
        assert_eq!(client.take_exchange().bytes_sent, 0, "nothing is sent before the first request");
        let mut total = (0, 0);
        for size in [0, 1, 1000, 100_000, 2_000_000] {
            client.send("POST", "/write", &[], Some(vec![b'x'; size].into())).await.unwrap();
            let exchange = client.take_exchange();
            total = (total.0 + exchange.bytes_sent, total.1 + exchange.bytes_received);
            assert_eq!(total, counts.recv().await.unwrap());
            assert!(exchange.bytes_sent > size as u64, "head and body");
            assert!(!exchange.wait.is_zero());
        }
        assert_eq!(client.take_exchange(), benchhost_net::Exchange::default(), "taking leaves nothing behind");
    })
    .await;
}

#[tokio::test]
async fn an_exchange_adds_up_until_it_is_taken() {
    bounded(async {
        let server = Server::answering(NO_CONTENT).await;
        let mut client = server.client().await;
        client.send("GET", "/", &[], None).await.unwrap();
        let one = client.take_exchange();
        client.send("GET", "/", &[], None).await.unwrap();
        client.send("GET", "/", &[], None).await.unwrap();
        let two = client.take_exchange();
        assert_eq!((two.bytes_sent, two.bytes_received), (2 * one.bytes_sent, 2 * one.bytes_received));
    })
    .await;
}
