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
    /// The first row of each table.
    first_row: u64,
    tables: u64,
    rows: u64,
    batch_rows: u64,
}

impl BatchPlan {
    /// `rows` in all, shared evenly by `tables` (at least one), the first ones getting one more where it does not divide.
    #[must_use]
    pub fn new(tables: usize, rows: u64, batch_rows: u32) -> Self {
        Self { first_row: 0, tables: (tables as u64).max(1), rows, batch_rows: u64::from(batch_rows).max(1) }
    }

    /// The same, with rows from `first_row` of each table on.
    #[must_use]
    pub fn starting_at(self, first_row: u64) -> Self {
        Self { first_row, ..self }
    }

    /// The first row that no table has given.
    #[must_use]
    pub fn end_row(&self) -> u64 {
        self.first_row.saturating_add(self.table_rows(0))
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
        let offset = round * self.batch_rows;
        let rows = self.batch_rows.min(self.table_rows(table) - offset);
        Some(BatchRange { table, first_row: self.first_row + offset, rows: rows as u32 })
    }
}

/// The batches of a run: those of each part, one part after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    parts: Vec<BatchPlan>,
}

impl Parts {
    /// Parts that follow each other in the dataset: rows and, at their end, a smaller batch each.
    #[must_use]
    pub fn new(tables: usize, rows: &[u64], batch_rows: u32) -> Self {
        let mut first_row = 0;
        let mut parts = Vec::new();
        for rows in rows {
            let part = BatchPlan::new(tables, *rows, batch_rows).starting_at(first_row);
            first_row = part.end_row();
            parts.push(part);
        }
        Self { parts }
    }

    /// Rows in all.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.parts.iter().fold(0, |rows, part| rows.saturating_add(part.rows()))
    }

    /// The parts, in order.
    #[must_use]
    pub fn parts(&self) -> &[BatchPlan] {
        &self.parts
    }

    /// Number of the first batch of part number `part`.
    #[must_use]
    pub fn first_batch(&self, part: usize) -> u64 {
        self.parts.iter().take(part).fold(0, |batches, part| batches.saturating_add(part.len()))
    }

    /// Rows of the table that has the most.
    #[must_use]
    pub fn rows_per_table(&self) -> u64 {
        self.parts.last().map_or(0, BatchPlan::end_row)
    }

    /// Batches in all.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.parts.iter().fold(0, |batches, part| batches.saturating_add(part.len()))
    }

    /// Whether there is no batch at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Batch number `index`; none past the end.
    #[must_use]
    pub fn get(&self, index: u64) -> Option<BatchRange> {
        let mut index = index;
        for part in &self.parts {
            if index < part.len() {
                return part.get(index);
            }
            index -= part.len();
        }
        None
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

    #[test]
    fn parts_follow_each_other_without_a_row_in_two_of_them() {
        let parts = Parts::new(1, &[25, 10, 7], 10);
        let ranges: Vec<_> = (0..parts.len()).map(|i| parts.get(i).unwrap()).map(|r| (r.first_row, r.rows)).collect();
        assert_eq!(ranges, [(0, 10), (10, 10), (20, 5), (25, 10), (35, 7)]);
        assert_eq!((parts.rows(), parts.rows_per_table(), parts.get(5)), (42, 42, None));
        assert_eq!([0, 1, 2].map(|part| parts.first_batch(part)), [0, 3, 4]);
    }
}
