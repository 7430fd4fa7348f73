//! `ExportLogsServiceRequest`: every row of a batch is a `LogRecord`, written straight from columns.

mod cells;
mod severity;

use benchhost_plugin::proto::rows::{Cells, Frame, Rows};
use benchhost_plugin::proto::{Message, Wire, tag};
use benchhost_plugin::{Batch, DataType, Error, Payload, Result, Semantic, Table};
use cells::AnyValue;

use crate::settings::{Dialect, Settings};

/// `ScopeLogs.log_records`, as a tag.
const RECORD: [u8; 1] = [0x12];
/// The body of records without a body column.
const BODY: &str = "benchmark";

/// Writes requests.
#[derive(Debug)]
pub(crate) struct Records {
    body_column: Option<String>,
    severity_column: Option<String>,
    /// Whether the table's name goes along as the resource's `service.name`. GreptimeDB has a header for it, and would make a column of it.
    names_service: bool,
    table: Option<TableParts>,
}

/// What the requests of a table share.
#[derive(Debug)]
struct TableParts {
    table: Table,
    /// `ResourceLogs.resource`, as a field.
    resource: Vec<u8>,
    columns: Vec<Part>,
}

/// What a column is in a record.
#[derive(Debug)]
enum Part {
    Time { unit_ns: i64 },
    Severity,
    Value(AnyValue),
}

impl Records {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            body_column: settings.body_column.clone(),
            severity_column: settings.severity_column.clone(),
            names_service: settings.dialect != Dialect::Greptime,
            table: None,
        }
    }

    /// The batch as one request, not compressed.
    pub(crate) fn encode(&mut self, batch: &Batch) -> Result<Payload> {
        let table = batch.table();
        if self.table.as_ref().is_none_or(|parts| parts.table != table) {
            self.table = Some(self.parts(table)?);
        }
        let Some(parts) = &mut self.table else { return Err(Error::internal("no table was kept")) };
        let rows = batch.rows() as usize;
        // In the order of the fields of a record.
        let (mut times, mut severity, mut body, mut attributes) = (Vec::new(), None, None, Vec::new());
        for (at, part) in (0..).zip(&mut parts.columns) {
            match part {
                Part::Time { unit_ns } => times = nanoseconds(&batch.timestamps(), *unit_ns)?,
                Part::Severity => severity = Some(severity::cells(batch, at)),
                Part::Value(value) if value.is_body() => body = Some(value.cells(batch, at)?),
                Part::Value(value) => attributes.push(value.cells(batch, at)?),
            }
        }
        let fixed = |field| Frame { layers: Vec::new(), leaf: tag(field, Wire::Fixed64) };
        let always = |bytes: Vec<u8>| Cells::ready(&[bytes], vec![0; rows]);
        let mut cells = vec![Cells::fixed64(&fixed(1), times.clone()), Cells::fixed64(&fixed(11), times)];
        cells.push(severity.unwrap_or_else(|| always(severity::field(severity::INFO))));
        cells.push(
            body.unwrap_or_else(|| always(Message::new().message(5, &Message::new().text(1, BODY)).into_bytes())),
        );
        cells.append(&mut attributes);
        let bytes = whole(&parts.resource, &Rows::new(&RECORD, &cells, rows))?;
        Ok(Payload::from_bytes(&bytes, batch.rows()))
    }

    fn parts(&self, table: Table) -> Result<TableParts> {
        for (setting, name) in [("body_column", &self.body_column), ("severity_column", &self.severity_column)] {
            let Some(name) = name else { continue };
            let column = table.columns.iter().find(|column| column.name == *name);
            match column {
                None => {
                    let table = &table.name;
                    return Err(Error::invalid(format!("setting `{setting}`: table `{table}` has no column `{name}`")));
                }
                Some(column) if column.semantic == Semantic::Timestamp => {
                    return Err(Error::invalid(format!(
                        "setting `{setting}`: column `{name}` is the time of the record"
                    )));
                }
                Some(column) if setting == "severity_column" && column.data_type != DataType::Utf8 => {
                    return Err(Error::invalid(format!("setting `{setting}`: column `{name}` is no text")));
                }
                Some(_) => {}
            }
        }
        let mut columns = Vec::new();
        for column in &table.columns {
            let is = |named: &Option<String>| named.as_deref() == Some(&column.name);
            columns.push(match column.semantic {
                Semantic::Timestamp => Part::Time { unit_ns: unit_ns(column.data_type) },
                _ if is(&self.severity_column) => Part::Severity,
                _ => Part::Value(AnyValue::new(column, is(&self.body_column))?),
            });
        }
        let mut resource = Message::new();
        if self.names_service {
            let name = Message::new().text(1, "service.name").message(2, &Message::new().text(1, &table.name));
            resource = resource.message(1, &name);
        }
        Ok(TableParts { resource: Message::new().message(1, &resource).into_bytes(), columns, table })
    }
}

/// The request around the records; its lengths are known from the inside out.
fn whole(resource: &[u8], rows: &Rows<'_>) -> Result<Vec<u8>> {
    let size = usize::try_from(rows.size()).unwrap_or(usize::MAX);
    let scope_head = Message::new().head(2, size).into_bytes();
    let resource_size = (resource.len() + scope_head.len()).saturating_add(size);
    let resource_head = Message::new().head(1, resource_size).into_bytes();
    rows.behind(&[&resource_head, resource, &scope_head].concat())
}

/// Times as OTLP has them.
fn nanoseconds(times: &[i64], unit_ns: i64) -> Result<Vec<u64>> {
    let ns = |time: &i64| u64::try_from(*time).ok()?.checked_mul(unit_ns as u64);
    times
        .iter()
        .map(|time| {
            ns(time).ok_or_else(|| {
                Error::invalid(format!("OTLP has no words for the time {time}, in units of {unit_ns} ns"))
            })
        })
        .collect()
}

fn unit_ns(data_type: DataType) -> i64 {
    match data_type {
        DataType::TimestampSecond => 1_000_000_000,
        DataType::TimestampMillisecond => 1_000_000,
        DataType::TimestampMicrosecond => 1000,
        _ => 1,
    }
}
