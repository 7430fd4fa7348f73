//! What is shown of the store: its names, its columns, and the tables of `information_schema`.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow::datatypes::{Field, Schema, SchemaRef};

use super::Outcome;
use crate::store::types::{json_name, sql_name};
use crate::store::{ColumnDef, Merge, Semantic, Store, StoreError, TableSchema};

/// Databases that are made up of what the others hold.
pub(super) const SCHEMAS: [&str; 1] = ["information_schema"];

/// A column of texts or of numbers.
enum Column {
    Texts(&'static str, Vec<String>),
    Numbers(&'static str, Vec<u64>),
}

fn batch(columns: Vec<Column>) -> Result<(SchemaRef, Vec<RecordBatch>), StoreError> {
    let arrays: Vec<(&str, ArrayRef)> = columns
        .into_iter()
        .map(|column| match column {
            Column::Texts(name, texts) => (name, Arc::new(StringArray::from(texts)) as ArrayRef),
            Column::Numbers(name, numbers) => (name, Arc::new(UInt64Array::from(numbers)) as ArrayRef),
        })
        .collect();
    let field = |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Arc::new(Schema::new(arrays.iter().map(field).collect::<Vec<_>>()));
    let arrays = arrays.into_iter().map(|(_, array)| array).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays)?;
    Ok((schema, vec![batch]))
}

fn records(columns: Vec<Column>) -> Result<Outcome, StoreError> {
    batch(columns).map(|(schema, batches)| Outcome::Records(batches, schema))
}

/// A list of names.
pub(super) fn names(title: &'static str, names: Vec<String>) -> Result<Outcome, StoreError> {
    records(vec![Column::Texts(title, names)])
}

/// `ADMIN flush_table('t')`: nothing is left to be flushed or compacted.
pub(super) fn admin(call: &str) -> Result<Outcome, StoreError> {
    let field = Field::new(format!("ADMIN {call}"), arrow::datatypes::DataType::UInt64, false);
    let schema = Arc::new(Schema::new(vec![field]));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(UInt64Array::from(vec![0]))])?;
    Ok(Outcome::Records(vec![batch], schema))
}

/// `DESC TABLE`.
pub(super) fn describe(schema: &TableSchema) -> Result<Outcome, StoreError> {
    let each = |text: fn(&ColumnDef) -> String| schema.columns.iter().map(text).collect::<Vec<_>>();
    records(vec![
        Column::Texts("Column", each(|c| c.name.clone())),
        Column::Texts("Type", each(|c| json_name(&c.data_type))),
        Column::Texts("Key", each(|c| key(c).to_owned())),
        Column::Texts("Null", each(|c| nullable(c).to_owned())),
        Column::Texts("Default", each(|_| String::new())),
        Column::Texts("Semantic Type", each(|c| c.semantic.as_str().to_owned())),
    ])
}

fn key(column: &ColumnDef) -> &'static str {
    match column.semantic {
        Semantic::Tag | Semantic::Timestamp => "PRI",
        Semantic::Field => "",
    }
}

fn nullable(column: &ColumnDef) -> &'static str {
    if column.semantic == Semantic::Timestamp { "NO" } else { "YES" }
}

/// `SHOW CREATE TABLE`.
pub(super) fn create_table(name: &str, schema: &TableSchema) -> Result<Outcome, StoreError> {
    let statement = create_statement(name, schema);
    records(vec![Column::Texts("Table", vec![name.to_owned()]), Column::Texts("Create Table", vec![statement])])
}

fn create_statement(name: &str, schema: &TableSchema) -> String {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let mut lines: Vec<String> = schema
        .columns
        .iter()
        .map(|column| {
            let null = if column.semantic == Semantic::Timestamp { "NOT NULL" } else { "NULL" };
            format!("  {} {} {null}", quoted(&column.name), sql_name(&column.data_type))
        })
        .collect();
    if let Some((_, time)) = schema.time() {
        lines.push(format!("  TIME INDEX ({})", quoted(&time.name)));
    }
    let tags: Vec<String> =
        schema.columns.iter().filter(|column| column.semantic == Semantic::Tag).map(|tag| quoted(&tag.name)).collect();
    if !tags.is_empty() {
        lines.push(format!("  PRIMARY KEY ({})", tags.join(", ")));
    }
    let options = option_lines(schema);
    let with = if options.is_empty() { String::new() } else { format!("\nWITH(\n{}\n)", options.join(",\n")) };
    format!("CREATE TABLE IF NOT EXISTS {} (\n{}\n)\n\nENGINE=mito{with}", quoted(name), lines.join(",\n"))
}

