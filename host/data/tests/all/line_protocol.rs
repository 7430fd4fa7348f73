//! What the line protocol encoder writes is read back by an independent reader and compared with what was put in.

use std::sync::Arc;

use crate::common::line::read;
use crate::common::said::{assert_same, cases, expected, lines};
use crate::common::{Filled, Model, Value, column};
use benchhost_data::{BatchBuilder, DataType, EncodeError, Interner, LineProtocol, Semantic, Table, TimeUnit};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn every_table_reads_back_or_is_refused_when_it_cannot_be_said((model, precision, part) in cases()) {
        let interner = Interner::new();
        let mut encoder = LineProtocol::new(precision);
        let batch = model.batch(&interner, 0, model.times.len(), part);
        match (lines(&mut encoder, &batch), expected(&model, precision)) {
            (Ok(text), Some(expected)) => {
                assert_same(&model, &read(&text).unwrap(), &expected);
                // The second time everything comes from memory.
                prop_assert_eq!(lines(&mut encoder, &batch).unwrap(), text);
            }
            (Err(EncodeError::Invalid { .. }), None) => {}
            (got, expected) => prop_assert!(false, "{:?} instead of {:?}", got, expected),
        }
    }

    #[test]
    fn many_rows_are_written_as_few_are((model, precision, part) in cases(), repeats in 10..40_usize) {
        let mut long = model.clone();
        for filled in &mut long.columns {
            filled.values = std::iter::repeat_n(filled.values.clone(), repeats).flatten().collect();
        }
        long.times = long.times.repeat(repeats);
        let interner = Interner::new();
        let short = lines(&mut LineProtocol::new(precision), &model.whole(&interner));
        let batch = long.batch(&interner, 0, long.times.len(), part * 7);
        match (lines(&mut LineProtocol::new(precision), &batch), short) {
            (Ok(long), Ok(short)) => prop_assert_eq!(long, short.repeat(repeats)),
            (Err(_), Err(_)) => {}
            (long, short) => prop_assert!(false, "{:?} instead of {:?}", long, short),
        }
    }
}

fn field(name: &str, data_type: DataType, values: Vec<Option<Value>>) -> Filled {
    let nullable = values.iter().any(Option::is_none);
    Filled { column: column(name, Semantic::Field, data_type, nullable), values, by_keys: false }
}

fn tag(name: &str, values: &[Option<&str>]) -> Filled {
    let values: Vec<_> = values.iter().map(|value| value.map(|text| Value::Text(text.into()))).collect();
    let nullable = values.iter().any(Option::is_none);
    Filled { column: column(name, Semantic::Tag, DataType::Utf8, nullable), values, by_keys: true }
}

fn small(name: &str, columns: Vec<Filled>, times: Vec<i64>) -> Model {
    Model { name: name.into(), columns, unit: TimeUnit::Millisecond, times }
}

fn encoded(model: &Model, precision: TimeUnit) -> Result<String, String> {
    let batch = model.whole(&Interner::new());
    lines(&mut LineProtocol::new(precision), &batch).map_err(|error| error.to_string())
}

#[test]
fn a_line_looks_as_the_protocol_says() {
    let model = small(
        "my table",
        vec![
            tag("host name", &[Some("a=b"), None, Some("")]),
            field(
                "f",
                DataType::Float64,
                vec![Some(Value::Float(1.5)), Some(Value::Float(-0.0)), Some(Value::Float(3.0))],
            ),
            field("i", DataType::Int32, vec![Some(Value::Signed(-7)), None, Some(Value::Signed(0))]),
            field("u", DataType::UInt64, vec![Some(Value::Unsigned(u64::MAX)), None, None]),
            field("b", DataType::Boolean, vec![Some(Value::Boolean(true)), Some(Value::Boolean(false)), None]),
            field("s", DataType::Utf8, vec![Some(Value::Text("say \"hi\\\"".into())), None, None]),
            field("j", DataType::Json, vec![Some(Value::Text("{\"a\":1}".into())), None, None]),
            field("f32", DataType::Float32, vec![Some(Value::Float(f64::from(0.1_f32))), None, None]),
        ],
        vec![1_704_067_200_000, -1, 99_999_999],
    );
    assert_eq!(
        encoded(&model, TimeUnit::Millisecond).unwrap(),
        concat!(
            r#"my\ table,host\ name=a\=b f=1.5,i=-7i,u=18446744073709551615u,b=true,s="say \"hi\\\"","#,
            r#"j="{\"a\":1}",f32=0.1 1704067200000"#,
            "\nmy\\ table f=-0,b=false -1\nmy\\ table f=3,i=0i 99999999\n",
        )
    );
}

#[test]
fn an_empty_batch_is_an_empty_payload() {
    let model = small("t", vec![field("f", DataType::Float64, vec![])], vec![]);
    assert_eq!(encoded(&model, TimeUnit::Millisecond).unwrap(), "");
}

