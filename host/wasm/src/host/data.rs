//! `data`: batches to read, batches to fill, payloads, dictionaries.

use std::sync::Arc;

use benchhost_data::{Batch, BatchBuilder, BatchError, BuilderError, Dictionary, Payload};
use wasmtime::component::Resource;
use wasmtime::{Error, Result};

use super::{Broken, HeldPayload, LentBatch};
use crate::bindings::data;
use crate::bindings::types::Table;
use crate::convert;
use crate::state::State;
use crate::trace::{Weight, crossed};

/// The most that one `payload.read` gives.
const MAX_READ: usize = 16 << 20;

impl data::Host for State {}

impl State {
    /// The batch behind a handle.
    pub(super) fn batch(&self, handle: &Resource<LentBatch>) -> Result<&Arc<Batch>> {
        let lent = self.table.get(handle)?;
        lent.0.as_ref().ok_or_else(|| Broken("a batch was used after the call that lent it".to_owned()).into())
    }

    /// Asks a column of a batch.
    fn column<T: Weight>(
        &self,
        handle: &Resource<LentBatch>,
        column: u32,
        read: impl FnOnce(&Batch, usize) -> Result<T, BatchError>,
    ) -> Result<T> {
        let values = read(self.batch(handle)?, column as usize).map_err(|error| broken("batch", &error))?;
        crossed(&values);
        Ok(values)
    }

    /// Writes to a column of the batch that is being filled.
    fn append<T: Weight>(
        &mut self,
        handle: &Resource<BatchBuilder>,
        values: T,
        write: impl FnOnce(&mut BatchBuilder, T) -> Result<(), BuilderError>,
    ) -> Result<()> {
        crossed(&values);
        write(self.table.get_mut(handle)?, values).map_err(|error| broken("batch-builder", &error))
    }
}

fn broken(resource: &str, error: &impl std::fmt::Display) -> Error {
    Broken(format!("{resource}.{error}")).into()
}

impl data::HostBatch for State {
    fn table(&mut self, handle: Resource<LentBatch>) -> Result<Table> {
        Ok(convert::table_to_guest(self.batch(&handle)?.table()))
    }

    fn rows(&mut self, handle: Resource<LentBatch>) -> Result<u32> {
        Ok(self.batch(&handle)?.rows())
    }

    fn timestamps(&mut self, handle: Resource<LentBatch>) -> Result<Vec<i64>> {
        let times = self.batch(&handle)?.timestamps().to_vec();
        crossed(&times);
        Ok(times)
    }

    fn float64s(&mut self, handle: Resource<LentBatch>, column: u32) -> Result<Vec<f64>> {
        self.column(&handle, column, |batch, column| Ok(batch.float64s(column)?.into_owned()))
    }

    fn int64s(&mut self, handle: Resource<LentBatch>, column: u32) -> Result<Vec<i64>> {
        self.column(&handle, column, |batch, column| Ok(batch.int64s(column)?.into_owned()))
    }

    fn uint64s(&mut self, handle: Resource<LentBatch>, column: u32) -> Result<Vec<u64>> {
        self.column(&handle, column, |batch, column| Ok(batch.uint64s(column)?.into_owned()))
    }

    fn booleans(&mut self, handle: Resource<LentBatch>, column: u32) -> Result<Vec<bool>> {
        self.column(&handle, column, Batch::booleans)
    }

    fn dictionary(&mut self, handle: Resource<LentBatch>, column: u32) -> Result<Vec<String>> {
        self.column(&handle, column, |batch, column| {
            Ok(batch.dictionary(column)?.values().map(str::to_owned).collect::<Vec<_>>())
        })
    }

    fn keys(&mut self, handle: Resource<LentBatch>, column: u32) -> Result<Vec<u32>> {
        self.column(&handle, column, |batch, column| Ok(batch.keys(column)?.into_owned()))
    }

    fn strings(&mut self, handle: Resource<LentBatch>, column: u32) -> Result<Vec<String>> {
        self.column(&handle, column, Batch::strings)
    }

