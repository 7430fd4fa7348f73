//! The columns of one measurement.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema, TimeUnit};

use super::columns::{Conflict, Known, Refused, Values, type_of};
use super::parse::Line;
use crate::store::types::digits;
use crate::store::{ColumnDef, Rows, Semantic, StoreError};

/// A column that grows.
#[derive(Debug)]
struct Column {
    name: String,
    semantic: Semantic,
    values: Values,
}

/// Rows of one measurement.
#[derive(Debug)]
pub(super) struct TableBuilder {
    /// The measurement.
    pub(super) name: String,
    columns: Vec<Column>,
    by_name: HashMap<String, usize>,
    time: ColumnDef,
    times: Vec<i64>,
    /// Where the values of the line go that is being read.
    places: Vec<usize>,
}

impl TableBuilder {
    pub(super) fn new(name: String, known: &Known) -> Self {
        let mut time = ColumnDef::new(known.time, DataType::Timestamp(TimeUnit::Nanosecond, None), Semantic::Timestamp);
        let mut table = Self {
            name,
            columns: Vec::new(),
            by_name: HashMap::new(),
            time: time.clone(),
            times: Vec::new(),
            places: Vec::new(),
        };
        for column in known.schema.iter().flat_map(|schema| &schema.columns) {
            if column.semantic == Semantic::Timestamp {
                time = column.clone();
            } else if known.line_by_line {
                table.add(column.name.clone(), column.semantic, Values::of(&column.data_type));
            }
        }
        table.time = time;
        table
    }

    pub(super) fn rows(&self) -> usize {
        self.times.len()
    }

    fn add(&mut self, name: String, semantic: Semantic, values: Values) -> usize {
        self.by_name.insert(name.clone(), self.columns.len());
        self.columns.push(Column { name, semantic, values });
        self.columns.len() - 1
    }

    /// The column of a name. Lines of one measurement mostly have the same columns in the same order, so the one after the last is tried first.
    fn place(&self, name: &str, guess: usize) -> Option<usize> {
        match self.columns.get(guess) {
            Some(column) if column.name == name => Some(guess),
            _ => self.by_name.get(name).copied(),
        }
    }

    /// Adds a row: every value is checked before the first one is added.
    pub(super) fn push(&mut self, line: &Line<'_>, time: i64) -> Result<(), Refused> {
        let time = self.scaled(time).ok_or(Refused::Time)?;
        self.places.clear();
        let before = self.columns.len();
        if let Err(refused) = self.find_places(line) {
            // Columns that only this line would have had.
            for column in self.columns.drain(before..) {
                self.by_name.remove(&column.name);
            }
            return Err(refused);
        }
        let row = self.times.len();
        let mut places = self.places.iter();
        for ((_, text), place) in line.tags.iter().zip(&mut places) {
            self.columns[*place].values.push_text(row, text);
        }
        for ((_, value), place) in line.fields.iter().zip(places) {
            self.columns[*place].values.push(row, value);
        }
        self.times.push(time);
        Ok(())
    }

    fn find_places(&mut self, line: &Line<'_>) -> Result<(), Refused> {
        let mut guess = 0;
        for (name, _) in &line.tags {
            let place = match self.place(name, guess) {
                Some(place) => {
                    let column = &self.columns[place];
                    if column.semantic != Semantic::Tag || !matches!(column.values, Values::Texts(_)) {
                        return Err(self.conflict(place, (DataType::Utf8, Semantic::Tag)));
                    }
                    place
                }
                None if **name == *self.time.name => return Err(Refused::Name(name.clone().into_owned())),
                None => self.add(name.clone().into_owned(), Semantic::Tag, Values::of(&DataType::Utf8)),
            };
            self.places.push(place);
            guess = place + 1;
        }
        for (name, value) in &line.fields {
            let place = match self.place(name, guess) {
                Some(place) => {
                    let column = &self.columns[place];
                    if column.semantic != Semantic::Field || !column.values.takes(value) {
                        return Err(self.conflict(place, (type_of(value), Semantic::Field)));
                    }
                    place
                }
                None if **name == *self.time.name => return Err(Refused::Name(name.clone().into_owned())),
                None => self.add(name.clone().into_owned(), Semantic::Field, Values::of(&type_of(value))),
            };
            self.places.push(place);
            guess = place + 1;
        }
        Ok(())
    }

