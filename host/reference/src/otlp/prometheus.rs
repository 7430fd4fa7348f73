//! Metrics as GreptimeDB 1.0 stores them: as Prometheus would, with `greptime_timestamp` (milliseconds) and `greptime_value`.
//!
//! A histogram becomes `…_bucket` (cumulative, by the tag `le`), `…_sum` and `…_count`; a summary a row for each `quantile`, `…_sum` and
//! `…_count`. Exponential histograms are refused: what the real server makes of them was not observed.

use super::metrics::{Frames, Point, number};
use super::names;
use super::value;
use crate::messages::opentelemetry::proto::common::v1::KeyValue;
use crate::messages::opentelemetry::proto::metrics::v1::Metric;
use crate::messages::opentelemetry::proto::metrics::v1::metric::Data;
use crate::otlp::frame::Cell;
use crate::store::{Semantic, StoreError};

/// The tags that a resource gives: its attributes, and `job` and `instance`, which Prometheus knows services by.
pub(super) fn of_resource(attributes: &[KeyValue]) -> Vec<(String, String)> {
    let text = |name: &str| {
        let found = attributes.iter().find(|pair| pair.key == name);
        found.and_then(|pair| value::text(pair.value.as_ref()))
    };
    let mut tags = Vec::new();
    if let Some(name) = text("service.name") {
        let job = text("service.namespace").map_or_else(|| name.clone(), |space| format!("{space}/{name}"));
        tags.push(("job".to_owned(), job));
    }
    if let Some(instance) = text("service.instance.id") {
        tags.push(("instance".to_owned(), instance));
    }
    tags.extend(attributes.iter().filter_map(|pair| Some((pair.key.clone(), value::text(pair.value.as_ref())?))));
    tags
}

/// Adds a data point.
pub(super) fn add(
    frames: &mut Frames,
    metric: &Metric,
    tags: &[(String, String)],
    point: Point<'_>,
) -> Result<(), StoreError> {
    let monotonic = matches!(&metric.data, Some(Data::Sum(sum)) if sum.is_monotonic);
    let gauge = matches!(&metric.data, Some(Data::Gauge(_)));
    let table = names::table(&metric.name, &metric.unit, monotonic, gauge);
    let mut put = |suffix: &str, extra: Option<(&str, &str)>, value: f64| -> Result<(), StoreError> {
        let tags = tags.iter().map(|(name, value)| (names::column(name), value.as_str()));
        let extra = extra.into_iter().map(|(name, value)| (name.to_owned(), value));
        let frame = frames.row(&format!("{table}{suffix}"), tags.chain(extra))?;
        frame.set("greptime_timestamp", Semantic::Timestamp, Cell::Millis(point.time() / 1_000_000))?;
        frame.set("greptime_value", Semantic::Field, Cell::Double(value))
    };
    match point {
        // A point without a value says that nothing was recorded.
        Point::Number(point) => number(point).map_or(Ok(()), |value| put("", None, value)),
        Point::Histogram(point) => {
            let mut sum = 0u64;
            for (place, count) in point.bucket_counts.iter().enumerate() {
                sum = sum.saturating_add(*count);
                let bound = point.explicit_bounds.get(place).map_or_else(|| "+Inf".to_owned(), f64::to_string);
                put("_bucket", Some(("le", &bound)), sum as f64)?;
            }
            if let Some(sum) = point.sum {
                put("_sum", None, sum)?;
            }
            put("_count", None, point.count as f64)
        }
        Point::Summary(point) => {
            for value in &point.quantile_values {
                put("", Some(("quantile", &value.quantile.to_string())), value.value)?;
            }
            put("_sum", None, point.sum)?;
            put("_count", None, point.count as f64)
        }
        Point::Exponential(_) => Err(StoreError::invalid(format!(
            "Unsupported metric {}: the reference server stores no exponential histograms on this path; use /v1/metrics",
            metric.name
        ))),
    }
}
