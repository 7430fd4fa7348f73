//! Tests of the target `greptime`. Answers are those of GreptimeDB 1.0.2.
#![allow(clippy::unwrap_used, reason = "tests")]

mod bulk;
mod decode;
mod manage;
mod stream;
mod unary;

use benchhost_plugin::testing::{self, GrpcAnswer, GrpcServer, Server};
use benchhost_plugin::{Column, DataType, TimeUnit};

use super::*;

/// Both doors of a server.
struct Doors {
    http: Server,
    grpc: GrpcServer,
}

impl Doors {
    fn open() -> Self {
        Self { http: Server::start(), grpc: GrpcServer::start() }
    }

    fn try_session(&self, settings: &[(&str, &str)]) -> Result<Greptime> {
        let doors = [("endpoint", self.http.endpoint()), ("grpc_endpoint", self.grpc.endpoint())];
        testing::open_target(&[&doors, settings].concat())
    }

    fn session(&self, settings: &[(&str, &str)]) -> Greptime {
        self.try_session(settings).unwrap()
    }
}

/// What the server answers to rows that it stored.
fn stored(rows: u8) -> GrpcAnswer {
    GrpcAnswer::ok([0x0a, 0x02, 0x0a, 0x00, 0x12, 0x02, 0x08, rows])
}

/// A table `m "x"` with one tag, one nullable double and a time.
fn table() -> Table {
    let columns = vec![
        Column::tag("host"),
        Column::field("v", DataType::Float64).nullable(),
        Column::timestamp("ts", TimeUnit::Millisecond),
    ];
    Table { name: "m \"x\"".into(), columns }
}

/// Two rows of [`table`]; the second has no value.
fn batch() -> Batch {
    testing::batch(&table(), 2, |builder| {
        builder.append_strings(0, &["h".into(), "".into()]);
        builder.append_float64s(1, &[1.5, 0.0]);
        builder.mark_nulls(1, &[1]);
        builder.append_timestamps(&[7, -8]);
    })
    .unwrap()
}
