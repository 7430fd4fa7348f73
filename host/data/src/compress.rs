//! gzip and Zstandard over a whole payload. Rows and raw size go with it.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::EncodeError;
use crate::payload::Payload;

const GZIP: &str = "gzip";
const ZSTD: &str = "zstd";

/// gzip; `level` 1 (fast) to 9 (small), by default 6.
pub fn gzip(payload: &Payload, level: Option<u8>) -> Result<Payload, EncodeError> {
    let level = checked(GZIP, level.unwrap_or(6), 9)?;
    // Half of the input is more than line protocol compresses to, so that the output rarely has to move.
    let output = Vec::with_capacity(payload.bytes().len() / 2 + 64);
    let mut encoder = GzEncoder::new(output, Compression::new(u32::from(level)));
    let compressed = encoder.write_all(payload.bytes()).and_then(|()| encoder.finish());
    finished(GZIP, payload, compressed)
}

/// Zstandard; `level` 1 to 19, by default 3.
pub fn zstd(payload: &Payload, level: Option<u8>) -> Result<Payload, EncodeError> {
    let level = checked(ZSTD, level.unwrap_or(3), 19)?;
    finished(ZSTD, payload, zstd::bulk::compress(payload.bytes(), i32::from(level)))
}

fn checked(codec: &'static str, level: u8, highest: u8) -> Result<u8, EncodeError> {
    const LOWEST: u8 = 1;
    if (LOWEST..=highest).contains(&level) {
        Ok(level)
    } else {
        Err(EncodeError::Level { codec, level, lowest: LOWEST, highest })
    }
}

fn finished(
    codec: &'static str,
    payload: &Payload,
    compressed: std::io::Result<Vec<u8>>,
) -> Result<Payload, EncodeError> {
    let bytes = compressed.map_err(|error| EncodeError::Codec { codec, reason: error.to_string() })?;
    Ok(Payload::new(bytes, payload.rows()).with_raw_size(payload.raw_size()))
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
    fn zstd_reads_back_and_keeps_rows_and_raw_size() {
        for level in [None, Some(1), Some(19)] {
            let small = zstd(&sample(), level).unwrap();
            let plain = zstd::stream::decode_all(&small.bytes()[..]).unwrap();
            assert_eq!(plain, &sample().bytes()[..]);
            assert_eq!((small.rows(), small.raw_size()), (500, sample().size()));
            assert!(small.size() < sample().size() / 10);
        }
    }

    #[test]
    fn an_empty_payload_can_be_compressed() {
        let empty = Payload::new(Vec::new(), 0);
        assert_eq!(gunzip(gzip(&empty, None).unwrap().bytes()), b"");
        assert!(zstd::stream::decode_all(&zstd(&empty, None).unwrap().bytes()[..]).unwrap().is_empty());
    }

    #[test]
    fn levels_that_a_codec_lacks_are_refused_with_the_range() {
        assert_eq!(gzip(&sample(), Some(10)).unwrap_err().to_string(), "gzip has no level 10: choose 1 to 9");
        assert_eq!(gzip(&sample(), Some(0)).unwrap_err().to_string(), "gzip has no level 0: choose 1 to 9");
        assert_eq!(zstd(&sample(), Some(20)).unwrap_err().to_string(), "zstd has no level 20: choose 1 to 19");
    }
}
