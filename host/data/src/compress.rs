//! gzip over a whole payload. Rows and raw size go with it.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::EncodeError;
use crate::payload::Payload;

const GZIP: &str = "gzip";

/// gzip; `level` 1 (fast) to 9 (small), by default 6.
pub fn gzip(payload: &Payload, level: Option<u8>) -> Result<Payload, EncodeError> {
    let level = checked(level.unwrap_or(6))?;
    // Half of the input is more than line protocol compresses to, so that the output rarely has to move.
    let output = Vec::with_capacity(payload.bytes().len() / 2 + 64);
    let mut encoder = GzEncoder::new(output, Compression::new(u32::from(level)));
    let compressed = encoder.write_all(payload.bytes()).and_then(|()| encoder.finish());
    let bytes = compressed.map_err(|error| EncodeError::Codec { codec: GZIP, reason: error.to_string() })?;
    Ok(Payload::new(bytes, payload.rows()).with_raw_size(payload.raw_size()))
}

fn checked(level: u8) -> Result<u8, EncodeError> {
    let (lowest, highest) = (1, 9);
    if (lowest..=highest).contains(&level) {
        Ok(level)
    } else {
        Err(EncodeError::Level { codec: GZIP, level, lowest, highest })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::io::Read;

    use super::*;

    fn sample() -> Payload {
        Payload::new("cpu,host=a usage=1.5 1704067200000\n".repeat(500).into_bytes(), 500)
    }

    fn gunzip(bytes: &[u8]) -> Vec<u8> {
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(bytes).read_to_end(&mut plain).unwrap();
        plain
    }

    #[test]
    fn gzip_reads_back_and_keeps_rows_and_raw_size() {
        for level in [None, Some(1), Some(9)] {
            let small = gzip(&sample(), level).unwrap();
            assert_eq!(gunzip(small.bytes()), &sample().bytes()[..]);
            assert_eq!((small.rows(), small.raw_size()), (500, sample().size()));
            assert!(small.size() < sample().size() / 10);
        }
    }

    #[test]
    fn an_empty_payload_can_be_compressed() {
        let empty = Payload::new(Vec::new(), 0);
        assert_eq!(gunzip(gzip(&empty, None).unwrap().bytes()), b"");
    }

    #[test]
    fn levels_that_a_codec_lacks_are_refused_with_the_range() {
        assert_eq!(gzip(&sample(), Some(10)).unwrap_err().to_string(), "gzip has no level 10: choose 1 to 9");
        assert_eq!(gzip(&sample(), Some(0)).unwrap_err().to_string(), "gzip has no level 0: choose 1 to 9");
    }
}
