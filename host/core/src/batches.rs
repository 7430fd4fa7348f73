//! Which rows go into which batch: arithmetic, so that nothing is lost, counted twice or kept in memory.

/// The rows of one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchRange {
    /// Number of the table, from 0.
    pub table: usize,
    /// First row, counted per table.
    pub first_row: u64,
    /// Number of rows; at least one.
    pub rows: u32,
}

/// Cuts a dataset into batches, the tables in turn. The last batch of a table may be smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchPlan {
    tables: u64,
    rows: u64,
    batch_rows: u64,
}

impl BatchPlan {
    /// `rows` in all, shared evenly by `tables` (at least one), the first ones getting one more where it does not divide.
    #[must_use]
    pub fn new(tables: usize, rows: u64, batch_rows: u32) -> Self {
        Self { tables: (tables as u64).max(1), rows, batch_rows: u64::from(batch_rows).max(1) }
    }

    /// Rows of table number `table`.
    #[must_use]
    pub fn table_rows(&self, table: usize) -> u64 {
        self.rows / self.tables + u64::from((table as u64) < self.rows % self.tables)
    }

    /// Rows in all.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Batches in all.
    #[must_use]
    pub fn len(&self) -> u64 {
        let long = self.rows % self.tables;
        let batches = |rows: u64| rows.div_ceil(self.batch_rows);
        long * batches(self.rows / self.tables + 1) + (self.tables - long) * batches(self.rows / self.tables)
    }

    /// Whether there is no batch at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Batch number `index`; none past the end.
    #[must_use]
    pub fn get(&self, index: u64) -> Option<BatchRange> {
        if index >= self.len() {
            return None;
        }
        // Tables differ by one row at most, so by one batch at most, and the longer ones come first: after the last round that all
        // tables take part in, the longer ones have one batch left each.
        let rounds = (self.rows / self.tables).div_ceil(self.batch_rows);
        let (round, table) = if index < rounds * self.tables {
            (index / self.tables, index % self.tables)
        } else {
            (rounds, index - rounds * self.tables)
        };
        let table = table as usize;
        let first_row = round * self.batch_rows;
        let rows = self.batch_rows.min(self.table_rows(table) - first_row);
        Some(BatchRange { table, first_row, rows: rows as u32 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_every_table_is_in_exactly_one_batch() {
        for tables in 1..5_usize {
            for rows in 1..60_u64 {
                for batch_rows in [1, 2, 7, 10, 100] {
                    let plan = BatchPlan::new(tables, rows, batch_rows);
                    let mut seen = vec![0_u64; tables];
                    let mut total = 0;
                    for index in 0..plan.len() {
                        let batch = plan.get(index).unwrap();
                        assert_eq!(batch.first_row, seen[batch.table], "{tables} {rows} {batch_rows}");
                        assert!(batch.rows >= 1 && batch.rows <= batch_rows);
                        seen[batch.table] += u64::from(batch.rows);
                        total += u64::from(batch.rows);
                    }
                    assert_eq!(total, rows);
                    assert!((0..tables).all(|t| seen[t] == plan.table_rows(t)));
                    assert_eq!(plan.get(plan.len()), None);
                }
            }
        }
    }
}
