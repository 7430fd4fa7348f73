//! Tests of the target `influx`. Answers are those of InfluxDB 1.8.3, 2.8.0 and 3.10.1.
#![allow(clippy::unwrap_used, reason = "tests")]

mod greptime;
mod manage;
mod settings;
mod write;

use benchhost_plugin::testing::{self, Answer, Server};
use benchhost_plugin::{Column, DataType, TimeUnit};

use super::*;

/// A server that says its version at `/ping`.
fn server(version: &str) -> Server {
    let server = Server::start();
    server.answer("GET", "/ping", Answer::status(204).header("X-Influxdb-Version", version));
    server
}

/// A session with a server, with these settings besides the endpoint.
fn session(server: &Server, settings: &[(&str, &str)]) -> Influx {
    opened(server, settings).unwrap()
}

fn opened(server: &Server, settings: &[(&str, &str)]) -> Result<Influx> {
    let all: Vec<_> = [("endpoint", server.endpoint())].into_iter().chain(settings.iter().copied()).collect();
    testing::open_target(&all)
}

/// A table `m "x"` with these fields.
fn table(fields: Vec<Column>) -> Table {
    let mut columns = vec![Column::tag("host")];
    columns.extend(fields);
    columns.push(Column::timestamp("ts", TimeUnit::Millisecond));
    Table { name: "m \"x\"".into(), columns }
}

fn one_field() -> Table {
    table(vec![Column::field("v", DataType::Float64)])
}

/// Two rows of [`one_field`].
fn batch() -> Batch {
    testing::batch(&one_field(), 2, |builder| {
        builder.append_strings(0, &["h".into(), "h".into()]);
        builder.append_float64s(1, &[1.5, 2.0]);
        builder.append_timestamps(&[7, 8]);
    })
    .unwrap()
}
