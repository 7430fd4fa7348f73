//! A column as an attribute or as the body of a record: both are an `AnyValue`.

use benchhost_plugin::proto::rows::{Cells, Frame};
use benchhost_plugin::proto::{Message, Wire, tag};
use benchhost_plugin::{Batch, Column, DataType, Error, Result, Semantic};

/// `LogRecord.body` and `LogRecord.attributes`.
const BODY: u32 = 5;
const ATTRIBUTES: u32 = 6;

/// How the values of one column are written.
#[derive(Debug)]
pub(crate) struct AnyValue {
    name: String,
    data_type: DataType,
    is_body: bool,
    is_tag: bool,
    nullable: bool,
    frame: Frame,
    /// Distinct values of the last batch. Where they outnumber the rows of a batch, fetching them all costs more than fetching the rows' own.
    distinct: usize,
}

impl AnyValue {
    pub(crate) fn new(column: &Column, is_body: bool) -> Result<Self> {
        // Fields of `AnyValue`.
        let leaf = match column.data_type {
            DataType::Utf8 | DataType::Json => tag(1, Wire::Length),
            DataType::Boolean => tag(2, Wire::Varint),
            DataType::Float32 | DataType::Float64 => tag(4, Wire::Fixed64),
            DataType::Decimal128 | DataType::Binary => {
                let (name, kind) = (&column.name, column.data_type);
                return Err(Error::unsupported(format!("column `{name}` is {kind:?}, which this plugin cannot write")));
            }
            _ => tag(3, Wire::Varint),
        };
        let layers = if is_body {
            vec![tag(BODY, Wire::Length)]
        } else {
            // `KeyValue`: the key, then the value.
            let key = [Message::new().text(1, &column.name).into_bytes(), tag(2, Wire::Length)].concat();
            vec![tag(ATTRIBUTES, Wire::Length), key]
        };
        Ok(Self {
            name: column.name.clone(),
            data_type: column.data_type,
            is_body,
            is_tag: column.semantic == Semantic::Tag,
            nullable: column.nullable,
            frame: Frame { layers, leaf },
            distinct: 0,
        })
    }

    pub(crate) fn is_body(&self) -> bool {
        self.is_body
    }

    /// The values of column `at` of a batch. NULL is left out.
    pub(crate) fn cells(&mut self, batch: &Batch, at: u32) -> Result<Cells> {
        let cells = self.values(batch, at)?;
        Ok(if self.nullable { cells.with_nulls(&batch.nulls(at), batch.rows() as usize, b"") } else { cells })
    }

    fn values(&mut self, batch: &Batch, at: u32) -> Result<Cells> {
        let frame = &self.frame;
        Ok(match self.data_type {
            DataType::Boolean => Cells::booleans(frame, &batch.booleans(at)),
            DataType::Float32 | DataType::Float64 => {
                Cells::fixed64(frame, batch.float64s(at).into_iter().map(f64::to_bits).collect())
            }
            // Only tags have a dictionary for sure.
            DataType::Utf8 if self.is_tag && self.distinct <= batch.rows() as usize => {
                let dictionary = batch.dictionary(at);
                self.distinct = dictionary.len();
                Cells::keyed_texts(frame, &dictionary, batch.keys(at))
            }
            DataType::Utf8 | DataType::Json => Cells::texts(frame.clone(), batch.strings(at)),
            other if other.is_unsigned() => {
                let values = batch.uint64s(at);
                if let Some(large) = values.iter().find(|value| i64::try_from(**value).is_err()) {
                    let name = &self.name;
                    return Err(Error::invalid(format!(
                        "column `{name}` holds {large}, and integers of OTLP end at {}",
                        i64::MAX
                    )));
                }
                Cells::varints(frame.clone(), values)
            }
            _ => {
                let values = batch.int64s(at).into_iter().map(|value| value as u64);
                Cells::varints(frame.clone(), values.collect())
            }
        })
    }
}
