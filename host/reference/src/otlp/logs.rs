//! Log records as rows: in GreptimeDB's own table for them, or with a column for each attribute.

use super::frame::{Cell, Frame};
use super::value::{hex, object_text, text};
use crate::messages::opentelemetry::proto::collector::logs::v1::ExportLogsServiceRequest;
use crate::messages::opentelemetry::proto::common::v1::any_value::Value;
use crate::messages::opentelemetry::proto::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use crate::messages::opentelemetry::proto::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use crate::store::{Rows, Semantic, StoreError};

use Semantic::{Field, Tag, Timestamp};

/// How records become rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Layout {
    /// GreptimeDB's table for logs: the record's time is the time index, attributes are JSON. The attributes of these names are tags as well.
    Table {
        /// The attributes' names.
        extract: Vec<String>,
    },
    /// The pipeline `greptime_identity`: a column for each attribute; the time index is when the record came.
    Identity,
}

/// A record with what it belongs to.
struct Entry<'a> {
    resource: &'a ResourceLogs,
    scope: &'a ScopeLogs,
    record: &'a LogRecord,
}

impl<'a> Entry<'a> {
    fn resource_attributes(&self) -> &'a [KeyValue] {
        self.resource.resource.as_ref().map_or(&[], |resource| &resource.attributes)
    }

    fn scope(&self) -> Option<&'a InstrumentationScope> {
        self.scope.scope.as_ref()
    }

    fn scope_attributes(&self) -> &'a [KeyValue] {
        self.scope().map_or(&[], |scope| &scope.attributes)
    }
}

fn entries(request: &ExportLogsServiceRequest) -> impl Iterator<Item = Entry<'_>> {
    request.resource_logs.iter().flat_map(|resource| {
        resource
            .scope_logs
            .iter()
            .flat_map(move |scope| scope.log_records.iter().map(move |record| Entry { resource, scope, record }))
    })
}

/// How many records there are.
pub(crate) fn count(request: &ExportLogsServiceRequest) -> u64 {
    let scopes = request.resource_logs.iter().flat_map(|resource| &resource.scope_logs);
    scopes.map(|scope| scope.log_records.len() as u64).sum()
}

/// The first `most` records as rows of `table`. `now` is in nanoseconds since 1970.
///
/// # Errors
///
/// Values of one column that have several types, or a tag that is no text.
pub(crate) fn rows(
    request: &ExportLogsServiceRequest,
    most: u64,
    table: &str,
    layout: &Layout,
    now: i64,
) -> Result<Rows, StoreError> {
    let mut frame = Frame::default();
    for entry in entries(request).take(usize::try_from(most).unwrap_or(usize::MAX)) {
        frame.row();
        match layout {
            Layout::Table { extract } => in_table(&mut frame, &entry, extract, now)?,
            Layout::Identity => by_attribute(&mut frame, &entry, now)?,
        }
    }
    frame.finish(table)
}

fn in_table(frame: &mut Frame, entry: &Entry<'_>, extract: &[String], now: i64) -> Result<(), StoreError> {
    let record = entry.record;
    let time = [record.time_unix_nano, record.observed_time_unix_nano].into_iter().find(|time| *time != 0);
    let time = time.map_or(now, |time| i64::try_from(time).unwrap_or(i64::MAX));
    frame.set("timestamp", Timestamp, Cell::Nanos(time))?;
    frame.set("trace_id", Field, Cell::Text(&hex(&record.trace_id)))?;
    frame.set("span_id", Field, Cell::Text(&hex(&record.span_id)))?;
    frame.set("severity_text", Field, Cell::Text(&record.severity_text))?;
    frame.set("severity_number", Field, Cell::Small(record.severity_number))?;
    if let Some(body) = text(record.body.as_ref()) {
        frame.set("body", Field, Cell::Text(&body))?;
    }
    frame.set("log_attributes", Field, Cell::Json(&object_text(&record.attributes)))?;
    frame.set("trace_flags", Field, Cell::Natural(record.flags))?;
    let scope = entry.scope();
    frame.set("scope_name", Tag, Cell::Text(scope.map_or("", |scope| &scope.name)))?;
    frame.set("scope_version", Field, Cell::Text(scope.map_or("", |scope| &scope.version)))?;
    frame.set("scope_attributes", Field, Cell::Json(&object_text(entry.scope_attributes())))?;
    frame.set("scope_schema_url", Field, Cell::Text(&entry.scope.schema_url))?;
    frame.set("resource_attributes", Field, Cell::Json(&object_text(entry.resource_attributes())))?;
    frame.set("resource_schema_url", Field, Cell::Text(&entry.resource.schema_url))?;
    for key in extract {
        let sources = [&record.attributes[..], entry.scope_attributes(), entry.resource_attributes()];
        let found = sources.into_iter().flatten().find(|pair| pair.key == *key);
        if let Some(value) = found.and_then(|pair| pair.value.as_ref()?.value.as_ref()) {
            frame.set(key, Tag, Cell::Text(tag(key, value)?))?;
        }
    }
    Ok(())
}

