//! What line protocol must say of a model, and whether it said it. The fuzzer uses this as well.

use benchhost_data::{Batch, DataType, EncodeError, LineProtocol, Semantic, TimeUnit};
use proptest::prelude::*;

use super::line::Point;
use super::strategy::{SAYABLE, model, unit};
use super::{Model, Value};

/// The lines that the model should become; `None` if line protocol cannot say them.
pub fn expected(model: &Model, precision: TimeUnit) -> Option<Vec<Point>> {
    let sayable = |text: &str| !text.contains('\n') && !text.ends_with('\\');
    if model.name.starts_with(['#', '\t']) || !sayable(&model.name) {
        return None;
    }
    if !model.columns.iter().all(|filled| sayable(&filled.column.name)) {
        return None;
    }
    let mut points = Vec::new();
    for (row, time) in model.times.iter().enumerate() {
        let nanoseconds = i128::from(*time) * i128::from(model.unit.nanoseconds());
        if nanoseconds % i128::from(precision.nanoseconds()) != 0 {
            return None;
        }
        let time = i64::try_from(nanoseconds / i128::from(precision.nanoseconds())).ok()?;
        let (mut tags, mut fields) = (Vec::new(), Vec::new());
        for filled in &model.columns {
            let name = filled.column.name.clone();
            match &filled.values[row] {
                Some(Value::Text(text)) if filled.column.semantic == Semantic::Tag => {
                    if !sayable(text) {
                        return None;
                    }
                    if !text.is_empty() {
                        tags.push((name, text.clone()));
                    }
                }
                Some(value) => fields.push((name, value.clone())),
                None => {}
            }
        }
        points.push(Point { measurement: model.name.clone(), tags, fields, time });
    }
    Some(points)
}

fn is_float32(model: &Model, field: &str) -> bool {
    model.columns.iter().any(|filled| filled.column.name == field && filled.column.data_type == DataType::Float32)
}

/// Floats are compared by their bits: -0.0 is not 0.0. A float of 32 bits is read back as one.
pub fn assert_same(model: &Model, got: &[Point], expected: &[Point]) {
    assert_eq!(got.len(), expected.len());
    for (got, expected) in got.iter().zip(expected) {
        assert_eq!((&got.measurement, &got.tags, got.time), (&expected.measurement, &expected.tags, expected.time));
        assert_eq!(got.fields.len(), expected.fields.len());
        for ((name, got), (expected_name, expected)) in got.fields.iter().zip(&expected.fields) {
            assert_eq!(name, expected_name);
            match (got, expected) {
                (Value::Float(got), Value::Float(expected)) if is_float32(model, name) => {
                    assert_eq!((*got as f32).to_bits(), (*expected as f32).to_bits());
                }
                (Value::Float(got), Value::Float(expected)) => assert_eq!(got.to_bits(), expected.to_bits()),
                (got, expected) => assert_eq!(got, expected),
            }
        }
    }
}

pub fn lines(encoder: &mut LineProtocol, batch: &Batch) -> Result<String, EncodeError> {
    let payload = encoder.encode(batch)?;
    assert_eq!(payload.rows(), batch.rows());
    assert_eq!(payload.raw_size(), payload.size());
    Ok(String::from_utf8(payload.bytes().to_vec()).unwrap())
}

/// A model, the precision to write it in, and the rows of one append.
pub fn cases() -> impl Strategy<Value = (Model, TimeUnit, usize)> {
    (unit(), unit()).prop_flat_map(|(unit, precision)| {
        let ticks = (precision.nanoseconds() / unit.nanoseconds()).max(1);
        (model(SAYABLE.to_vec(), 12, unit, ticks), Just(precision), 1..13_usize)
    })
}
