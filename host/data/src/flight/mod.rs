//! Record batches for Arrow Flight: one batch becomes one `FlightData` message.
//!
//! A payload is the message without its `app_metadata` and without the framing of gRPC. Protobuf takes fields in any order, so
//! the transport sends [`flight_metadata`] before or behind it, and can send the same payload again under another request id.
//! The header stands before the body; it is made last, when all lengths are known, and written into the room left for it.
//!
//! Text is written as plain UTF-8 with offsets of 32 bits, never as a dictionary: servers fail on dictionaries. Numbers are
//! copied as they are, which is why this needs a processor that stores the lowest byte first.

mod body;
mod cells;
mod codec;
mod header;
mod message;
mod schema;
mod text;

use std::fmt;
use std::sync::Arc;

use arrow_buffer::{ArrowNativeType, BooleanBuffer, ScalarBuffer};
use arrow_ipc::{Buffer, CompressionType, FieldNode};

use crate::batch::Batch;
use crate::column::{Stored, Values};
use crate::error::EncodeError;
use crate::payload::Payload;
use crate::pool::Pool;
use crate::types::DataType;

use body::Body;
use codec::Codec;
use header::Header;
use message::{DATA_BODY, DATA_HEADER, MAX_KEY, push_key};
use text::{Memo, Scratch};

pub(crate) use cells::Cells;
pub use message::flight_metadata;
pub use schema::{flight_schema, flight_schema_message};

const _: () =
    assert!(cfg!(target_endian = "little"), "buffers are copied as they are, and the schema says little-endian");

/// How the buffers of a record batch are compressed, each for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyCompression {
    /// Not at all.
    None,
    /// LZ4 frames.
    Lz4Frame,
    /// Zstandard, at level 1.
    Zstd,
}

impl BodyCompression {
    fn codec(self) -> Option<CompressionType> {
        match self {
            Self::None => None,
            Self::Lz4Frame => Some(CompressionType::LZ4_FRAME),
            Self::Zstd => Some(CompressionType::ZSTD),
        }
    }
}

/// Writes batches as `FlightData` messages. It keeps memory and the last text columns between batches, so one is made and kept.
///
/// A payload is the whole message except for its `app_metadata`, without the framing of gRPC: [`flight_metadata`] goes before
/// or behind it.
pub struct FlightEncoder {
    compression: BodyCompression,
    codec: Codec,
    header: Header,
    front: Vec<u8>,
    nodes: Vec<FieldNode>,
    buffers: Vec<Buffer>,
    memos: Vec<Memo>,
    scratch: Scratch,
    pool: Arc<Pool>,
    /// Length of the last message.
    last: usize,
}

impl FlightEncoder {
    /// An encoder with nothing to use again yet.
    pub fn new(compression: BodyCompression) -> Self {
        Self {
            compression,
            codec: Codec::new(compression),
            header: Header::default(),
            front: Vec::new(),
            nodes: Vec::new(),
            buffers: Vec::new(),
            memos: Vec::new(),
            scratch: Scratch::default(),
            pool: Arc::default(),
            last: 0,
        }
    }

    /// The batch as a message without metadata. Its raw size is what it would be without compression.
    ///
    /// [`EncodeError::TooLarge`] if the message, or the text of one column, may take more than 2 GiB;
    /// [`EncodeError::Codec`] if compression fails.
    pub fn encode(&mut self, batch: &Batch) -> Result<Payload, EncodeError> {
        let columns = batch.columns().len();
        let start = header::bound(columns) + 2 * MAX_KEY;
        let memory = self.pool.take(start + self.last + self.last / 16);
        let mut body = Body::new(batch, memory, start, std::mem::take(&mut self.buffers));
        self.nodes.clear();
        self.memos.resize_with(columns.max(self.memos.len()), Memo::default);
        for (index, (column, stored)) in batch.table().columns().iter().zip(batch.columns()).enumerate() {
            self.place(index, column.data_type, stored, &mut body)?;
        }
        self.scratch.shrink();

        let (len, raw_len) = (body.len(), body.raw_len());
        let header = self.header.build(batch.rows(), &self.nodes, body.buffers(), len, self.compression.codec());
        self.front.clear();
        push_key(&mut self.front, DATA_HEADER, header.len());
        self.front.extend_from_slice(header);
        push_key(&mut self.front, DATA_BODY, len);
        let (mut memory, end, buffers) = body.into_parts();
        self.buffers = buffers;
        let first = start - self.front.len();
        memory[first..start].copy_from_slice(&self.front);
        self.last = end - start;
        let message = self.pool.freeze(memory, end).slice(first..);
        let raw_size = message.len() + raw_len - len;
        Ok(Payload::new(message, batch.rows()).with_raw_size(raw_size as u64))
    }

    /// A column: its node, its validity, its values.
    fn place(
        &mut self,
        index: usize,
        data_type: DataType,
        stored: &Stored,
        body: &mut Body<'_>,
    ) -> Result<(), EncodeError> {
        let codec = &mut self.codec;
        let nulls = stored.nulls.as_ref().filter(|nulls| nulls.null_count() > 0);
        let null_count = nulls.map_or(0, |nulls| nulls.null_count());
        let rows = body.rows();
        self.nodes.push(FieldNode::new(rows as i64, null_count as i64));
        match nulls {
            Some(nulls) => bits(nulls.inner(), body, codec)?,
            None => body.place_encoded(&[], 0)?,
        }
        match &stored.values {
            Values::Boolean(values) => bits(values, body, codec),
            Values::Int8(values) => numbers(values, body, codec),
            Values::Int16(values) => numbers(values, body, codec),
            Values::Int32(values) | Values::Date32(values) => numbers(values, body, codec),
            Values::Int64(values) | Values::Timestamp(values, _) => numbers(values, body, codec),
            Values::UInt8(values) => numbers(values, body, codec),
            Values::UInt16(values) => numbers(values, body, codec),
            Values::UInt32(values) => numbers(values, body, codec),
            Values::UInt64(values) => numbers(values, body, codec),
            Values::Float32(values) => numbers(values, body, codec),
            Values::Float64(values) => numbers(values, body, codec),
            Values::Keys(keys, dictionary) => {
                self.memos[index].place(keys, dictionary, nulls, body, codec, &mut self.scratch)
            }
            Values::Strings(values) => {
                numbers(values.offsets().inner(), body, codec)?;
                body.place(codec, values.values())
            }
            // Nothing but NULL: values that nobody reads.
            Values::Missing if data_type == DataType::Decimal128 => zeros(rows, size_of::<i128>(), body, codec),
            Values::Missing => {
                zeros(rows + 1, size_of::<i32>(), body, codec)?;
                body.place_encoded(&[], 0)
            }
        }
    }
}

impl fmt::Debug for FlightEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlightEncoder").field("compression", &self.compression).finish_non_exhaustive()
    }
}

fn numbers<T: ArrowNativeType>(
    values: &ScalarBuffer<T>,
    body: &mut Body<'_>,
    codec: &mut Codec,
) -> Result<(), EncodeError> {
    body.place(codec, values.inner())
}

fn bits(values: &BooleanBuffer, body: &mut Body<'_>, codec: &mut Codec) -> Result<(), EncodeError> {
    body.place(codec, &values.sliced())
}

fn zeros(count: usize, size: usize, body: &mut Body<'_>, codec: &mut Codec) -> Result<(), EncodeError> {
    let len = count.saturating_mul(size);
    body.reserve(len)?;
    body.place(codec, &vec![0; len])
}
