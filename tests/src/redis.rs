//! Redis by its own protocol, through the tests' own client.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use xtask::servers::Running;

/// The number of members of a sorted set; 0 where there is none.
///
/// # Errors
///
/// The server does not answer, or answers something else than a number.
pub fn members(server: &Running, key: &str) -> Result<u64> {
    let address = server.endpoint().trim_start_matches("tcp://");
    let mut stream = TcpStream::connect(address).with_context(|| address.to_owned())?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    write!(stream, "*2\r\n$5\r\nZCARD\r\n${}\r\n{key}\r\n", key.len())?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer)?;
    match answer.strip_prefix(':').and_then(|number| number.trim_end().parse().ok()) {
        Some(number) => Ok(number),
        None => bail!("ZCARD was answered with {answer:?}"),
    }
}
