//! Tables with rows, as plain values that a test can look at, and ways to make nasty ones.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "shared by several test programs")]

pub mod flight;
pub mod line;
pub mod said;
pub mod strategy;

use std::sync::Arc;

use benchhost_data::{Batch, BatchBuilder, Column, DataType, Dictionary, Interner, Semantic, Table, TimeUnit};

/// One value, as wide as the contract hands it over.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Boolean(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Text(String),
}

/// A column with its values; `None` is NULL.
#[derive(Debug, Clone)]
pub struct Filled {
    pub column: Column,
    pub values: Vec<Option<Value>>,
    /// Text is appended as keys, else as strings.
    pub by_keys: bool,
}

/// A table with its rows. The timestamp column comes last.
#[derive(Debug, Clone)]
pub struct Model {
    pub name: String,
    pub columns: Vec<Filled>,
    pub unit: TimeUnit,
    pub times: Vec<i64>,
}

pub fn column(name: &str, semantic: Semantic, data_type: DataType, nullable: bool) -> Column {
    Column { name: name.into(), semantic, data_type, nullable }
}

impl Model {
    pub fn table(&self) -> Arc<Table> {
        let mut columns: Vec<Column> = self.columns.iter().map(|filled| filled.column.clone()).collect();
        columns.push(column("the time", Semantic::Timestamp, DataType::Timestamp(self.unit), false));
        Arc::new(Table::new(self.name.clone(), columns).unwrap())
    }

    /// The rows from `start`, `rows` of them, as one batch whose columns are appended in parts of `part` rows.
    pub fn batch(&self, interner: &Interner, start: usize, rows: usize, part: usize) -> Batch {
        let mut builder = BatchBuilder::new(self.table(), start as u64, rows as u32);
        for (index, filled) in self.columns.iter().enumerate() {
            let values = &filled.values[start..start + rows];
            let nulls: Vec<u32> = (0..rows as u32).filter(|row| values[*row as usize].is_none()).collect();
            // Before the values here, after them for the times: the order is free.
            if !nulls.is_empty() {
                builder.mark_nulls(index, nulls).unwrap();
            }
            let dictionary = filled.dictionary(interner);
            for values in values.chunks(part.max(1)) {
                append(&mut builder, index, filled, values, &dictionary);
            }
        }
        for times in self.times[start..start + rows].chunks(part.max(1)) {
            builder.append_timestamps(times.to_vec()).unwrap();
        }
        builder.finish().unwrap()
    }

    pub fn whole(&self, interner: &Interner) -> Batch {
        self.batch(interner, 0, self.times.len(), usize::MAX)
    }
}

impl Filled {
    fn texts(&self) -> impl Iterator<Item = &str> {
        self.values.iter().filter_map(|value| match value {
            Some(Value::Text(text)) => Some(text.as_str()),
            _ => None,
        })
    }

    /// The distinct texts of the whole column, whichever rows a batch takes.
    fn dictionary(&self, interner: &Interner) -> Dictionary {
        let distinct: std::collections::BTreeSet<&str> = self.texts().collect();
        interner.intern(distinct).unwrap()
    }
}

fn append(builder: &mut BatchBuilder, index: usize, filled: &Filled, values: &[Option<Value>], keys: &Dictionary) {
    // What is appended at NULL rows must not matter, so it is something that would be refused or seen.
    match filled.column.data_type {
        DataType::Boolean => {
            let of = |value: &Option<Value>| matches!(value, Some(Value::Boolean(true)) | None);
            builder.append_booleans(index, values.iter().map(of).collect()).unwrap();
        }
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::Date32
        | DataType::Timestamp(_) => {
            let of = |value: &Option<Value>| if let Some(Value::Signed(value)) = value { *value } else { i64::MIN };
            builder.append_int64s(index, values.iter().map(of).collect()).unwrap();
        }
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => {
            let of = |value: &Option<Value>| if let Some(Value::Unsigned(value)) = value { *value } else { u64::MAX };
            builder.append_uint64s(index, values.iter().map(of).collect()).unwrap();
        }
        DataType::Float32 | DataType::Float64 => {
            let of = |value: &Option<Value>| if let Some(Value::Float(value)) = value { *value } else { f64::NAN };
            builder.append_float64s(index, values.iter().map(of).collect()).unwrap();
        }
        DataType::Utf8 | DataType::Json if filled.by_keys => {
            let of = |value: &Option<Value>| match value {
                Some(Value::Text(text)) => keys.values().position(|value| value == text).unwrap() as u32,
                _ => u32::MAX,
            };
            builder.append_keys(index, keys, values.iter().map(of).collect()).unwrap();
        }
        DataType::Utf8 | DataType::Json => {
            let of = |value: &Option<Value>| match value {
                Some(Value::Text(text)) => text.clone(),
                _ => "not\nNULL\\".to_owned(),
            };
            builder.append_strings(index, values.iter().map(of).collect()).unwrap();
        }
        DataType::Decimal128 | DataType::Binary => {}
    }
}
