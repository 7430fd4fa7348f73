//! Compression of one buffer of a record batch, as the IPC format wants it: its length in eight bytes, then a whole frame;
//! or -1 and the buffer as it is, where compression does not help.
//!
//! Contexts and tables are kept from buffer to buffer. The LZ4 frame is written here, around the block compressor, because a
//! frame encoder would be made anew and copy every buffer twice. A frame is: a header that is always the same; for each block
//! its length, with the highest bit set if it is stored as it is, and its bytes; a length of zero.

use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};
use zstd::bulk::Compressor;
use zstd::zstd_safe::compress_bound;

use crate::error::EncodeError;

use super::BodyCompression;

/// Bytes in front of each buffer.
const PREFIX: usize = 8;

/// Magic number; version 1, independent blocks, no checksums; blocks of at most 4 MiB; checksum of these two bytes.
const LZ4_HEADER: [u8; 7] = [0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73];
const LZ4_BLOCK: usize = 4 << 20;
const LZ4_STORED: u32 = 1 << 31;

/// Inputs shorter than this can use the small table, which is cleared in half the time.
const LZ4_SMALL: usize = 0xffff;

/// The fastest of the levels that are not negative, as Arrow for C++ has it by default.
const ZSTD_LEVEL: i32 = 1;

const LZ4: &str = "lz4";
const ZSTD: &str = "zstd";

/// How buffers are compressed, with the memory that it takes.
pub(super) enum Codec {
    None,
    Lz4 {
        small: CompressTable,
        large: CompressTable,
    },
    /// Made when the first buffer comes, so that making an encoder cannot fail.
    Zstd(Option<Compressor<'static>>),
}

impl Codec {
    pub(super) fn new(compression: BodyCompression) -> Self {
        match compression {
            BodyCompression::None => Self::None,
            BodyCompression::Lz4Frame => Self::Lz4 { small: CompressTable::small(), large: CompressTable::large() },
            BodyCompression::Zstd => Self::Zstd(None),
        }
    }

    /// The most bytes that [`Codec::encode`] writes for `len` bytes.
    pub(super) fn bound(&self, len: usize) -> usize {
        match self {
            _ if len == 0 => 0,
            Self::None => len,
            Self::Lz4 { .. } => {
                let frame = LZ4_HEADER.len() + 4 * len.div_ceil(LZ4_BLOCK) + 4;
                PREFIX + frame + get_maximum_output_size(len)
            }
            Self::Zstd(_) => PREFIX + compress_bound(len).max(len),
        }
    }

    /// Writes `input` to `out`, of at least [`Codec::bound`] bytes, and returns how many it took. An empty buffer stays empty.
    pub(super) fn encode(&mut self, input: &[u8], out: &mut [u8]) -> Result<usize, EncodeError> {
        if input.is_empty() {
            return Ok(0);
        }
        let len = match self {
            Self::None => {
                out[..input.len()].copy_from_slice(input);
                return Ok(input.len());
            }
            Self::Lz4 { small, large } => {
                let table = if input.len() < LZ4_SMALL { small } else { large };
                lz4_frame(input, &mut out[PREFIX..], table)?
            }
            Self::Zstd(compressor) => {
                let compressor = match compressor {
                    Some(compressor) => compressor,
                    None => compressor.insert(Compressor::new(ZSTD_LEVEL).map_err(|error| failed(ZSTD, &error))?),
                };
                compressor.compress_to_buffer(input, &mut out[PREFIX..]).map_err(|error| failed(ZSTD, &error))?
            }
        };
        if len < input.len() {
            out[..PREFIX].copy_from_slice(&(input.len() as u64).to_le_bytes());
            Ok(PREFIX + len)
        } else {
            out[..PREFIX].copy_from_slice(&(-1_i64).to_le_bytes());
            out[PREFIX..PREFIX + input.len()].copy_from_slice(input);
            Ok(PREFIX + input.len())
        }
    }
}

fn failed(codec: &'static str, error: &impl ToString) -> EncodeError {
    EncodeError::Codec { codec, reason: error.to_string() }
}

fn lz4_frame(input: &[u8], out: &mut [u8], table: &mut CompressTable) -> Result<usize, EncodeError> {
    let mut at = LZ4_HEADER.len();
    out[..at].copy_from_slice(&LZ4_HEADER);
    for block in input.chunks(LZ4_BLOCK) {
        let bytes = at + 4;
        let compressed =
            compress_into_with_table(block, &mut out[bytes..], table).map_err(|error| failed(LZ4, &error))?;
        let (len, stored) = if compressed < block.len() {
            (compressed, 0)
        } else {
            out[bytes..bytes + block.len()].copy_from_slice(block);
            (block.len(), LZ4_STORED)
        };
        out[at..bytes].copy_from_slice(&(len as u32 | stored).to_le_bytes());
        at = bytes + len;
    }
    out[at..at + 4].fill(0);
    Ok(at + 4)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::io::Read;

    use super::*;

    fn random(len: usize) -> Vec<u8> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        };
        (0..len).map(|_| next()).collect()
    }

    fn inputs() -> Vec<Vec<u8>> {
        let text = |len: usize| b"some text that repeats; ".iter().copied().cycle().take(len).collect::<Vec<_>>();
        let mut mixed = random(LZ4_BLOCK);
        mixed.extend(text(LZ4_BLOCK / 2));
        let lengths = [1, 7, 12, 13, 100, 65_534, 65_535, 65_536, LZ4_BLOCK, LZ4_BLOCK + 1, 2 * LZ4_BLOCK + 5];
        lengths.into_iter().flat_map(|len| [text(len), random(len)]).chain([mixed]).collect()
    }

    fn encode(codec: &mut Codec, input: &[u8]) -> Vec<u8> {
        let mut out = vec![0xaa; codec.bound(input.len())];
        let len = codec.encode(input, &mut out).unwrap();
        out.truncate(len);
        out
    }

    fn check(compression: BodyCompression, decompress: impl Fn(&[u8]) -> Vec<u8>) {
        let mut codec = Codec::new(compression);
        for input in inputs() {
            let encoded = encode(&mut codec, &input);
            let (prefix, data) = encoded.split_at(8);
            let plain = match i64::from_le_bytes(prefix.try_into().unwrap()) {
                -1 => data.to_vec(),
                len => {
                    assert_eq!(len as usize, input.len());
                    decompress(data)
                }
            };
            assert!(plain == input, "{compression:?} of {} bytes", input.len());
            assert!(encoded.len() <= input.len() + 8);
        }
    }

    #[test]
    fn lz4_frames_are_read_by_another_decoder_at_every_length() {
        check(BodyCompression::Lz4Frame, |data| {
            let mut plain = Vec::new();
            lz4_flex::frame::FrameDecoder::new(data).read_to_end(&mut plain).unwrap();
            plain
        });
    }

    #[test]
    fn zstd_frames_are_read_by_another_decoder_at_every_length() {
        check(BodyCompression::Zstd, |data| zstd::stream::decode_all(data).unwrap());
    }

    #[test]
    fn what_does_not_compress_is_stored_as_it_is() {
        for compression in [BodyCompression::Lz4Frame, BodyCompression::Zstd] {
            let encoded = encode(&mut Codec::new(compression), &random(1000));
            assert_eq!(encoded[..8], [0xff; 8]);
            assert_eq!(encoded[8..], random(1000));
        }
    }

    #[test]
    fn an_empty_buffer_stays_empty() {
        for compression in [BodyCompression::None, BodyCompression::Lz4Frame, BodyCompression::Zstd] {
            assert!(encode(&mut Codec::new(compression), &[]).is_empty());
        }
    }
}
