//! Reads one HTTP/1.1 answer to its end. It never keeps a connection for a second one.

use std::io::{BufRead, Read as _};

use anyhow::{Context as _, Result, bail};

/// An answer, read to its end.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status code, such as 204.
    pub status: u16,
    /// Header names and values as they came.
    pub headers: Vec<(String, String)>,
    /// The body, with the chunked coding taken off.
    pub body: Vec<u8>,
}

impl Response {
    /// The first header of that name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The body as text; bytes that are not UTF-8 become U+FFFD.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Whether the status is 200 to 299.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Reads an answer; `bodiless` when the request was a HEAD.
pub(super) fn read(reader: &mut impl BufRead, bodiless: bool) -> Result<Response> {
    loop {
        let status = status(&line(reader)?)?;
        let headers = headers(reader)?;
        if (100..200).contains(&status) {
            continue;
        }
        let mut response = Response { status, headers, body: Vec::new() };
        if !bodiless && status != 204 && status != 304 {
            response.body = body(reader, &response)?;
        }
        return Ok(response);
    }
}

fn status(line: &str) -> Result<u16> {
    let mut words = line.split(' ');
    match (words.next(), words.next().and_then(|code| code.parse().ok())) {
        (Some(version), Some(code)) if version.starts_with("HTTP/1.") => Ok(code),
        _ => bail!("not an HTTP/1 answer: `{line}`"),
    }
}

fn headers(reader: &mut impl BufRead) -> Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    loop {
        let line = line(reader)?;
        if line.is_empty() {
            return Ok(headers);
        }
        let (name, value) = line.split_once(':').with_context(|| format!("not a header: `{line}`"))?;
        headers.push((name.trim().to_owned(), value.trim().to_owned()));
    }
}

fn body(reader: &mut impl BufRead, response: &Response) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    if response.header("Transfer-Encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        loop {
            let line = line(reader)?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = u64::from_str_radix(size, 16).with_context(|| format!("not a chunk size: `{line}`"))?;
            if size == 0 {
                headers(reader).context("cannot read the trailers")?;
                return Ok(body);
            }
            exactly(reader, size, &mut body)?;
            line_end(reader)?;
        }
    }
    if let Some(length) = response.header("Content-Length") {
        let length = length.parse().with_context(|| format!("not a Content-Length: `{length}`"))?;
        exactly(reader, length, &mut body)?;
    } else {
        reader.read_to_end(&mut body).context("cannot read the body")?;
    }
    Ok(body)
}

fn exactly(reader: &mut impl BufRead, size: u64, body: &mut Vec<u8>) -> Result<()> {
    let read = reader.take(size).read_to_end(body).context("cannot read the body")?;
    if read as u64 != size {
        bail!("the body ended early: {read} of {size} bytes came");
    }
    Ok(())
}

fn line_end(reader: &mut impl BufRead) -> Result<()> {
    match line(reader)?.as_str() {
        "" => Ok(()),
        extra => bail!("a chunk is longer than its size says: `{extra}` follows it"),
    }
}

fn line(reader: &mut impl BufRead) -> Result<String> {
    let mut line = String::new();
    if reader.read_line(&mut line).context("cannot read the answer")? == 0 {
        bail!("the connection ended before the answer was complete");
    }
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