    fn conflict(&self, place: usize, given: (DataType, Semantic)) -> Refused {
        let column = &self.columns[place];
        Refused::Conflict(Conflict {
            measurement: self.name.clone(),
            column: column.name.clone(),
            expected: (column.values.data_type(), column.semantic),
            given,
        })
    }

    /// A time in the unit of the table's column; what is finer is cut off.
    fn scaled(&self, nanoseconds: i64) -> Option<i64> {
        match self.time.data_type {
            DataType::Timestamp(unit, _) => Some(nanoseconds.div_euclid(10_i64.pow(9 - digits(unit)))),
            _ => None,
        }
    }

    /// The rows.
    pub(super) fn finish(self) -> Result<Rows, StoreError> {
        let rows = self.times.len();
        let times = cast(&Int64Array::from(self.times), &self.time.data_type)?;
        let mut columns = Vec::with_capacity(self.columns.len() + 1);
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(self.columns.len() + 1);
        for column in self.columns.into_iter().filter(|column| !column.values.is_empty()) {
            columns.push(ColumnDef::new(column.name, column.values.data_type(), column.semantic));
            arrays.push(column.values.finish(rows));
        }
        columns.push(self.time);
        arrays.push(times);
        let field = |column: &ColumnDef| Field::new(&column.name, column.data_type.clone(), true);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let batch = RecordBatch::try_new(schema, arrays)?;
        Ok(Rows { table: self.name, columns, batch })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Batch, Lines};
    use super::*;
    use crate::store::{Merge, TableOptions, TableSchema};

    fn unknown(_: &str) -> Known {
        Known { schema: None, line_by_line: true, time: "time" }
    }

    fn read(body: &str, known: &dyn Fn(&str) -> Known) -> (Vec<Rows>, Vec<Refused>) {
        let (mut lines, mut line) = (Lines::new(body.as_bytes(), true), Line::default());
        let (mut batch, mut refused) = (Batch::default(), Vec::new());
        while let Some((_, read)) = lines.read(&mut line) {
            read.unwrap();
            refused.extend(batch.push(&line, line.time.unwrap_or(0), known).err());
        }
        (batch.finish().unwrap(), refused)
    }

    #[test]
    fn columns_come_in_the_order_of_their_appearance_and_missing_values_are_null() {
        let (rows, refused) = read("a,h=x v=1 1\nb v=1i 1\na,d=y w=t,v=2 2\na v=3 3", &unknown);
        assert_eq!(refused, []);
        let names = |rows: &Rows| rows.columns.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
        assert_eq!(
            (names(&rows[0]), names(&rows[1])),
            (["h", "v", "d", "w", "time"].map(str::to_owned).to_vec(), ["v", "time"].map(str::to_owned).to_vec())
        );
        let nulls: Vec<_> = rows[0].batch.columns().iter().map(|array| array.null_count()).collect();
        assert_eq!(nulls, [2, 0, 2, 2, 0]);
    }

    #[test]
    fn a_line_that_does_not_fit_leaves_nothing_behind() {
        let (rows, refused) = read("m v=1 1\nm new=1,v=2i 2\nm,v=x w=1 3\nm time=5 4\nm v=4 5", &unknown);
        assert_eq!(refused.len(), 3);
        assert!(
            matches!(&refused[0], Refused::Conflict(c) if c.column == "v" && c.expected.0 == DataType::Float64 && c.given.0 == DataType::Int64)
        );
        assert_eq!(refused[2], Refused::Name("time".into()));
        assert_eq!((rows[0].columns.len(), rows[0].batch.num_rows()), (2, 2));
    }

    #[test]
    fn times_are_those_of_the_tables_column() {
        let time = DataType::Timestamp(TimeUnit::Millisecond, None);
        let columns = vec![ColumnDef::new("ts", time.clone(), Semantic::Timestamp)];
        let options = TableOptions { merge: Merge::Append, ..TableOptions::default() };
        let schema = Arc::new(TableSchema { columns, options });
        let known = |_: &str| Known { schema: Some(Arc::clone(&schema)), line_by_line: false, time: "time" };
        let (rows, _) = read("m v=1 1999999\nm v=1 -1", &known);
        let expected = cast(&Int64Array::from(vec![1, -1]), &time).unwrap();
        assert_eq!((&rows[0].columns[1].name, rows[0].batch.column(1)), (&"ts".to_owned(), &expected));
    }
}
