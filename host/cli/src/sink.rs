//! Batches into bytes of a file format, and how many bytes there were.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use benchhost_data::{Batch, ExportError, Exporter, FileFormat, LineProtocol, Table, TimeUnit};

use crate::args::PrecisionChoice;
use crate::failure::{Classify, Failure};
use crate::output_file::OutputFile;

/// Larger than any write of an exporter that matters, small beside a batch.
const BUFFER: usize = 256 << 10;

/// A writer that counts.
struct Counted {
    inner: BufWriter<OutputFile>,
    bytes: u64,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Writes batches of one table.
pub(crate) struct Sink {
    form: Form,
}

enum Form {
    /// Line protocol in a unit of the user's choice.
    Lines { encoder: LineProtocol, out: Counted },
    /// Anything else.
    File(Exporter<Counted>),
}

impl Sink {
    /// A sink for the rows of `table`.
    ///
    /// # Errors
    ///
    /// When the format has no place for one of the table's columns.
    pub(crate) fn new(
        format: FileFormat,
        precision: Option<PrecisionChoice>,
        table: Arc<Table>,
        output: OutputFile,
    ) -> Result<Self, Failure> {
        let out = Counted { inner: BufWriter::with_capacity(BUFFER, output), bytes: 0 };
        let form = match (format, precision) {
            (FileFormat::LineProtocol, Some(precision)) => {
                Form::Lines { encoder: LineProtocol::new(unit(precision)), out }
            }
            (format, _) => Form::File(Exporter::new(format, table, out).map_err(classify)?),
        };
        Ok(Self { form })
    }

    /// Writes one batch after those before.
    pub(crate) fn write(&mut self, batch: &Batch) -> Result<(), Failure> {
        match &mut self.form {
            Form::Lines { encoder, out } => {
                let payload = encoder.encode(batch).or_usage()?;
                out.write_all(payload.bytes()).or_internal().map_err(|failure| failure.context("cannot write the rows"))
            }
            Form::File(exporter) => exporter.write(batch).map_err(classify),
        }
    }

    /// Ends the file and gives it its name. Gives its size in bytes.
    pub(crate) fn finish(self) -> Result<u64, Failure> {
        let mut out = match self.form {
            Form::Lines { out, .. } => out,
            Form::File(exporter) => exporter.finish().map_err(classify)?,
        };
        out.flush().or_internal()?;
        let bytes = out.bytes;
        let file = out.inner.into_inner().map_err(io::IntoInnerError::into_error).or_internal()?;
        file.finish().or_internal()?;
        Ok(bytes)
    }
}

/// Rows that a format cannot say are the user's choice of format; a full disk is nobody's.
fn classify(error: ExportError) -> Failure {
    match error {
        ExportError::Encode(_) => Failure::usage(error).with_hint("choose another format by --as"),
        _ => Failure::internal(error),
    }
}

fn unit(precision: PrecisionChoice) -> TimeUnit {
    match precision {
        PrecisionChoice::S => TimeUnit::Second,
        PrecisionChoice::Ms => TimeUnit::Millisecond,
        PrecisionChoice::Us => TimeUnit::Microsecond,
        PrecisionChoice::Ns => TimeUnit::Nanosecond,
    }
}
