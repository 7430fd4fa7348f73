//! Tests of the target `otlp`.
#![allow(clippy::unwrap_used, reason = "tests")]

mod answers;
mod decode;
mod dialects;
mod records;

use benchhost_plugin::testing::{self, Answer, Server};
use benchhost_plugin::{Column, TimeUnit};

use super::*;

fn opened(server: &Server, settings: &[(&str, &str)]) -> Result<Otlp> {
    testing::open_target(&[&[("endpoint", server.endpoint())], settings].concat())
}

/// A table `cpu` with a tag, a text, a nullable double and a time.
fn table() -> Table {
    let columns = vec![
        Column::tag("host"),
        Column::field("level", DataType::Utf8),
        Column::field("v", DataType::Float64).nullable(),
        Column::timestamp("ts", TimeUnit::Millisecond),
    ];
    Table { name: "cpu".into(), columns }
}

/// Two rows of [`table`]; the second has no value.
fn batch() -> Batch {
    testing::batch(&table(), 2, |builder| {
        builder.append_strings(0, &["h1".into(), "h2".into()]);
        builder.append_strings(1, &["WARN".into(), "odd".into()]);
        builder.append_float64s(2, &[1.5, 0.0]);
        builder.mark_nulls(2, &[1]);
        builder.append_timestamps(&[7, 8]);
    })
    .unwrap()
}
