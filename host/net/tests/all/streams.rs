//! Byte streams: what is written arrives, what is read is what was sent, and what failed is over.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use benchhost_net::{HttpOptions, NetError, TcpConnection, Transport};

/// A server of one connection, served by `serve`.
fn server(serve: impl FnOnce(TcpStream) + Send + 'static) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("tcp://{}", listener.local_addr().unwrap());
    (url, thread::spawn(move || serve(listener.accept().unwrap().0)))
}

fn transport(url: &str, timeout: Duration) -> Arc<Transport> {
    crate::support::transport(HttpOptions { request_timeout: timeout, ..HttpOptions::default() }, url)
}

async fn connect(url: &str) -> TcpConnection {
    transport(url, Duration::from_secs(20)).stream(url).await.unwrap()
}

#[tokio::test]
async fn lines_and_counted_bytes_are_cut_where_they_end() {
    let (url, served) = server(|mut stream| {
        let mut asked = [0; 4];
        stream.read_exact(&mut asked).unwrap();
        assert_eq!(&asked, b"ask\n");
        // A delimiter that is torn apart by the network.
        stream.write_all(b"one\r").unwrap();
        thread::sleep(Duration::from_millis(20));
        stream.write_all(b"\ntwo\r\n$5\r\nhello\r\nrest").unwrap();
    });
    let mut stream = connect(&url).await;
    stream.write(b"ask\n").await.unwrap();
    assert_eq!(stream.read_until(b"\r\n", 100).await.unwrap(), "one\r\n");
    assert_eq!(stream.read_until(b"\r\n", 5).await.unwrap(), "two\r\n");
    assert_eq!(stream.read_exact(4).await.unwrap(), "$5\r\n");
    assert_eq!(stream.read_exact(7).await.unwrap(), "hello\r\n");
    assert_eq!(stream.read(2).await.unwrap(), "re");
    assert_eq!(stream.read(100).await.unwrap(), "st");
    served.join().unwrap();
    assert_eq!(stream.read(100).await.unwrap(), "");
    let books = stream.take_exchange();
    assert_eq!((books.bytes_sent, books.bytes_received, books.unanswered), (4, 25, false));
}

#[tokio::test]
async fn a_server_that_answers_before_it_has_read_everything_blocks_nobody() {
    const SIZE: usize = 8 << 20;
    let (url, served) = server(|mut stream| {
        // As long as nobody reads this, nothing is read here.
        stream.write_all(&vec![b'a'; SIZE]).unwrap();
        let mut all = vec![0; SIZE];
        stream.read_exact(&mut all).unwrap();
        stream.write_all(b"done\n").unwrap();
    });
    let mut stream = connect(&url).await;
    stream.write(&vec![b'q'; SIZE]).await.unwrap();
    assert_eq!(stream.read_exact(SIZE).await.unwrap().len(), SIZE);
    assert_eq!(stream.read_until(b"\n", 100).await.unwrap(), "done\n");
    served.join().unwrap();
}

#[tokio::test]
async fn answers_that_nobody_reads_are_bounded() {
    let (url, served) = server(|mut stream| while stream.write_all(&[b'a'; 1 << 16]).is_ok() {});
    let options = HttpOptions { max_response_bytes: 1 << 20, ..HttpOptions::default() };
    let mut stream = crate::support::transport(options, &url).stream(&url).await.unwrap();
    let error = stream.write(&vec![b'q'; 64 << 20]).await.unwrap_err();
    assert!(matches!(error, NetError::TooLarge { limit: 0x10_0000, .. }), "{error}");
    drop(stream);
    served.join().unwrap();
}

