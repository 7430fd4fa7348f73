//! A fingerprint depends on the rows and on nothing else.

use std::collections::HashSet;

use crate::common::strategy::{SAYABLE, UNSAYABLE, model};
use crate::common::{Filled, Model, Value, column};
use benchhost_data::{DataType, Fingerprint, Interner, Semantic, TimeUnit};
use proptest::prelude::*;

fn fingerprint(model: &Model, size: usize) -> String {
    let interner = Interner::new();
    let rows = model.times.len();
    let mut fingerprint = Fingerprint::new();
    for start in (0..rows).step_by(size) {
        fingerprint.add(&model.batch(&interner, start, size.min(rows - start), size));
    }
    fingerprint.to_hex()
}

fn types() -> Vec<DataType> {
    SAYABLE.into_iter().chain(UNSAYABLE).collect()
}

proptest! {
    #[test]
    fn neither_size_nor_order_of_batches_nor_way_of_writing_changes_it(
        model in model(types(), 40, TimeUnit::Millisecond, 1),
        size in 1..50_usize,
    ) {
        let whole = fingerprint(&model, 1000);
        prop_assert_eq!(whole.len(), 32);
        prop_assert_eq!(&fingerprint(&model, size), &whole);

        let interner = Interner::new();
        let rows = model.times.len();
        let (mut even, mut odd) = (Fingerprint::new(), Fingerprint::new());
        for (index, start) in (0..rows).step_by(size).enumerate().collect::<Vec<_>>().into_iter().rev() {
            let part = if index % 2 == 0 { &mut even } else { &mut odd };
            part.add(&model.batch(&interner, start, size.min(rows - start), size));
        }
        odd.merge(&even);
        prop_assert_eq!(&odd.to_hex(), &whole);

        let mut other_way = model;
        for filled in &mut other_way.columns {
            filled.by_keys = !filled.by_keys;
        }
        prop_assert_eq!(&fingerprint(&other_way, size), &whole);
    }

    #[test]
    fn any_other_value_changes_it(
        model in model(types(), 20, TimeUnit::Millisecond, 1),
        column in any::<prop::sample::Index>(),
        row in any::<prop::sample::Index>(),
    ) {
        prop_assume!(!model.times.is_empty());
        let mut other = model.clone();
        let filled = column.get(&model.columns);
        let (column, row) = (column.index(model.columns.len()), row.index(model.times.len()));
        other.columns[column].values[row] = match (&filled.values[row], filled.column.data_type) {
            (Some(_), _) if filled.column.nullable => None,
            (Some(Value::Text(text)), _) => Some(Value::Text(format!("{text}."))),
            (Some(Value::Boolean(value)), _) => Some(Value::Boolean(!value)),
            (Some(Value::Signed(value)), _) => Some(Value::Signed(value ^ 1)),
            (Some(Value::Unsigned(value)), _) => Some(Value::Unsigned(value ^ 1)),
            (Some(Value::Float(0.0)), _) => Some(Value::Float(1.0)),
            (Some(Value::Float(value)), _) => Some(Value::Float(-value)),
            (None, DataType::Boolean) => Some(Value::Boolean(false)),
            (None, DataType::Utf8 | DataType::Json) => Some(Value::Text(String::new())),
            (None, DataType::Float32 | DataType::Float64) => Some(Value::Float(0.0)),
            (None, DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64) => Some(Value::Unsigned(0)),
            (None, _) => Some(Value::Signed(0)),
        };
        prop_assert_ne!(fingerprint(&other, 100), fingerprint(&model, 100));
    }
}

fn simple() -> Model {
    let values = |values: [f64; 3]| values.map(|value| Some(Value::Float(value))).to_vec();
    let field = |name: &str, values| Filled {
        column: column(name, Semantic::Field, DataType::Float64, true),
        values,
        by_keys: false,
    };
    Model {
        name: "t".into(),
        columns: vec![field("a", values([0.0, 1.0, 2.0])), field("b", values([3.0, 4.0, 5.0]))],
        unit: TimeUnit::Second,
        times: vec![1, 2, 3],
    }
}

#[test]
fn everything_that_can_differ_makes_a_difference() {
    let changes: Vec<fn(&mut Model)> = vec![
        |_| {},
        |model| model.name = "u".into(),
        |model| model.columns[0].column.name = "c".into(),
        |model| model.columns[0].column.nullable = false,
        |model| model.columns[0].column.data_type = DataType::Float32,
        |model| model.unit = TimeUnit::Millisecond,
        |model| model.columns[0].values[0] = None,
        |model| model.columns[1].values[0] = None,
        |model| model.columns[0].values[0] = Some(Value::Float(-0.0)),
        |model| model.columns[0].values.swap(0, 1),
        |model| model.times.swap(0, 1),
        |model| {
            // Two values of one row change places.
            let first = model.columns[0].values[1].clone();
            model.columns[0].values[1] = std::mem::replace(&mut model.columns[1].values[1], first);
        },
        |model| {
            // Two whole rows change places.
            model.columns[0].values.swap(0, 2);
            model.columns[1].values.swap(0, 2);
            model.times.swap(0, 2);
        },
        |model| {
            model.times.pop();
        },
    ];
    let all: HashSet<String> = changes
        .iter()
        .map(|change| {
            let mut model = simple();
            change(&mut model);
            fingerprint(&model, 100)
        })
        .collect();
    assert_eq!(all.len(), changes.len());
}

#[test]
fn a_row_that_is_added_twice_counts_twice() {
    let interner = Interner::new();
    let batch = simple().whole(&interner);
    let mut once = Fingerprint::new();
    once.add(&batch);
    let mut twice = once;
    twice.add(&batch);
    assert_ne!(once, twice);
    assert_ne!(twice, Fingerprint::new());
}

#[test]
fn fingerprints_do_not_change_from_version_to_version() {
    // Results of different releases are compared by it, so a change must be a decision.
    assert_eq!(fingerprint(&simple(), 100), "11bf5cd8aed928411bc858c5bc7da9de");
}
