//! What an encoder keeps from batch to batch: the escaped names of each table, and the fragments of its dictionaries.
//!
//! Everything is bounded; what falls out is made again.

use std::sync::Arc;

use crate::batch::Batch;
use crate::column::Values;
use crate::dictionary::Dictionary;
use crate::error::{EncodeError, Place, Problem};
use crate::table::Table;
use crate::types::{DataType, Semantic};

use super::escape::{Position, push_text};
use super::fragments::{Fragments, Kind};
use super::put::Padded;

/// Tables that one encoder remembers.
const MAX_TABLES: usize = 64;

/// Dictionaries that are remembered for one column, and the bytes that they may take together.
const MAX_DICTIONARIES: usize = 8;
const MAX_FRAGMENT_BYTES: usize = 256 << 20;

/// Tables seen, the last one at the end.
#[derive(Debug, Default)]
pub(super) struct Known {
    tables: Vec<KnownTable>,
    /// Bytes a row of the last batch, rounded up.
    bytes_a_row: usize,
    /// Whether backslashes of tag values are doubled.
    doubled: bool,
}

#[derive(Debug)]
struct KnownTable {
    table: Arc<Table>,
    names: Arc<Names>,
    /// For each column the fragments of its last dictionaries, by id, the last one at the end.
    fragments: Vec<Vec<(u64, Arc<Fragments>)>>,
}

/// The escaped names of a table.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) measurement: Padded,
    /// `,name=` of each column; empty for the timestamp, whose name is not written.
    pub(super) columns: Vec<Padded>,
    raw: Vec<Vec<u8>>,
}

/// What is known about the columns of one batch.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) names: Arc<Names>,
    /// The fragments of those columns that have a dictionary.
    pub(super) fragments: Vec<Option<Arc<Fragments>>>,
}

impl Known {
    /// Names and fragments for `batch`, from memory or made now.
    pub(super) fn columns(&mut self, batch: &Batch) -> Result<Columns, EncodeError> {
        let doubled = self.doubled;
        let table = self.table(batch.table())?;
        let names = Arc::clone(&table.names);
        let mut fragments = Vec::with_capacity(batch.columns().len());
        for (index, stored) in batch.columns().iter().enumerate() {
            fragments.push(match &stored.values {
                Values::Keys(_, dictionary) => {
                    let kind = match table.table.columns()[index].semantic {
                        Semantic::Tag if doubled => Kind::DoubledTag,
                        Semantic::Tag => Kind::Tag,
                        Semantic::Field | Semantic::Timestamp => Kind::String,
                    };
                    Some(fragments_of(&mut table.fragments[index], dictionary, &names.raw[index], kind))
                }
                _ => None,
            });
        }
        Ok(Columns { names, fragments })
    }

    /// Doubles backslashes of tag values from now on. What was made for undoubled ones is forgotten.
    pub(super) fn double_backslashes(&mut self) {
        self.doubled = true;
        self.tables.clear();
    }

    /// How long the batch will probably be, with something to spare.
    pub(super) fn guess(&self, batch: &Batch) -> usize {
        let exact = self.bytes_a_row.saturating_mul(batch.rows() as usize);
        exact + exact / 16
    }

    pub(super) fn remember_size(&mut self, bytes: usize, rows: usize) {
        if rows > 0 {
            self.bytes_a_row = bytes.div_ceil(rows);
        }
    }

    fn table(&mut self, table: &Arc<Table>) -> Result<&mut KnownTable, EncodeError> {
        let index = match self.tables.iter().position(|known| Arc::ptr_eq(&known.table, table) || known.table == *table)
        {
            Some(index) => index,
            None => {
                let known = KnownTable {
                    table: Arc::clone(table),
                    names: Arc::new(Names::new(table)?),
                    fragments: vec![Vec::new(); table.columns().len()],
                };
                if self.tables.len() == MAX_TABLES {
                    self.tables.remove(0);
                }
                self.tables.push(known);
                self.tables.len() - 1
            }
        };
        Ok(&mut self.tables[index])
    }
}

fn fragments_of(
    known: &mut Vec<(u64, Arc<Fragments>)>,
    dictionary: &Dictionary,
    name: &[u8],
    kind: Kind,
) -> Arc<Fragments> {
    let id = dictionary.id();
    if let Some((_, fragments)) = known.iter().rev().find(|(known, _)| *known == id) {
        return Arc::clone(fragments);
    }
    let fragments = Fragments::of(dictionary, name, kind);
    // A dictionary of one batch alone will not be met again.
    if dictionary.is_shared() {
        known.push((id, Arc::clone(&fragments)));
        let mut bytes: usize = known.iter().map(|(_, fragments)| fragments.memory_bytes()).sum();
        while known.len() > 1 && (known.len() > MAX_DICTIONARIES || bytes > MAX_FRAGMENT_BYTES) {
            bytes -= known.remove(0).1.memory_bytes();
        }
    }
    fragments
}

impl Names {
    fn new(table: &Table) -> Result<Self, EncodeError> {
        let invalid = |column: Option<&str>, problem: Problem| EncodeError::Invalid {
            place: Place { table: table.name().to_owned(), column: column.map(str::to_owned), row: None },
            problem,
        };
        let mut measurement = Vec::new();
        push_text(&mut measurement, table.name(), Position::Measurement).map_err(|problem| invalid(None, problem))?;
        let mut raw = Vec::with_capacity(table.columns().len());
        for column in table.columns() {
            let position = match column.semantic {
                Semantic::Timestamp => {
                    raw.push(Vec::new());
                    continue;
                }
                Semantic::Tag => Position::TagKey,
                Semantic::Field => Position::FieldKey,
            };
            if !has_equivalent(column.data_type) {
                return Err(EncodeError::Unsupported {
                    table: table.name().to_owned(),
                    column: column.name.clone(),
                    data_type: column.data_type,
                    format: "line protocol",
                });
            }
            let mut name = vec![b','];
            push_text(&mut name, &column.name, position).map_err(|problem| invalid(Some(&column.name), problem))?;
            name.push(b'=');
            raw.push(name);
        }
        let columns = raw.iter().map(|name| Padded::new(name)).collect();
        Ok(Self { measurement: Padded::new(&measurement), columns, raw })
    }
}

fn has_equivalent(data_type: DataType) -> bool {
    match data_type {
        DataType::Boolean
        | DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64
        | DataType::Float32
        | DataType::Float64
        | DataType::Utf8
        | DataType::Json => true,
        DataType::Decimal128 | DataType::Binary | DataType::Date32 | DataType::Timestamp(_) => false,
    }
}
