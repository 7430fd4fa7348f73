//! Record batches of a stream: how many rows they have, and the rows.

use std::collections::HashMap;

use arrow::array::RecordBatch;
use arrow::buffer::Buffer;
use arrow::datatypes::SchemaRef;
use arrow_ipc as ipc;
use arrow_ipc::reader::RecordBatchDecoder;
use bytes::Bytes;

use super::Fault;

/// Bytes that a batch may unpack to: the decoder believes what the batch says of itself, so that is looked at first.
const MAX_UNPACKED: i64 = 1 << 30;

/// The batch that an IPC message describes.
fn described(header: &[u8]) -> Result<(ipc::RecordBatch<'_>, ipc::MetadataVersion), Fault> {
    let message = ipc::root_as_message(header).map_err(|error| Fault::new(format!("no IPC message: {error}")))?;
    let batch = message.header_as_record_batch();
    let batch = batch.ok_or_else(|| Fault::new(format!("a {:?} message came for a batch", message.header_type())))?;
    Ok((batch, message.version()))
}

/// How many rows a batch says it has. Its values are not looked at.
pub(super) fn rows(header: &[u8]) -> Result<u64, Fault> {
    let (batch, _) = described(header)?;
    u64::try_from(batch.length()).map_err(|_| Fault::new("the batch has less than no rows"))
}

/// The rows of a batch of the types that [`super::schema::read`] lets through.
pub(super) fn decode(header: &[u8], body: Bytes, schema: SchemaRef) -> Result<RecordBatch, Fault> {
    let (batch, version) = described(header)?;
    check(&batch, &body)?;
    let body = Buffer::from(body);
    let none = HashMap::new();
    let decoder = RecordBatchDecoder::try_new(&body, batch, schema, &none, &version);
    let decoded = decoder.and_then(RecordBatchDecoder::read_record_batch);
    decoded.map_err(|error| Fault::new(format!("a batch cannot be read: {error}")))
}

/// Checks what the decoder takes for granted: that arrays are as long as the batch and their buffers within the body, and that they
/// do not unpack to more memory than there is.
fn check(batch: &ipc::RecordBatch<'_>, body: &[u8]) -> Result<(), Fault> {
    let rows = batch.length();
    // A bit is the least that a value takes, packed or not; so this bounds what is reserved for the rows.
    if !(0..=MAX_UNPACKED * 8).contains(&rows) {
        return Err(Fault::new(format!("a batch says that it has {rows} rows")));
    }
    if batch.variadicBufferCounts().is_some_and(|counts| !counts.is_empty()) {
        return Err(Fault::new("a batch has buffers of views, which no column has"));
    }
    for node in batch.nodes().into_iter().flatten() {
        if node.length() != rows || !(0..=rows).contains(&node.null_count()) {
            return Err(Fault::new("a column is not as long as its batch, or has more NULLs than rows"));
        }
    }
    let mut unpacked = 0;
    for buffer in batch.buffers().into_iter().flatten() {
        let found = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let bytes = found.and_then(|(offset, length)| body.get(offset..offset.checked_add(length)?));
        let bytes = bytes.ok_or_else(|| Fault::new("a buffer is outside of its message"))?;
        if let (Some(length), true) = (bytes.first_chunk::<8>(), batch.compression().is_some()) {
            // -1: it is not compressed after all.
            unpacked += i64::from_le_bytes(*length).clamp(0, MAX_UNPACKED + 1);
        }
    }
    if unpacked > MAX_UNPACKED {
        return Err(Fault::new(format!("a batch says that it unpacks to more than {MAX_UNPACKED} bytes")));
    }
    Ok(())
}
