//! Metrics as rows: one table for each metric, with attributes as tags.

use std::collections::BTreeMap;

use super::frame::{Cell, Frame};
use super::{prometheus, standard, value};
use crate::messages::opentelemetry::proto::collector::metrics::v1::ExportMetricsServiceRequest;
use crate::messages::opentelemetry::proto::common::v1::KeyValue;
use crate::messages::opentelemetry::proto::metrics::v1::metric::Data;
use crate::messages::opentelemetry::proto::metrics::v1::number_data_point::Value;
use crate::messages::opentelemetry::proto::metrics::v1::{
    ExponentialHistogramDataPoint, HistogramDataPoint, Metric, NumberDataPoint, ResourceMetrics, SummaryDataPoint,
};
use crate::store::{Rows, Semantic, StoreError};

/// How metrics become rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Names as they are, and one row for each data point, whatever it holds ([`standard`]).
    Standard,
    /// As GreptimeDB 1.0 has them ([`prometheus`]).
    Prometheus,
}

/// A data point of any kind.
#[derive(Debug, Clone, Copy)]
pub(super) enum Point<'a> {
    /// Of a gauge or a sum.
    Number(&'a NumberDataPoint),
    /// Of a histogram.
    Histogram(&'a HistogramDataPoint),
    /// Of a histogram whose buckets grow by a factor.
    Exponential(&'a ExponentialHistogramDataPoint),
    /// Quantiles.
    Summary(&'a SummaryDataPoint),
}

impl<'a> Point<'a> {
    fn attributes(self) -> &'a [KeyValue] {
        match self {
            Self::Number(point) => &point.attributes,
            Self::Histogram(point) => &point.attributes,
            Self::Exponential(point) => &point.attributes,
            Self::Summary(point) => &point.attributes,
        }
    }

    /// Nanoseconds since 1970.
    pub(super) fn time(self) -> i64 {
        let time = match self {
            Self::Number(point) => point.time_unix_nano,
            Self::Histogram(point) => point.time_unix_nano,
            Self::Exponential(point) => point.time_unix_nano,
            Self::Summary(point) => point.time_unix_nano,
        };
        i64::try_from(time).unwrap_or(i64::MAX)
    }
}

/// A gauge's or sum's value; whole numbers beyond 2^53 lose digits. None: nothing was recorded.
pub(super) fn number(point: &NumberDataPoint) -> Option<f64> {
    match point.value? {
        Value::AsDouble(value) => Some(value),
        Value::AsInt(value) => Some(value as f64),
    }
}

/// Frames by table.
#[derive(Default)]
pub(super) struct Frames(BTreeMap<String, Frame>);

impl Frames {
    /// The frame of `table` with a row begun, and its tags set.
    pub(super) fn row<'a>(
        &mut self,
        table: &str,
        tags: impl Iterator<Item = (String, &'a str)>,
    ) -> Result<&mut Frame, StoreError> {
        if table.is_empty() {
            return Err(StoreError::invalid("Invalid table name: a metric has no name"));
        }
        let frame = self.0.entry(table.to_owned()).or_default();
        frame.row();
        for (name, value) in tags {
            frame.set(&name, Semantic::Tag, Cell::Text(value))?;
        }
        Ok(frame)
    }
}

fn metrics(request: &ExportMetricsServiceRequest) -> impl Iterator<Item = (&ResourceMetrics, &Metric)> {
    request.resource_metrics.iter().flat_map(|resource| {
        resource.scope_metrics.iter().flat_map(move |scope| scope.metrics.iter().map(move |metric| (resource, metric)))
    })
}

fn points(metric: &Metric) -> Vec<Point<'_>> {
    match &metric.data {
        None => Vec::new(),
        Some(Data::Gauge(gauge)) => gauge.data_points.iter().map(Point::Number).collect(),
        Some(Data::Sum(sum)) => sum.data_points.iter().map(Point::Number).collect(),
        Some(Data::Histogram(histogram)) => histogram.data_points.iter().map(Point::Histogram).collect(),
        Some(Data::ExponentialHistogram(histogram)) => histogram.data_points.iter().map(Point::Exponential).collect(),
        Some(Data::Summary(summary)) => summary.data_points.iter().map(Point::Summary).collect(),
    }
}

/// How many data points there are.
pub(crate) fn count(request: &ExportMetricsServiceRequest) -> u64 {
    metrics(request).map(|(_, metric)| points(metric).len() as u64).sum()
}

/// The first `most` data points as rows.
///
/// # Errors
///
/// A metric without a name, or one that the shape has no table for.
pub(crate) fn rows(request: &ExportMetricsServiceRequest, most: u64, shape: Shape) -> Result<Vec<Rows>, StoreError> {
    let mut frames = Frames::default();
    let mut left = usize::try_from(most).unwrap_or(usize::MAX);
    for (resource, metric) in metrics(request) {
        let of_resource = resource.resource.as_ref().map_or(&[][..], |resource| &resource.attributes);
        for point in points(metric) {
            if left == 0 {
                break;
            }
            left -= 1;
            match shape {
                Shape::Standard => {
                    standard::add(&mut frames, metric, &texts(&[point.attributes(), of_resource]), point)?;
                }
                Shape::Prometheus => {
                    let mut tags = prometheus::of_resource(of_resource);
                    tags.extend(texts(&[point.attributes()]));
                    prometheus::add(&mut frames, metric, &tags, point)?;
                }
            }
        }
    }
    frames.0.into_iter().map(|(table, frame)| frame.finish(&table)).collect()
}

/// Attributes as names and text. The first of one name counts.
fn texts(attributes: &[&[KeyValue]]) -> Vec<(String, String)> {
    let all = attributes.iter().copied().flatten();
    all.filter_map(|pair| Some((pair.key.clone(), value::text(pair.value.as_ref())?))).collect()
}
