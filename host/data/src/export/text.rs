//! CSV and JSON lines.

use crate::batch::Batch;
use crate::table::Table;

use super::cell::Cell;

/// One of the text formats, with what of it is the same in every row.
pub(super) enum Text {
    Csv,
    /// The columns' names as JSON strings, each with its colon.
    JsonLines(Vec<Vec<u8>>),
}

impl Text {
    pub(super) fn csv() -> Self {
        Self::Csv
    }

    pub(super) fn json_lines(table: &Table) -> Self {
        let name = |name: &str| {
            let mut json = Vec::new();
            push_json(&mut json, name);
            json.push(b':');
            json
        };
        Self::JsonLines(table.columns().iter().map(|column| name(&column.name)).collect())
    }

    /// Appends the line of column names, if the format has one.
    pub(super) fn header(&self, table: &Table, out: &mut Vec<u8>) {
        if let Self::Csv = self {
            for (index, column) in table.columns().iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                push_csv(out, &column.name);
            }
            out.extend_from_slice(b"\r\n");
        }
    }

    /// Appends the rows of a batch.
    pub(super) fn rows(&self, batch: &Batch, out: &mut Vec<u8>) {
        for row in 0..batch.rows() as usize {
            let cells = batch.columns().iter().map(|column| Cell::of(column, row));
            match self {
                Self::Csv => {
                    for (index, cell) in cells.enumerate() {
                        if index > 0 {
                            out.push(b',');
                        }
                        csv_cell(out, cell);
                    }
                    out.extend_from_slice(b"\r\n");
                }
                Self::JsonLines(names) => {
                    for (index, (name, cell)) in names.iter().zip(cells).enumerate() {
                        out.push(if index == 0 { b'{' } else { b',' });
                        out.extend_from_slice(name);
                        json_cell(out, cell);
                    }
                    out.extend_from_slice(b"}\n");
                }
            }
        }
    }
}

fn csv_cell(out: &mut Vec<u8>, cell: Cell<'_>) {
    match cell {
        Cell::Null => {}
        Cell::Float32(value) => out.extend_from_slice(zmij::Buffer::new().format(value).as_bytes()),
        Cell::Float64(value) => out.extend_from_slice(zmij::Buffer::new().format(value).as_bytes()),
        Cell::Text(text) => push_csv(out, text),
        cell => plain_cell(out, cell),
    }
}

fn json_cell(out: &mut Vec<u8>, cell: Cell<'_>) {
    match cell {
        Cell::Float32(value) if value.is_finite() => {
            out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
        }
        Cell::Float64(value) if value.is_finite() => {
            out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
        }
        Cell::Null | Cell::Float32(_) | Cell::Float64(_) => out.extend_from_slice(b"null"),
        Cell::Text(text) => push_json(out, text),
        cell => plain_cell(out, cell),
    }
}

/// What both formats write alike.
fn plain_cell(out: &mut Vec<u8>, cell: Cell<'_>) {
    match cell {
        Cell::Boolean(true) => out.extend_from_slice(b"true"),
        Cell::Boolean(false) => out.extend_from_slice(b"false"),
        Cell::Signed(value) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
        Cell::Unsigned(value) => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
        Cell::Null | Cell::Float32(_) | Cell::Float64(_) | Cell::Text(_) => {}
    }
}

/// A field, in quotes where it needs them. An empty text needs them too: nothing at all is NULL.
fn push_csv(out: &mut Vec<u8>, text: &str) {
    let special = |byte: u8| matches!(byte, b',' | b'"' | b'\r' | b'\n');
    if !text.is_empty() && !text.bytes().any(special) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

fn push_json(out: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 => {
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            }
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}
