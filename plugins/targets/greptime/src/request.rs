//! `GreptimeRequest`: rows as unary calls and streams carry them. Written straight from columns: what a table's requests share is put
//! together once, tags once for each distinct value, and the rest row by row into memory that was measured before.

mod cells;

use benchhost_plugin::proto::{Message, rows::Rows};
use benchhost_plugin::{Batch, Error, Payload, Result, Semantic, Table};
use cells::ColumnCells;

use crate::LARGEST_MESSAGE;
use crate::settings::Settings;

/// `Rows.rows`, as a tag.
const ROW: [u8; 1] = [0x12];
/// Seconds since the Unix epoch of 1900-01-01, which no dataset reaches.
const PROBE_S: i64 = -2_208_988_800;

/// Writes requests of one database and user.
#[derive(Debug)]
pub(crate) struct Requests {
    /// `GreptimeRequest.header`, as a field.
    header: Vec<u8>,
    table: Option<TableParts>,
}

/// What the requests of a table share.
#[derive(Debug)]
struct TableParts {
    table: Table,
    /// `RowInsertRequest.table_name`, as a field.
    name: Vec<u8>,
    /// `Rows.schema`, as fields.
    schema: Vec<u8>,
    columns: Vec<ColumnCells>,
}

impl Requests {
    pub(crate) fn new(settings: &Settings) -> Self {
        let mut header = Message::new();
        if let Some(user) = &settings.user {
            let password = settings.password.as_ref().map_or("", |password| password.expose());
            let basic = Message::new().text(1, user).text(2, password);
            header = header.message(3, &Message::new().message(1, &basic));
        }
        let header = header.text(4, &settings.database);
        Self { header: Message::new().message(1, &header).into_bytes(), table: None }
    }

    /// The batch as one request.
    pub(crate) fn encode(&mut self, batch: &Batch) -> Result<Payload> {
        let table = batch.table();
        let parts = match &mut self.table {
            Some(parts) if parts.table == table => parts,
            slot => slot.insert(TableParts::new(table)?),
        };
        let cells: Vec<_> = (0..).zip(&mut parts.columns).map(|(at, column)| column.cells(batch, at)).collect();
        let rows = Rows::new(&ROW, &cells, batch.rows() as usize);
        let bytes = whole(&self.header, &parts.name, &parts.schema, &rows)?;
        Ok(Payload::from_bytes(&bytes, batch.rows()))
    }

    /// A request of one row that has nothing but a time that no dataset reaches: it makes the table.
    pub(crate) fn probe(&self, table: &Table) -> Result<Payload> {
        let parts = TableParts::new(table.clone())?;
        let cells: Vec<_> = table
            .columns
            .iter()
            .zip(&parts.columns)
            .map(|(column, cells)| match column.semantic {
                Semantic::Timestamp => cells.one_time(PROBE_S),
                _ => cells.one_null(),
            })
            .collect();
        let rows = Rows::new(&ROW, &cells, 1);
        let bytes = whole(&self.header, &parts.name, &parts.schema, &rows)?;
        Ok(Payload::from_bytes(&bytes, 1))
    }
}

impl TableParts {
    fn new(table: Table) -> Result<Self> {
        let mut schema = Message::new();
        let mut columns = Vec::new();
        for column in &table.columns {
            let cells = ColumnCells::new(column)?;
            let semantic = match column.semantic {
                Semantic::Tag => 0,
                Semantic::Field => 1,
                Semantic::Timestamp => 2,
            };
            let described =
                Message::new().text(1, &column.name).varint(2, cells.data_type().into()).varint(3, semantic);
            schema = schema.message(1, &described);
            columns.push(cells);
        }
        let name = Message::new().text(1, &table.name).into_bytes();
        Ok(Self { name, schema: schema.into_bytes(), columns, table })
    }
}

/// The request around the rows; its lengths are known from the inside out.
fn whole(header: &[u8], name: &[u8], schema: &[u8], rows: &Rows<'_>) -> Result<Vec<u8>> {
    let size = rows.size() + (header.len() + name.len() + schema.len()) as u64;
    if size >= LARGEST_MESSAGE {
        return Err(too_large(size));
    }
    let rows_size = schema.len() + rows.size() as usize;
    let rows_head = Message::new().head(2, rows_size).into_bytes();
    let insert_size = name.len() + rows_head.len() + rows_size;
    let insert_head = Message::new().head(1, insert_size).into_bytes();
    let inserts_head = Message::new().head(6, insert_head.len() + insert_size).into_bytes();
    rows.behind(&[header, &inserts_head, &insert_head, name, &rows_head, schema].concat())
}

/// The error of a batch that the server would refuse for its size.
pub(crate) fn too_large(bytes: u64) -> Error {
    Error::invalid(format!(
        "the batch is a message of {bytes} bytes, and GreptimeDB takes at most {LARGEST_MESSAGE}: set a smaller --batch-rows"
    ))
}