fn tag<'a>(key: &str, value: &'a Value) -> Result<&'a str, StoreError> {
    let kind = match value {
        Value::StringValue(text) => return Ok(text),
        Value::BoolValue(_) => "BOOL",
        Value::IntValue(_) => "INT",
        Value::DoubleValue(_) => "FLOAT",
        Value::ArrayValue(_) => "ARRAY",
        Value::KvlistValue(_) => "OBJECT",
        Value::BytesValue(_) => "BYTES",
    };
    Err(StoreError::invalid(format!("Unsupported json data type for tag: {key} {kind}")))
}

fn by_attribute(frame: &mut Frame, entry: &Entry<'_>, now: i64) -> Result<(), StoreError> {
    let record = entry.record;
    let scope = entry.scope();
    frame.set("greptime_timestamp", Timestamp, Cell::Nanos(now))?;
    if let Some(body) = text(record.body.as_ref()) {
        frame.set("Body", Field, Cell::Text(&body))?;
    }
    attributes(frame, "LogAttributes", &record.attributes)?;
    frame.set("ObservedTimestamp", Field, Cell::Integer(record.observed_time_unix_nano.cast_signed()))?;
    attributes(frame, "ResourceAttributes", entry.resource_attributes())?;
    frame.set("ResourceSchemaUrl", Field, Cell::Text(&entry.resource.schema_url))?;
    attributes(frame, "ScopeAttributes", entry.scope_attributes())?;
    frame.set("ScopeName", Field, Cell::Text(scope.map_or("", |scope| &scope.name)))?;
    frame.set("ScopeSchemaUrl", Field, Cell::Text(&entry.scope.schema_url))?;
    frame.set("ScopeVersion", Field, Cell::Text(scope.map_or("", |scope| &scope.version)))?;
    frame.set("SeverityNumber", Field, Cell::Integer(record.severity_number.into()))?;
    frame.set("SeverityText", Field, Cell::Text(&record.severity_text))?;
    frame.set("SpanId", Field, Cell::Text(&hex(&record.span_id)))?;
    frame.set("Timestamp", Field, Cell::Integer(record.time_unix_nano.cast_signed()))?;
    frame.set("TraceFlags", Field, Cell::Integer(record.flags.into()))?;
    frame.set("TraceId", Field, Cell::Text(&hex(&record.trace_id)))
}

/// A column for each attribute; of an attribute that holds others, a column for each of those.
fn attributes(frame: &mut Frame, prefix: &str, pairs: &[KeyValue]) -> Result<(), StoreError> {
    // Without recursion: what comes may be nested without end.
    let mut left: Vec<(String, Option<&AnyValue>)> = Vec::with_capacity(pairs.len());
    let named = |prefix: &str, pairs: &'_ [KeyValue]| -> Vec<String> {
        pairs.iter().map(|pair| format!("{prefix}.{}", pair.key)).collect()
    };
    left.extend(named(prefix, pairs).into_iter().zip(pairs.iter().map(|pair| pair.value.as_ref())).rev());
    while let Some((name, value)) = left.pop() {
        match value.and_then(|value| value.value.as_ref()) {
            None => {}
            Some(Value::StringValue(text)) => frame.set(&name, Field, Cell::Text(text))?,
            Some(Value::BoolValue(flag)) => frame.set(&name, Field, Cell::Flag(*flag))?,
            Some(Value::IntValue(number)) => frame.set(&name, Field, Cell::Integer(*number))?,
            Some(Value::DoubleValue(number)) => frame.set(&name, Field, Cell::Double(*number))?,
            Some(Value::KvlistValue(list)) => {
                let values = list.values.iter().map(|pair| pair.value.as_ref());
                left.extend(named(&name, &list.values).into_iter().zip(values).rev());
            }
            Some(Value::ArrayValue(_) | Value::BytesValue(_)) => {
                frame.set(&name, Field, Cell::Text(&text(value).unwrap_or_default()))?;
            }
        }
    }
    Ok(())
}