#[tokio::test]
async fn a_silent_server_is_given_up_and_leaves_the_request_in_doubt() {
    let (url, served) = server(|mut stream| {
        let mut all = Vec::new();
        // Until the other side has gone.
        let _ = stream.read_to_end(&mut all);
    });
    let mut stream = transport(&url, Duration::from_millis(50)).stream(&url).await.unwrap();
    stream.write(b"ask\n").await.unwrap();
    assert!(!stream.take_exchange().unanswered);
    let error = stream.read_until(b"\n", 10).await.unwrap_err();
    assert!(matches!(error, NetError::TimedOut { .. }) && error.retryable(), "{error}");
    let books = stream.take_exchange();
    assert!(books.unanswered && books.wait >= Duration::from_millis(50), "{books:?}");
    let error = stream.write(b"again\n").await.unwrap_err();
    assert!(error.to_string().contains("an earlier call on it failed"), "{error}");
    drop(stream);
    served.join().unwrap();
}

#[tokio::test]
async fn a_stream_that_ends_too_early_says_so() {
    let (url, served) = server(|mut stream| {
        let mut asked = [0; 4];
        stream.read_exact(&mut asked).unwrap();
        stream.write_all(b"half a li").unwrap();
    });
    let mut stream = connect(&url).await;
    stream.write(b"ask\n").await.unwrap();
    let error = stream.read_until(b"\n", 100).await.unwrap_err();
    assert!(error.to_string().contains("connection closed by the server"), "{error}");
    assert!(stream.take_exchange().unanswered);
    served.join().unwrap();
}

#[tokio::test]
async fn a_line_that_is_too_long_is_no_line() {
    let (url, served) = server(|mut stream| stream.write_all(b"0123456789\n").unwrap());
    let mut stream = connect(&url).await;
    assert!(matches!(stream.read_until(b"", 9).await.unwrap_err(), NetError::Asked { .. }));
    let error = stream.read_until(b"\n", 9).await.unwrap_err();
    assert!(matches!(error, NetError::TooLarge { limit: 9, .. }), "{error}");
    served.join().unwrap();
}

#[tokio::test]
async fn a_wait_that_is_given_up_ends_the_conversation() {
    let (url, served) = server(|mut stream| {
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let mut stream = connect(&url).await;
    stream.write(b"ask\n").await.unwrap();
    assert!(tokio::time::timeout(Duration::from_millis(20), stream.read(1)).await.is_err());
    assert!(stream.take_exchange().unanswered);
    assert!(matches!(stream.read(1).await.unwrap_err(), NetError::Broken { .. }));
    drop(stream);
    served.join().unwrap();
}

#[tokio::test]
async fn other_schemes_and_other_servers_are_refused() {
    let transport = transport("tcp://127.0.0.1:1", Duration::from_secs(1));
    for (url, words) in [
        ("http://127.0.0.1:1", "write tcp:// or tls://"),
        ("tcp://127.0.0.1", "has no port, and tcp:// has none of its own"),
        ("tcp://127.0.0.1:2", "was not granted"),
        ("tcp://127.0.0.1:1", "connection refused"),
    ] {
        let error = transport.stream(url).await.unwrap_err().to_string();
        assert!(error.contains(words), "{url}: {error}");
    }
    let error = transport.connect("tcp://127.0.0.1:1", None).await.unwrap_err().to_string();
    assert!(error.contains("write http:// or https://"), "{error}");
    assert!(transport.channel("tls://127.0.0.1:1", None).await.is_err());
}

#[tokio::test]
async fn a_conversation_is_replayed_without_the_server() {
    let (url, served) = server(|mut stream| {
        let mut asked = [0; 4];
        stream.read_exact(&mut asked).unwrap();
        stream.write_all(b"+OK\r\nmore").unwrap();
    });
    let transport = transport(&url, Duration::from_secs(20));
    let mut stream = transport.stream(&url).await.unwrap();
    stream.write(b"ask\n").await.unwrap();
    assert_eq!(stream.read_until(b"\r\n", 100).await.unwrap(), "+OK\r\n");
    served.join().unwrap();
    transport.replay(true);
    stream.take_exchange();
    for _ in 0..3 {
        stream.write(b"ask\n").await.unwrap();
        assert_eq!(stream.read_until(b"\r\n", 100).await.unwrap(), "+OK\r\n");
    }
    let error = stream.read(1).await.unwrap_err();
    assert!(matches!(error, NetError::NothingToReplay { .. }), "{error}");
    assert_eq!(stream.take_exchange().bytes_sent, 0);
}
