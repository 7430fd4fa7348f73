//! Tests of the target `null`.
#![allow(clippy::unwrap_used, reason = "tests")]

use benchhost_plugin::testing;
use benchhost_plugin::{Column, DataType, ErrorKind};

use super::*;

fn table() -> Table {
    let columns = vec![Column::field("v", DataType::Int64), Column::timestamp("ts", TimeUnit::Millisecond)];
    Table { name: "m".into(), columns }
}

fn batch() -> Batch {
    testing::batch(&table(), 2, |builder| {
        builder.append_int64s(0, &[1, 2]);
        builder.append_timestamps(&[1, 2]);
    })
    .unwrap()
}

#[test]
fn every_row_is_acknowledged() {
    let mut null: Null = testing::open_target(&[]).unwrap();
    null.create_table(&table()).unwrap();
    let payload = null.encode(&batch()).unwrap();
    assert_eq!((payload.size(), payload.rows()), (0, 2));
    assert_eq!(null.send(&payload).unwrap().rows, Some(2));
    null.drop_table(&table()).unwrap();
}

#[test]
fn line_protocol_is_encoded_when_asked_for() {
    let mut null: Null = testing::open_target(&[("format", "line-protocol")]).unwrap();
    let payload = null.encode(&batch()).unwrap();
    assert_eq!(payload.text(), "m v=1i 1000000\nm v=2i 2000000\n");
    assert_eq!(null.send(&payload).unwrap().rows, Some(2));
    assert!(null.server().unwrap().contains(&("format".into(), "line-protocol".into())));
}

#[test]
fn record_batches_are_encoded_when_asked_for() {
    let sizes = ["flight", "flight-lz4", "flight-zstd"].map(|format| {
        let mut null: Null = testing::open_target(&[("format", format)]).unwrap();
        assert!(null.server().unwrap().contains(&("format".into(), format.into())));
        let payload = null.encode(&batch()).unwrap();
        assert_eq!(payload.rows(), 2);
        payload.size()
    });
    assert!(sizes.iter().all(|size| *size > 100), "{sizes:?}");
}

#[test]
fn rows_cannot_be_counted() {
    let mut null: Null = testing::open_target(&[]).unwrap();
    let error = null.count_rows(&table(), 0, 1).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported);
    assert_eq!(error.message, "the target `null` keeps no rows, so there are none to count");
}

#[test]
fn an_unknown_format_is_refused() {
    let error = testing::open_target::<Null>(&[("format", "csv")]).err().unwrap();
    assert!(error.message.starts_with("setting `format`: unknown variant `csv`"), "{}", error.message);
}
