//! The socket of a connection. It waits for bytes asleep, and on a server that spins awake, as long as writes keep coming.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// How long after a write the next one is waited for awake. A load that is on comes sooner; a connection that is left over must not take
/// a processor for long.
const AWAKE: Duration = Duration::from_secs(3);

/// A socket that can be waited for without sleeping.
///
/// It never looks whether the server has ended: that shuts the socket down, which both ways of waiting see.
pub(crate) struct Wire<'a> {
    stream: &'a TcpStream,
    /// Until when it is waited for awake; while there is one, the socket does not block.
    awake_until: Option<Instant>,
}

impl<'a> Wire<'a> {
    /// A socket that blocks, and is waited for asleep.
    pub(crate) fn new(stream: &'a TcpStream) -> Self {
        Self { stream, awake_until: None }
    }

    /// Waits awake for what comes within the next seconds.
    pub(crate) fn stay_awake(&mut self) {
        // A socket that cannot be made not to block is waited for asleep, which is late but not wrong.
        if self.awake_until.is_some() || self.stream.set_nonblocking(true).is_ok() {
            self.awake_until = Some(Instant::now() + AWAKE);
        }
    }
}

impl Read for Wire<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut stream = self.stream;
        while let Some(until) = self.awake_until {
            match stream.read(into) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                done => return done,
            }
            if Instant::now() >= until {
                stream.set_nonblocking(false)?;
                self.awake_until = None;
            }
            std::hint::spin_loop();
        }
        stream.read(into)
    }
}

impl Write for Wire<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut stream = self.stream;
        loop {
            match stream.write(bytes) {
                // The client does not read: an answer is small, so that this is rare.
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::hint::spin_loop(),
                done => return done,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};
    use std::thread;

    use super::*;

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (listener.accept().unwrap().0, client)
    }

    /// Reads four bytes that are sent a moment after the read has begun.
    fn read_late(wire: &mut Wire<'_>, client: &TcpStream) -> [u8; 4] {
        let mut bytes = [0; 4];
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(5));
                let mut client = client;
                client.write_all(b"late").unwrap();
            });
            wire.read_exact(&mut bytes).unwrap();
        });
        bytes
    }

    #[test]
    fn bytes_that_come_late_are_waited_for_asleep_and_awake() {
        let (server, client) = pair();
        let mut wire = Wire::new(&server);
        assert_eq!(&read_late(&mut wire, &client), b"late");
        assert_eq!(wire.awake_until, None);
        wire.stay_awake();
        assert_eq!(&read_late(&mut wire, &client), b"late");
        assert!(wire.awake_until.is_some());
    }

    #[test]
    fn a_connection_without_writes_falls_asleep() {
        let (server, client) = pair();
        let mut wire = Wire::new(&server);
        wire.stay_awake();
        wire.awake_until = Some(Instant::now());
        assert_eq!(&read_late(&mut wire, &client), b"late");
        assert_eq!(wire.awake_until, None);
    }

    #[test]
    fn an_answer_that_does_not_fit_the_socket_is_sent_to_its_end() {
        const LENGTH: usize = 32 << 20;
        let (server, mut client) = pair();
        let mut wire = Wire::new(&server);
        wire.stay_awake();
        let reader = thread::spawn(move || {
            thread::sleep(Duration::from_millis(5));
            client.read_exact(&mut vec![0; LENGTH])
        });
        wire.write_all(&vec![1; LENGTH]).unwrap();
        reader.join().unwrap().unwrap();
    }

    #[test]
    fn a_socket_that_is_shut_down_ends_the_waiting() {
        let (server, _client) = pair();
        let mut wire = Wire::new(&server);
        wire.stay_awake();
        server.shutdown(std::net::Shutdown::Both).unwrap();
        assert_eq!(wire.read(&mut [0; 4]).unwrap(), 0);
        assert!(wire.write(b"x").is_err());
    }
}
