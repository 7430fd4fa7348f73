//! How messages are compressed, on their way out and in.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// How messages are compressed on their way to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageCompression {
    /// gzip, level 6.
    Gzip,
    /// Zstandard, level 3.
    Zstd,
}

/// Why a message cannot be unpacked.
#[derive(Debug)]
pub(crate) enum Unpack {
    /// It is larger than the limit.
    TooLarge,
    /// It is no such data.
    Wrong(io::Error),
}

impl MessageCompression {
    /// What a server may answer in, as `grpc-accept-encoding` has it.
    pub(crate) const ACCEPTED: &str = "identity,gzip,zstd";

    /// The name in `grpc-encoding`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// From the name in `grpc-encoding`.
    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        [Self::Gzip, Self::Zstd].into_iter().find(|known| known.name().as_bytes() == name)
    }

    /// Packs the pieces as one.
    ///
    /// # Errors
    ///
    /// The library's own.
    pub(crate) fn pack(self, pieces: [&[u8]; 2]) -> io::Result<Vec<u8>> {
        let room = Vec::with_capacity(pieces.iter().map(|piece| piece.len()).sum::<usize>() / 2);
        match self {
            Self::Gzip => {
                let mut encoder = GzEncoder::new(room, Compression::default());
                pieces.into_iter().try_for_each(|piece| encoder.write_all(piece))?;
                encoder.finish()
            }
            Self::Zstd => {
                let mut encoder = zstd::Encoder::new(room, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                pieces.into_iter().try_for_each(|piece| encoder.write_all(piece))?;
                encoder.finish()
            }
        }
    }

    /// Unpacks to at most `limit` bytes. No more than that is ever held, whatever the data claims.
    ///
    /// # Errors
    ///
    /// When it is larger, or no such data.
    pub(crate) fn unpack(self, packed: &[u8], limit: usize) -> Result<Vec<u8>, Unpack> {
        let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        let mut whole = Vec::new();
        match self {
            Self::Gzip => GzDecoder::new(packed).take(most).read_to_end(&mut whole),
            Self::Zstd => zstd::Decoder::new(packed).and_then(|decoder| decoder.take(most).read_to_end(&mut whole)),
        }
        .map_err(Unpack::Wrong)?;
        if whole.len() > limit { Err(Unpack::TooLarge) } else { Ok(whole) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_in_pieces_is_unpacked_as_one_up_to_the_limit() {
        for how in [MessageCompression::Gzip, MessageCompression::Zstd] {
            let packed = how.pack([b"first, ", &[b'x'; 5000]]).unwrap();
            assert!(packed.len() < 200, "{how:?} made {} bytes", packed.len());
            let whole = how.unpack(&packed, 5007).unwrap();
            assert_eq!((whole.len(), &whole[..8]), (5007, b"first, x".as_slice()));
            assert!(matches!(how.unpack(&packed, 5006), Err(Unpack::TooLarge)));
            assert!(matches!(how.unpack(b"neither", 100), Err(Unpack::Wrong(_))));
            assert!(matches!(how.unpack(&packed[..packed.len() / 2], 9000), Err(Unpack::Wrong(_))));
            assert_eq!(MessageCompression::named(how.name().as_bytes()), Some(how));
        }
        assert_eq!(MessageCompression::named(b"deflate"), None);
    }
}