#[test]
fn times_are_converted_exactly_or_refused() {
    let one = |unit, time| Model {
        name: "t".into(),
        columns: vec![field("b", DataType::Boolean, vec![Some(Value::Boolean(true))])],
        unit,
        times: vec![time],
    };
    let text = |unit, time, precision| encoded(&one(unit, time), precision);
    assert_eq!(text(TimeUnit::Second, 3, TimeUnit::Nanosecond).unwrap(), "t b=true 3000000000\n");
    assert_eq!(text(TimeUnit::Nanosecond, -3_000_000_000, TimeUnit::Second).unwrap(), "t b=true -3\n");
    assert_eq!(text(TimeUnit::Nanosecond, i64::MIN, TimeUnit::Nanosecond).unwrap(), "t b=true -9223372036854775808\n");
    assert_eq!(
        text(TimeUnit::Millisecond, 1_500, TimeUnit::Second).unwrap_err(),
        "table `t`, column `the time`, row 0: time 1500 (milliseconds) is no whole number of seconds: choose a finer \
         precision"
    );
    assert_eq!(
        text(TimeUnit::Second, i64::MAX / 10, TimeUnit::Microsecond).unwrap_err(),
        "table `t`, column `the time`, row 0: time 922337203685477580 (seconds) does not fit 64 bits of microseconds: \
         choose a coarser precision"
    );
}

#[test]
fn numbers_that_are_none_are_refused_with_their_place() {
    for (data_type, value, text) in [
        (DataType::Float64, f64::NAN, "NaN"),
        (DataType::Float64, f64::INFINITY, "inf"),
        (DataType::Float32, f64::NEG_INFINITY, "-inf"),
    ] {
        let good = Some(Value::Float(1.0));
        let model =
            small("t", vec![field("f", data_type, vec![good.clone(), Some(Value::Float(value)), good])], vec![1, 2, 3]);
        assert_eq!(
            encoded(&model, TimeUnit::Millisecond).unwrap_err(),
            format!(
                "table `t`, column `f`, row 1: {text} is no number that line protocol can say: write a finite value or NULL"
            )
        );
    }
}

#[test]
fn rows_in_messages_are_positions_in_the_dataset() {
    let values = vec![Some(Value::Float(1.0)), Some(Value::Float(2.0)), Some(Value::Float(f64::NAN))];
    let model = small("t", vec![field("f", DataType::Float64, values)], vec![1, 2, 3]);
    let batch = model.batch(&Interner::new(), 1, 2, 2);
    let error = LineProtocol::new(TimeUnit::Millisecond).encode(&batch).unwrap_err();
    assert!(error.to_string().starts_with("table `t`, column `f`, row 2: NaN"), "{error}");
}

#[test]
fn a_column_that_begins_with_short_decimals_may_go_on_with_others() {
    let mut values: Vec<f64> = (0..40).map(|number| f64::from(number * 7) / 100.0 - 1.0).collect();
    values.extend([1.0 / 3.0, 1e300, -0.0, 5e-324, 123_456.78, 1e6, 9_999_999.99, 0.125]);
    let times: Vec<i64> = (0..values.len() as i64).collect();
    let cells = values.iter().map(|value| Some(Value::Float(*value))).collect();
    let text = encoded(&small("t", vec![field("f", DataType::Float64, cells)], times), TimeUnit::Millisecond).unwrap();
    let points = read(&text).unwrap();
    assert_eq!(points.len(), values.len());
    for (point, value) in points.iter().zip(values) {
        let Value::Float(got) = point.fields[0].1 else { panic!("{point:?}") };
        assert_eq!(got.to_bits(), value.to_bits());
    }
}

#[test]
fn a_row_without_any_field_is_refused() {
    let model = small("t", vec![field("f", DataType::Int64, vec![Some(Value::Signed(1)), None])], vec![1, 2]);
    assert_eq!(
        encoded(&model, TimeUnit::Millisecond).unwrap_err(),
        "table `t`, row 1: every field is NULL, and line protocol has no row without a field: leave the row out"
    );
}

#[test]
fn a_tag_that_cannot_be_said_is_refused_only_where_a_row_has_it() {
    let float = field("f", DataType::Float64, vec![Some(Value::Float(1.0)), Some(Value::Float(2.0))]);
    let model = small("t", vec![tag("host", &[Some("a"), Some("two\nlines")]), float], vec![1, 2]);
    let interner = Interner::new();
    let mut encoder = LineProtocol::new(TimeUnit::Millisecond);
    assert_eq!(lines(&mut encoder, &model.batch(&interner, 0, 1, 1)).unwrap(), "t,host=a f=1 1\n");
    assert_eq!(
        lines(&mut encoder, &model.batch(&interner, 1, 1, 1)).unwrap_err().to_string(),
        "table `t`, column `host`, row 1: the tag value holds a newline, which line protocol cannot say there: remove it"
    );
}