    fn nulls(&mut self, handle: Resource<LentBatch>, column: u32) -> Result<Vec<u32>> {
        self.column(&handle, column, Batch::nulls)
    }

    fn drop(&mut self, _handle: Resource<LentBatch>) -> Result<()> {
        // Batches are only ever lent.
        Ok(())
    }
}

impl data::HostPayload for State {
    fn from_bytes(&mut self, bytes: Vec<u8>, rows: u32) -> Result<Resource<HeldPayload>> {
        crossed(&bytes);
        self.give_payload(Payload::new(bytes, rows))
    }

    fn size(&mut self, handle: Resource<HeldPayload>) -> Result<u64> {
        Ok(self.table.get(&handle)?.0.size())
    }

    fn rows(&mut self, handle: Resource<HeldPayload>) -> Result<u32> {
        Ok(self.table.get(&handle)?.0.rows())
    }

    fn read(&mut self, handle: Resource<HeldPayload>, offset: u64, max: u32) -> Result<Vec<u8>> {
        let bytes = self.table.get(&handle)?.0.bytes();
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        let end = start + (max as usize).min(MAX_READ).min(bytes.len() - start);
        let bytes = bytes[start..end].to_vec();
        crossed(&bytes);
        Ok(bytes)
    }

    fn drop(&mut self, handle: Resource<HeldPayload>) -> Result<()> {
        self.take_payload(handle).map(drop)
    }
}

impl data::HostDictionary for State {
    fn new(&mut self, values: Vec<String>) -> Result<Resource<Dictionary>> {
        crossed(&values);
        let dictionary =
            self.interner.intern(values).map_err(|error| broken("dictionary", &format!("new: {error}")))?;
        self.hold(dictionary.memory_bytes())?;
        self.give(dictionary)
    }

    fn drop(&mut self, handle: Resource<Dictionary>) -> Result<()> {
        let dictionary = self.take(handle)?;
        self.release(dictionary.memory_bytes());
        Ok(())
    }
}

impl data::HostBatchBuilder for State {
    fn append_timestamps(&mut self, handle: Resource<BatchBuilder>, values: Vec<i64>) -> Result<()> {
        self.append(&handle, values, |builder, values| builder.append_timestamps(values))
    }

    fn append_float64s(&mut self, handle: Resource<BatchBuilder>, column: u32, values: Vec<f64>) -> Result<()> {
        self.append(&handle, values, |builder, values| builder.append_float64s(column as usize, values))
    }

    fn append_int64s(&mut self, handle: Resource<BatchBuilder>, column: u32, values: Vec<i64>) -> Result<()> {
        self.append(&handle, values, |builder, values| builder.append_int64s(column as usize, values))
    }

    fn append_uint64s(&mut self, handle: Resource<BatchBuilder>, column: u32, values: Vec<u64>) -> Result<()> {
        self.append(&handle, values, |builder, values| builder.append_uint64s(column as usize, values))
    }

    fn append_booleans(&mut self, handle: Resource<BatchBuilder>, column: u32, values: Vec<bool>) -> Result<()> {
        self.append(&handle, values, |builder, values| builder.append_booleans(column as usize, values))
    }

    fn append_strings(&mut self, handle: Resource<BatchBuilder>, column: u32, values: Vec<String>) -> Result<()> {
        self.append(&handle, values, |builder, values| builder.append_strings(column as usize, values))
    }

    fn append_keys(
        &mut self,
        handle: Resource<BatchBuilder>,
        column: u32,
        values: Resource<Dictionary>,
        keys: Vec<u32>,
    ) -> Result<()> {
        let dictionary = self.table.get(&values)?.clone();
        self.append(&handle, keys, |builder, keys| builder.append_keys(column as usize, &dictionary, keys))
    }

    fn mark_nulls(&mut self, handle: Resource<BatchBuilder>, column: u32, rows: Vec<u32>) -> Result<()> {
        self.append(&handle, rows, |builder, rows| builder.mark_nulls(column as usize, rows))
    }

    fn drop(&mut self, _handle: Resource<BatchBuilder>) -> Result<()> {
        // Builders are only ever lent.
        Ok(())
    }
}
