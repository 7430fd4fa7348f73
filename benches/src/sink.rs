//! An HTTP sink: reads requests to their end, keeps nothing, answers at once. It runs as a process of its own, so that its
//! processor time is not the client's.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A sink that runs beside us; it ends with us.
pub(crate) struct Sink {
    child: Child,
    /// Where it listens.
    pub(crate) endpoint: String,
}

impl Sink {
    /// Starts a sink on a free port of the loopback interface.
    pub(crate) fn start() -> Result<Self> {
        let program = std::env::current_exe().context("cannot find this program")?;
        let mut child = Command::new(program)
            .arg("sink-server")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the sink")?;
        let mut line = String::new();
        let stdout = child.stdout.take().context("the sink has no output")?;
        BufReader::new(stdout).read_line(&mut line)?;
        let address: SocketAddr = line.trim().parse().with_context(|| format!("the sink said `{line}`"))?;
        Ok(Self { child, endpoint: format!("http://{address}") })
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The sink's own process: serves until its standard input is closed.
pub(crate) fn serve() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let closed = std::thread::spawn(|| {
        // Nothing is ever written to it: it ends when the parent does.
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    });
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        writeln!(std::io::stdout(), "{}", listener.local_addr()?)?;
        std::io::stdout().flush()?;
        while !closed.is_finished() {
            let accepted = tokio::time::timeout(std::time::Duration::from_millis(200), listener.accept()).await;
            if let Ok(accepted) = accepted {
                let (stream, _) = accepted?;
                stream.set_nodelay(true)?;
                tokio::spawn(async move {
                    // A connection that breaks is the client's business.
                    let _ = connection(stream).await;
                });
            }
        }
        Ok(())
    })
}

const WRITTEN: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";
const NOTHING: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 34\r\n\r\n{\"results\":[{\"statement_id\":0}]}\r\n";

async fn connection(mut stream: TcpStream) -> Result<()> {
    let mut buffer = vec![0; 256 * 1024];
    let mut filled = 0;
    loop {
        let head = loop {
            if let Some(end) = find(&buffer[..filled], b"\r\n\r\n") {
                break end + 4;
            }
            if filled == buffer.len() {
                bail!("a request head of more than {filled} bytes");
            }
            let read = stream.read(&mut buffer[filled..]).await?;
            if read == 0 {
                return Ok(());
            }
            filled += read;
        };
        let length = content_length(&buffer[..head])?;
        let answer =
            if buffer.starts_with(b"POST /write") || buffer.starts_with(b"POST /api") { WRITTEN } else { NOTHING };
        let mut missing = length.saturating_sub(filled - head);
        let kept = (filled - head).saturating_sub(length);
        buffer.copy_within(filled - kept..filled, 0);
        filled = kept;
        while missing > 0 {
            let most = missing.min(buffer.len());
            let read = stream.read(&mut buffer[..most]).await?;
            if read == 0 {
                return Ok(());
            }
            missing -= read;
        }
        stream.write_all(answer).await?;
    }
}

fn content_length(head: &[u8]) -> Result<usize> {
    for line in head.split(|byte| *byte == b'\n') {
        if line.len() > 15 && line[..15].eq_ignore_ascii_case(b"content-length:") {
            return Ok(std::str::from_utf8(&line[15..])?.trim().parse()?);
        }
    }
    Ok(0)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