#[test]
fn names_that_cannot_be_said_are_refused() {
    let float = |name| vec![field(name, DataType::Float64, vec![Some(Value::Float(1.0))])];
    let message = |name, columns| encoded(&small(name, columns, vec![1]), TimeUnit::Millisecond).unwrap_err();
    assert!(message("#t", float("f")).starts_with("table `#t`: the table name begins with '#'"));
    assert!(message("a\nb", float("f")).starts_with(r"table `a\nb`: the table name holds a newline"));
    assert!(message("t", float("f\\")).starts_with(r"table `t`, column `f\\`: the column name ends in a backslash"));
}

#[test]
fn types_that_the_protocol_lacks_are_refused_by_name() {
    for data_type in [DataType::Decimal128, DataType::Binary, DataType::Date32, DataType::Timestamp(TimeUnit::Second)] {
        let model = small("t", vec![field("x", data_type, vec![None])], vec![1]);
        assert_eq!(
            encoded(&model, TimeUnit::Millisecond).unwrap_err(),
            format!(
                "table `t`, column `x`: line protocol has no {data_type}: leave the column out or choose another type"
            )
        );
    }
}

#[test]
fn a_null_tag_needs_no_dictionary_value() {
    let float = field("f", DataType::Float64, vec![Some(Value::Float(1.0))]);
    let model = small("t", vec![tag("host", &[None]), float], vec![1]);
    assert_eq!(encoded(&model, TimeUnit::Millisecond).unwrap(), "t f=1 1\n");
    let mut builder = BatchBuilder::new(model.table(), 0, 1);
    builder.append_float64s(1, vec![1.0]).unwrap();
    builder.append_timestamps(vec![1]).unwrap();
    let batch = builder.finish().unwrap();
    assert_eq!(lines(&mut LineProtocol::new(TimeUnit::Millisecond), &batch).unwrap(), "t f=1 1\n");
}

#[test]
fn one_encoder_writes_several_tables_and_dictionaries() {
    let interner = Interner::new();
    let mut encoder = LineProtocol::new(TimeUnit::Millisecond);
    for round in 0..3 {
        for number in 0..100 {
            let host = format!("host-{round}-{number}");
            let float = field("f", DataType::Float64, vec![Some(Value::Float(1.0))]);
            let model = small(&format!("t{}", number % 70), vec![tag("host", &[Some(&host)]), float], vec![1]);
            let text = lines(&mut encoder, &model.whole(&interner)).unwrap();
            assert_eq!(text, format!("t{},host={host} f=1 1\n", number % 70));
        }
    }
}

#[test]
fn a_long_name_is_not_copied_into_every_fragment() {
    let values = 3000;
    let name = "n".repeat(20_000);
    let table = Table::new(
        "t",
        vec![
            column(&name, Semantic::Tag, DataType::Utf8, true),
            column("f", Semantic::Field, DataType::Boolean, false),
            column("ts", Semantic::Timestamp, DataType::Timestamp(TimeUnit::Second), false),
        ],
    );
    let dictionary = Interner::new()
        .intern((0..values).map(|value| if value == 1 { String::new() } else { format!("v {value}") }))
        .unwrap();
    let mut builder = BatchBuilder::new(Arc::new(table.unwrap()), 0, 3);
    builder.append_keys(0, &dictionary, vec![2, 1, 2999]).unwrap();
    builder.append_booleans(1, vec![true; 3]).unwrap();
    builder.append_timestamps(vec![1; 3]).unwrap();
    let text = lines(&mut LineProtocol::new(TimeUnit::Second), &builder.finish().unwrap()).unwrap();
    assert_eq!(text, format!("t,{name}=v\\ 2 f=true 1\nt f=true 1\nt,{name}=v\\ 2999 f=true 1\n"));
}

#[test]
fn a_payload_stays_as_it_is_while_others_are_made() {
    let one = |value: f64| small("t", vec![field("f", DataType::Float64, vec![Some(Value::Float(value))])], vec![1]);
    let interner = Interner::new();
    let mut encoder = LineProtocol::new(TimeUnit::Millisecond);
    let first = encoder.encode(&one(1.0).whole(&interner)).unwrap();
    let others: Vec<_> = (2..9).map(|value| encoder.encode(&one(f64::from(value)).whole(&interner)).unwrap()).collect();
    assert_eq!(&first.bytes()[..], b"t f=1 1\n");
    drop(others);
    let again = encoder.encode(&one(9.0).whole(&interner)).unwrap();
    assert_eq!(&again.bytes()[..], b"t f=9 1\n");
    assert_eq!(&first.bytes()[..], b"t f=1 1\n");
}
