#![allow(clippy::unwrap_used, reason = "tests")]

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::{Fault, Relay};

/// A server that answers every `ask!` with `answer`, and counts what it was asked.
fn server() -> (std::net::SocketAddr, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, count) = (stream.unwrap(), Arc::clone(&count));
            std::thread::spawn(move || {
                let mut request = [0; 4];
                while stream.read_exact(&mut request).is_ok() {
                    count.fetch_add(1, Ordering::SeqCst);
                    if stream.write_all(b"answer").is_err() {
                        break;
                    }
                }
            });
        }
    });
    (address, asked)
}

fn client(relay: &Relay) -> TcpStream {
    let stream = TcpStream::connect(relay.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// Asks, and reads a whole answer.
fn ask(stream: &mut TcpStream) -> std::io::Result<String> {
    stream.write_all(b"ask!")?;
    let mut answer = [0; 6];
    stream.read_exact(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn works(relay: &Relay) {
    let mut stream = client(relay);
    for _ in 0..3 {
        assert_eq!(ask(&mut stream).unwrap(), "answer");
    }
}

#[test]
fn without_a_fault_everything_passes_on_one_connection() {
    let (address, asked) = server();
    let relay = Relay::start(address).unwrap();
    works(&relay);
    assert_eq!((asked.load(Ordering::SeqCst), relay.accepted()), (3, 1));
}

#[test]
fn the_end_of_a_client_reaches_the_server_and_the_other_way_round() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let relay = Relay::start(listener.local_addr().unwrap()).unwrap();
    let mut stream = client(&relay);
    let (mut served, _) = listener.accept().unwrap();
    stream.write_all(b"last words").unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut read = String::new();
    served.read_to_string(&mut read).unwrap();
    assert_eq!(read, "last words");
    served.write_all(b"farewell").unwrap();
    drop(served);
    read.clear();
    stream.read_to_string(&mut read).unwrap();
    assert_eq!(read, "farewell");
}

#[test]
fn refused_connections_are_refused_open_ones_cut_and_the_port_stays_the_same() {
    let (address, _) = server();
    let mut relay = Relay::start(address).unwrap();
    let mut open = client(&relay);
    ask(&mut open).unwrap();
    relay.set(Fault::Refuse).unwrap();
    assert_eq!(TcpStream::connect(relay.address()).unwrap_err().kind(), ErrorKind::ConnectionRefused);
    assert!(ask(&mut open).is_err());
    relay.set(Fault::None).unwrap();
    works(&relay);
}

#[test]
fn a_stalled_request_is_taken_and_neither_answered_nor_passed_on() {
    let (address, asked) = server();
    let mut relay = Relay::start(address).unwrap();
    let mut open = client(&relay);
    ask(&mut open).unwrap();
    relay.set(Fault::Stall).unwrap();
    let mut new = client(&relay);
    for stream in [&mut open, &mut new] {
        stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        let silent = ask(stream).unwrap_err().kind();
        assert!(matches!(silent, ErrorKind::WouldBlock | ErrorKind::TimedOut), "{silent}");
    }
    relay.set(Fault::None).unwrap();
    // The answer that never came must not come now, in place of another one's.
    open.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    assert!(ask(&mut open).is_err());
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    works(&relay);
}

#[test]
fn a_reset_comes_in_the_middle_of_an_answer_that_the_server_gave() {
    let (address, asked) = server();
    let mut relay = Relay::start(address).unwrap();
    let mut open = client(&relay);
    ask(&mut open).unwrap();
    relay.set(Fault::Reset).unwrap();
    open.write_all(b"ask!").unwrap();
    let mut read = Vec::new();
    assert_eq!(open.read_to_end(&mut read).unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert!(b"ans".starts_with(&read), "{read:?}");
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    relay.set(Fault::None).unwrap();
    works(&relay);
}

#[test]
fn a_closed_connection_ends_in_good_order_without_an_answer() {
    let (address, asked) = server();
    let mut relay = Relay::start(address).unwrap();
    let mut open = client(&relay);
    ask(&mut open).unwrap();
    relay.set(Fault::Close).unwrap();
    open.write_all(b"ask!").unwrap();
    let mut read = Vec::new();
    assert_eq!(open.read_to_end(&mut read).unwrap(), 0);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    relay.set(Fault::None).unwrap();
    works(&relay);
}

#[test]
fn a_server_that_is_not_there_ends_the_client() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let relay = Relay::start(gone).unwrap();
    assert!(ask(&mut client(&relay)).is_err());
}
