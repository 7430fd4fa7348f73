//! The IPC message that says where the buffers of a record batch are.
//!
//! It is made with the builders of arrow-ipc for each batch; that takes some hundred nanoseconds.

use arrow_ipc::{
    BodyCompressionArgs, BodyCompressionMethod, Buffer, CompressionType, FieldNode, MessageArgs, MessageHeader,
    MetadataVersion, RecordBatchArgs,
};
use flatbuffers::FlatBufferBuilder;

/// Bytes of a header that are the same for every table, and those of a column: a node and at most three buffers of 16 bytes.
const FIXED: usize = 256;
const COLUMN: usize = 4 * 16;

/// The most bytes that the header of a batch of this many columns takes.
pub(super) fn bound(columns: usize) -> usize {
    FIXED + COLUMN * columns
}

/// Makes headers; its memory is used again.
#[derive(Default)]
pub(super) struct Header {
    builder: FlatBufferBuilder<'static>,
}

impl Header {
    /// The header of a batch of `rows` rows, with one node a column and buffers in a body of `body` bytes.
    pub(super) fn build(
        &mut self,
        rows: u32,
        nodes: &[FieldNode],
        buffers: &[Buffer],
        body: usize,
        codec: Option<CompressionType>,
    ) -> &[u8] {
        let builder = &mut self.builder;
        builder.reset();
        let nodes = builder.create_vector(nodes);
        let buffers = builder.create_vector(buffers);
        let compression = codec.map(|codec| {
            let method = BodyCompressionMethod::BUFFER;
            arrow_ipc::BodyCompression::create(builder, &BodyCompressionArgs { codec, method })
        });
        let batch = RecordBatchArgs {
            length: i64::from(rows),
            nodes: Some(nodes),
            buffers: Some(buffers),
            compression,
            variadicBufferCounts: None,
        };
        let batch = arrow_ipc::RecordBatch::create(builder, &batch);
        let message = MessageArgs {
            version: MetadataVersion::V5,
            header_type: MessageHeader::RecordBatch,
            header: Some(batch.as_union_value()),
            bodyLength: body as i64,
            custom_metadata: None,
        };
        let message = arrow_ipc::Message::create(builder, &message);
        builder.finish(message, None);
        builder.finished_data()
    }
}
