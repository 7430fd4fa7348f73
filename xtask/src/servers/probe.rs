//! How to see that a server takes requests.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::http::Request;

/// The longest that one question may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// A question that only a server that is ready answers well.
#[derive(Clone, Debug)]
pub(super) enum Probe {
    /// Answered with 2xx.
    Http(Request),
    /// A line over TCP, answered with one that begins with one of these.
    Line { address: String, say: &'static str, hear: &'static [&'static str] },
}

impl Probe {
    /// Asks once; the error says how it was answered instead.
    pub(super) fn ask(&self) -> Result<()> {
        match self {
            Self::Http(request) => {
                let answer = request.clone().timeout(PATIENCE).send()?;
                if !answer.is_success() {
                    bail!("it answered {} {}", answer.status, answer.text().trim());
                }
            }
            Self::Line { address, say, hear } => {
                let mut stream = TcpStream::connect(address).with_context(|| address.clone())?;
                stream.set_read_timeout(Some(PATIENCE))?;
                stream.set_write_timeout(Some(PATIENCE))?;
                stream.write_all(say.as_bytes())?;
                let mut answer = [0; 64];
                let count = stream.read(&mut answer)?;
                let answer = String::from_utf8_lossy(&answer[..count]);
                if !hear.iter().any(|start| answer.starts_with(start)) {
                    bail!("it answered {}", answer.trim());
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::net::TcpListener;

    use super::*;

    #[test]
    fn only_the_right_line_is_a_good_answer() {
        for (said, good) in [("+PONG\r\n", true), ("-LOADING\r\n", false), ("", false)] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = listener.local_addr().unwrap().to_string();
            let server = std::thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                let mut asked = [0; 6];
                stream.read_exact(&mut asked).unwrap();
                stream.write_all(said.as_bytes()).unwrap();
                asked
            });
            let probe = Probe::Line { address, say: "PING\r\n", hear: &["+PONG"] };
            assert_eq!(probe.ask().is_ok(), good, "{said}");
            assert_eq!(&server.join().unwrap(), b"PING\r\n");
        }
    }
}
