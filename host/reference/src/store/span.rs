//! What counting mode keeps of a batch: how many rows there were and between which times.

use arrow::array::{ArrayRef, Int64Array, new_null_array};
use arrow::compute::cast;

use super::conform::Chunk;
use super::error::StoreError;
use super::schema::{Semantic, TableSchema};

/// Rows that are made up at once.
const AT_ONCE: u64 = 65_536;

/// Rows of which only the number and the first and last time are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// How many.
    pub(super) rows: u64,
    /// The first time, in the unit of the table's time index.
    pub(super) first: i64,
    /// The last time.
    pub(super) last: i64,
}

impl Span {
    /// Rows spread evenly from the first time to the last, NULL but for their time, so that counts are right over any range that holds the
    /// whole batch, or none of it.
    ///
    /// # Errors
    ///
    /// An error of Arrow's, which there is no reason for.
    pub(super) fn chunks(&self, schema: &TableSchema) -> Result<Vec<Chunk>, StoreError> {
        let steps = i128::from(self.rows.saturating_sub(1).max(1));
        let length = i128::from(self.last) - i128::from(self.first);
        let time = |row: u64| (i128::from(self.first) + length * i128::from(row) / steps) as i64;
        let mut chunks = Vec::new();
        let mut start = 0;
        while start < self.rows {
            let end = (start + AT_ONCE).min(self.rows);
            let times: Int64Array = (start..end).map(time).collect();
            let rows = times.len();
            let column = |column: &super::schema::ColumnDef| -> Result<ArrayRef, StoreError> {
                match column.semantic {
                    Semantic::Timestamp => Ok(cast(&times, &column.data_type)?),
                    _ => Ok(new_null_array(&column.data_type, rows)),
                }
            };
            chunks.push(Chunk { columns: schema.columns.iter().map(column).collect::<Result<_, _>>()?, rows });
            start = end;
        }
        Ok(chunks)
    }

    /// The times alone.
    #[cfg(test)]
    pub(super) fn times(&self, schema: &TableSchema) -> Vec<i64> {
        use arrow::array::AsArray;
        let all = self.chunks(schema).unwrap();
        let times = |chunk: &Chunk| {
            let times = cast(&chunk.columns[0], &arrow::datatypes::DataType::Int64).unwrap();
            times.as_primitive::<arrow::datatypes::Int64Type>().values().to_vec()
        };
        all.iter().flat_map(times).collect()
    }
}

#[cfg(test)]
mod tests {
    use arrow::datatypes::{DataType, TimeUnit};

    use super::*;
    use crate::store::{ColumnDef, TableOptions};

    #[test]
    fn rows_are_spread_from_the_first_time_to_the_last() {
        let time = DataType::Timestamp(TimeUnit::Millisecond, None);
        let columns = vec![ColumnDef::new("ts", time, Semantic::Timestamp)];
        let schema = TableSchema { columns, options: TableOptions::default() };
        let times = |rows, first, last| Span { rows, first, last }.times(&schema);
        assert_eq!(times(3, 10, 20), [10, 15, 20]);
        assert_eq!(times(1, 7, 7), [7]);
        assert_eq!(times(0, 7, 7), [] as [i64; 0]);
        let many = times(200_000, i64::MIN, i64::MAX);
        assert_eq!((many.len(), many[0], many[199_999]), (200_000, i64::MIN, i64::MAX));
    }
}
