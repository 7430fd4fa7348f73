//! What a row is as a record.

use benchhost_plugin::ErrorKind;

use super::decode::{Record, decode};
use super::*;

fn encoded(settings: &[(&str, &str)], batch: &Batch) -> (Vec<(String, String)>, Vec<Record>) {
    let server = Server::start();
    decode(&opened(&server, settings).unwrap().encode(batch).unwrap().bytes())
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn columns_are_attributes_and_the_rest_is_as_published() {
    let (resource, records) = encoded(&[], &batch());
    assert_eq!(resource, pairs(&[("service.name", "text cpu")]));
    let first = Record {
        time: 7_000_000,
        observed: 7_000_000,
        severity: (9, "INFO".into()),
        body: "text benchmark".into(),
        attributes: pairs(&[("host", "text h1"), ("level", "text WARN"), ("v", "double 1.5")]),
    };
    let second = Record {
        time: 8_000_000,
        observed: 8_000_000,
        attributes: pairs(&[("host", "text h2"), ("level", "text odd")]),
        ..Record { severity: (9, "INFO".into()), body: "text benchmark".into(), ..Record::default() }
    };
    assert_eq!(records, [first, second]);
}

#[test]
fn body_and_severity_can_be_columns() {
    let (_, records) = encoded(&[("body_column", "v"), ("severity_column", "level")], &batch());
    assert_eq!(records[0].body, "double 1.5");
    assert_eq!(records[0].severity, (13, "WARN".into()));
    assert_eq!(records[0].attributes, pairs(&[("host", "text h1")]));
    // NULL is no body, and an unknown word has no number.
    assert_eq!((records[1].body.as_str(), &records[1].severity), ("", &(0, "odd".into())));
}

#[test]
fn every_type_has_its_place() {
    use DataType::{Boolean, Date32, Float32, Int8, Int64, Json, TimestampSecond, Uint64};
    let types = [Boolean, Int8, Int64, Uint64, Float32, Json, Date32, TimestampSecond];
    let mut columns: Vec<Column> =
        types.iter().map(|data_type| Column::field(&format!("{data_type:?}"), *data_type)).collect();
    columns.push(Column::timestamp("ts", TimeUnit::Second));
    let table = Table { name: "m".into(), columns };
    let batch = |unsigned: u64, time: i64| {
        let written = testing::batch(&table, 1, |builder| {
            builder.append_booleans(0, &[true]);
            builder.append_int64s(1, &[-1]);
            builder.append_int64s(2, &[i64::MIN]);
            builder.append_uint64s(3, &[unsigned]);
            builder.append_float64s(4, &[0.25]);
            builder.append_strings(5, &["{}".into()]);
            builder.append_int64s(6, &[3]);
            builder.append_int64s(7, &[-5]);
            builder.append_timestamps(&[time]);
        });
        written.unwrap()
    };
    let (_, records) = encoded(&[], &batch(5, 2));
    let values: Vec<&str> = records[0].attributes.iter().map(|(_, value)| value.as_str()).collect();
    let least = format!("int {}", i64::MIN);
    assert_eq!(values, ["bool 1", "int -1", &least, "int 5", "double 0.25", "text {}", "int 3", "int -5"]);
    assert_eq!(records[0].time, 2_000_000_000);
    let server = Server::start();
    let mut otlp = opened(&server, &[]).unwrap();
    for (unsigned, time) in [(u64::MAX, 2), (5, -1), (5, i64::MAX)] {
        assert_eq!(otlp.encode(&batch(unsigned, time)).unwrap_err().kind, ErrorKind::Invalid);
    }
}

#[test]
fn a_column_that_is_not_there_is_named() {
    let server = Server::start();
    for (settings, words) in [
        (("body_column", "x"), "setting `body_column`: table `cpu` has no column `x`"),
        (("severity_column", "v"), "setting `severity_column`: column `v` is no text"),
        (("body_column", "ts"), "setting `body_column`: column `ts` is the time of the record"),
    ] {
        let error = opened(&server, &[settings]).unwrap().encode(&batch()).unwrap_err();
        assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Invalid, words));
    }
}