fn option_lines(schema: &TableSchema) -> Vec<String> {
    let options = &schema.options;
    let mut lines = Vec::new();
    let mut add = |key: &str, value: &str| lines.push(format!("  {key} = '{}'", value.replace('\'', "''")));
    match options.merge {
        Merge::Append => add("append_mode", "true"),
        Merge::LastNonNull => add("merge_mode", "last_non_null"),
        Merge::LastRow => {}
    }
    if let Some(comment) = &options.comment {
        add("comment", comment);
    }
    if options.skip_wal {
        add("skip_wal", "true");
    }
    if let Some(ttl) = &options.ttl {
        add("ttl", ttl);
    }
    lines
}

/// A table of `information_schema`.
pub(super) fn information(store: &Store, name: &str) -> Result<(SchemaRef, Vec<RecordBatch>), StoreError> {
    match name {
        "tables" => tables(store),
        "columns" => columns(store),
        "schemata" => {
            let names = store.databases();
            let catalogs = vec!["greptime".to_owned(); names.len()];
            batch(vec![Column::Texts("catalog_name", catalogs), Column::Texts("schema_name", names)])
        }
        "region_statistics" => regions(store),
        other => Err(StoreError::no_table("information_schema", other)),
    }
}

fn tables(store: &Store) -> Result<(SchemaRef, Vec<RecordBatch>), StoreError> {
    let truth = store.truth()?;
    let texts = |text: fn(&crate::store::TableCounts) -> String| truth.iter().map(text).collect::<Vec<_>>();
    let numbers = |number: fn(&crate::store::TableCounts) -> u64| truth.iter().map(number).collect::<Vec<_>>();
    batch(vec![
        Column::Texts("table_catalog", texts(|_| "greptime".into())),
        Column::Texts("table_schema", texts(|table| table.database.clone())),
        Column::Texts("table_name", texts(|table| table.table.clone())),
        Column::Texts("table_type", texts(|_| "BASE TABLE".into())),
        Column::Texts("engine", texts(|_| "mito".into())),
        Column::Numbers("table_rows", numbers(|table| table.distinct_rows)),
        Column::Numbers("data_length", numbers(|table| table.bytes)),
    ])
}

fn regions(store: &Store) -> Result<(SchemaRef, Vec<RecordBatch>), StoreError> {
    let truth = store.truth()?;
    let numbers = |number: fn(&crate::store::TableCounts) -> u64| truth.iter().map(number).collect::<Vec<_>>();
    batch(vec![
        Column::Numbers("region_id", numbers(|table| u64::from(table.id) << 32)),
        Column::Numbers("table_id", numbers(|table| u64::from(table.id))),
        Column::Numbers("region_rows", numbers(|table| table.rows_received)),
        Column::Numbers("disk_size", numbers(|_| 0)),
        Column::Numbers("memtable_size", numbers(|table| table.bytes)),
        Column::Numbers("sst_size", numbers(|_| 0)),
        Column::Numbers("sst_num", numbers(|_| 0)),
        Column::Numbers("written_bytes_since_open", numbers(|table| table.bytes)),
    ])
}

fn columns(store: &Store) -> Result<(SchemaRef, Vec<RecordBatch>), StoreError> {
    let mut all: Vec<(String, String, u64, ColumnDef)> = Vec::new();
    for database in store.databases() {
        for table in store.table_names(&database)? {
            // A table may be dropped meanwhile.
            let Ok(schema) = store.schema(&database, &table) else { continue };
            let column =
                |(at, column): (usize, &ColumnDef)| (database.clone(), table.clone(), at as u64 + 1, column.clone());
            all.extend(schema.columns.iter().enumerate().map(column));
        }
    }
    let each = |text: fn(&ColumnDef) -> String| all.iter().map(|(.., column)| text(column)).collect::<Vec<_>>();
    batch(vec![
        Column::Texts("table_catalog", each(|_| "greptime".into())),
        Column::Texts("table_schema", all.iter().map(|(database, ..)| database.clone()).collect()),
        Column::Texts("table_name", all.iter().map(|(_, table, ..)| table.clone()).collect()),
        Column::Texts("column_name", each(|c| c.name.clone())),
        Column::Numbers("ordinal_position", all.iter().map(|(_, _, at, _)| *at).collect()),
        Column::Texts("data_type", each(|c| sql_name(&c.data_type).to_lowercase())),
        Column::Texts("greptime_data_type", each(|c| json_name(&c.data_type))),
        Column::Texts("semantic_type", each(|c| c.semantic.as_str().to_owned())),
        Column::Texts(
            "column_key",
            each(|c| if c.semantic == Semantic::Timestamp { "TIME INDEX".into() } else { key(c).to_owned() }),
        ),
        Column::Texts(
            "is_nullable",
            each(|c| if c.semantic == Semantic::Timestamp { "No".into() } else { "Yes".into() }),
        ),
    ])
}
