//! Metrics in the reference server's own shape, in which nothing of a data point is lost but exemplars.
//!
//! A metric's table has its name. The time index is `timestamp` (nanoseconds), tags are the attributes of the point and of its resource.
//! - gauge and sum: `value`
//! - histogram: `count`, `sum`, `min`, `max`, and `bounds` and `bucket_counts` as JSON
//! - exponential histogram: `count`, `sum`, `min`, `max`, `scale`, `zero_count`, `zero_threshold`, and for both signs `…_offset` and
//!   `…_counts` (JSON)
//! - summary: `count`, `sum`, and `quantiles` as JSON: a list of pairs

use serde_json::json;

use super::frame::{Cell, Frame};
use super::metrics::{Frames, Point, number};
use crate::messages::opentelemetry::proto::metrics::v1::Metric;
use crate::messages::opentelemetry::proto::metrics::v1::exponential_histogram_data_point::Buckets;
use crate::store::{Semantic::Field, Semantic::Timestamp, StoreError};

/// Adds a data point.
pub(super) fn add(
    frames: &mut Frames,
    metric: &Metric,
    tags: &[(String, String)],
    point: Point<'_>,
) -> Result<(), StoreError> {
    let frame = frames.row(&metric.name, tags.iter().map(|(name, value)| (name.clone(), value.as_str())))?;
    frame.set("timestamp", Timestamp, Cell::Nanos(point.time()))?;
    match point {
        Point::Number(point) => double(frame, "value", number(point))?,
        Point::Histogram(point) => {
            frame.set("count", Field, Cell::Count(point.count))?;
            double(frame, "sum", point.sum)?;
            double(frame, "min", point.min)?;
            double(frame, "max", point.max)?;
            frame.set("bounds", Field, Cell::Json(&json!(point.explicit_bounds).to_string()))?;
            frame.set("bucket_counts", Field, Cell::Json(&json!(point.bucket_counts).to_string()))?;
        }
        Point::Exponential(point) => {
            frame.set("count", Field, Cell::Count(point.count))?;
            double(frame, "sum", point.sum)?;
            double(frame, "min", point.min)?;
            double(frame, "max", point.max)?;
            frame.set("scale", Field, Cell::Small(point.scale))?;
            frame.set("zero_count", Field, Cell::Count(point.zero_count))?;
            double(frame, "zero_threshold", Some(point.zero_threshold))?;
            buckets(frame, "positive", point.positive.as_ref())?;
            buckets(frame, "negative", point.negative.as_ref())?;
        }
        Point::Summary(point) => {
            frame.set("count", Field, Cell::Count(point.count))?;
            double(frame, "sum", Some(point.sum))?;
            let pairs: Vec<_> = point.quantile_values.iter().map(|value| [value.quantile, value.value]).collect();
            frame.set("quantiles", Field, Cell::Json(&json!(pairs).to_string()))?;
        }
    }
    Ok(())
}

fn double(frame: &mut Frame, name: &str, value: Option<f64>) -> Result<(), StoreError> {
    value.map_or(Ok(()), |value| frame.set(name, Field, Cell::Double(value)))
}

fn buckets(frame: &mut Frame, sign: &str, buckets: Option<&Buckets>) -> Result<(), StoreError> {
    let Some(buckets) = buckets else { return Ok(()) };
    frame.set(&format!("{sign}_offset"), Field, Cell::Small(buckets.offset))?;
    frame.set(&format!("{sign}_counts"), Field, Cell::Json(&json!(buckets.bucket_counts).to_string()))
}
