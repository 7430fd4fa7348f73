//! Batches as a file.
//!
//! - `line-protocol`: as [`LineProtocol`] writes it, times in the unit of the table's timestamp column.
//! - `csv`: RFC 4180 with a header and lines that end in CRLF. NULL is nothing between two commas, an empty text is `""`.
//!   Times and dates are whole numbers since the Unix epoch in the unit of the column's type; floats are in the shortest
//!   form that reads back equal, and `NaN`, `inf` or `-inf`.
//! - `jsonl`: one JSON object a row, with every column in the table's order, and `null` for NULL. Numbers and times are as in
//!   CSV, 64 bits included, except that NaN and infinity are `null`; a JSON column is a string that holds the document.
//! - `arrow`: an Arrow IPC stream. Tags are dictionaries, times are in UTC.
//! - `parquet`: the same columns in Parquet, compressed with Zstandard.

mod cell;
mod columnar;
mod text;

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;
use std::sync::Arc;

use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;

use crate::batch::Batch;
use crate::error::EncodeError;
use crate::lp::LineProtocol;
use crate::table::Table;

/// A format that batches can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileFormat {
    /// InfluxDB line protocol.
    LineProtocol,
    /// Comma-separated values.
    Csv,
    /// One JSON object a line.
    JsonLines,
    /// An Arrow IPC stream.
    ArrowStream,
    /// Parquet.
    Parquet,
}

impl FileFormat {
    /// Every format, in the order in which they are listed to users.
    pub const ALL: [Self; 5] = [Self::LineProtocol, Self::Csv, Self::JsonLines, Self::ArrowStream, Self::Parquet];

    /// The name that users write.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LineProtocol => "line-protocol",
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
            Self::ArrowStream => "arrow",
            Self::Parquet => "parquet",
        }
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for FileFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let format = Self::ALL.into_iter().find(|format| format.as_str() == name);
        format.ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

/// A name that is no file format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no file format `{name}`: choose line-protocol, csv, jsonl, arrow or parquet")]
pub struct UnknownFormat {
    /// The name.
    pub name: String,
}

/// Writes the batches of one table to a file. Call [`Exporter::finish`] at the end: a file without it may be incomplete.
pub struct Exporter<W: Write + Send> {
    table: Arc<Table>,
    writer: Writer<W>,
}

enum Writer<W: Write + Send> {
    LineProtocol(LineProtocol, W),
    Text(text::Text, Vec<u8>, W),
    Arrow(Box<StreamWriter<W>>),
    Parquet(Box<ArrowWriter<W>>),
}

impl<W: Write + Send> Exporter<W> {
    /// Starts a file: writes the header, if the format has one.
    pub fn new(format: FileFormat, table: Arc<Table>, mut file: W) -> Result<Self, ExportError> {
        let writer = match format {
            FileFormat::LineProtocol => Writer::LineProtocol(LineProtocol::new(table.timestamp().1), file),
            FileFormat::Csv => {
                let csv = text::Text::csv();
                let mut buffer = Vec::new();
                csv.header(&table, &mut buffer);
                file.write_all(&buffer)?;
                Writer::Text(csv, buffer, file)
            }
            FileFormat::JsonLines => Writer::Text(text::Text::json_lines(&table), Vec::new(), file),
            FileFormat::ArrowStream => Writer::Arrow(Box::new(columnar::stream(&table, file)?)),
            FileFormat::Parquet => Writer::Parquet(Box::new(columnar::parquet(&table, file)?)),
        };
        Ok(Self { table, writer })
    }

    /// Appends the rows of a batch of the same table.
    pub fn write(&mut self, batch: &Batch) -> Result<(), ExportError> {
        if batch.table() != &self.table {
            let (expected, got) = (self.table.name().to_owned(), batch.table().name().to_owned());
            return Err(ExportError::OtherTable { expected, got });
        }
        match &mut self.writer {
            Writer::LineProtocol(encoder, file) => file.write_all(encoder.encode(batch)?.bytes())?,
            Writer::Text(text, buffer, file) => {
                buffer.clear();
                text.rows(batch, buffer);
                file.write_all(buffer)?;
            }
            Writer::Arrow(writer) => writer.write(&columnar::records(batch)?)?,
            Writer::Parquet(writer) => writer.write(&columnar::records(batch)?)?,
        }
        Ok(())
    }

    /// Writes what is left, and gives the file back.
    pub fn finish(self) -> Result<W, ExportError> {
        let mut file = match self.writer {
            Writer::LineProtocol(_, file) | Writer::Text(_, _, file) => file,
            Writer::Arrow(mut writer) => {
                writer.finish()?;
                writer.into_inner()?
            }
            Writer::Parquet(mut writer) => {
                // What is written here fails as an I/O error; in `into_inner` it would be a text.
                writer.flush()?;
                writer.sync()?;
                writer.into_inner()?
            }
        };
        file.flush()?;
        Ok(file)
    }
}

impl<W: Write + Send> fmt::Debug for Exporter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter").field("table", &self.table.name()).finish_non_exhaustive()
    }
}

/// A batch that could not be written to a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The file takes no more: its disk is full, or the reader has gone.
    #[error("the file could not be written: {0}")]
    Io(#[from] io::Error),
    /// Line protocol cannot say the rows.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The batch belongs to another table.
    #[error("the file holds rows of table `{expected}`, the batch has rows of `{got}`: write one file for each table")]
    OtherTable {
        /// The file's table.
        expected: String,
        /// The batch's table.
        got: String,
    },
    /// Arrow failed.
    #[error("the Arrow stream could not be written: {0}")]
    Arrow(ArrowError),
    /// Parquet failed.
    #[error("the Parquet file could not be written: {0}")]
    Parquet(ParquetError),
}

impl From<ArrowError> for ExportError {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, error) => Self::Io(error),
            error => Self::Arrow(error),
        }
    }
}

impl From<ParquetError> for ExportError {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(error) => match error.downcast::<io::Error>() {
                Ok(error) => Self::Io(*error),
                Err(error) => Self::Parquet(ParquetError::External(error)),
            },
            error => Self::Parquet(error),
        }
    }
}
