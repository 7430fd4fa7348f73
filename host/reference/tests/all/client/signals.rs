//! Log records and metrics to export.

use super::messages::opentelemetry::proto::collector::logs::v1::ExportLogsServiceRequest;
use super::messages::opentelemetry::proto::collector::metrics::v1::ExportMetricsServiceRequest;
use super::messages::opentelemetry::proto::common::v1::any_value::Value as Any;
use super::messages::opentelemetry::proto::common::v1::{AnyValue, InstrumentationScope, KeyValue, Resource};
use super::messages::opentelemetry::proto::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use super::messages::opentelemetry::proto::metrics::v1::exponential_histogram_data_point::Buckets;
use super::messages::opentelemetry::proto::metrics::v1::metric::Data;
use super::messages::opentelemetry::proto::metrics::v1::number_data_point::Value as Number;
use super::messages::opentelemetry::proto::metrics::v1::summary_data_point::ValueAtQuantile;
use super::messages::opentelemetry::proto::metrics::v1::{
    ExponentialHistogram, ExponentialHistogramDataPoint, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint,
    ResourceMetrics, ScopeMetrics, Sum, Summary, SummaryDataPoint,
};

/// When everything happened: 2024-01-01, in nanoseconds.
pub(crate) const TIME: u64 = 1_704_067_200_000_000_000;

pub(crate) fn any(value: Any) -> Option<AnyValue> {
    Some(AnyValue { value: Some(value) })
}

pub(crate) fn pair(key: &str, value: Any) -> KeyValue {
    KeyValue { key: key.into(), value: any(value) }
}

pub(crate) fn text(text: &str) -> Any {
    Any::StringValue(text.into())
}

pub(crate) fn record(attributes: Vec<KeyValue>) -> LogRecord {
    LogRecord {
        time_unix_nano: TIME,
        observed_time_unix_nano: TIME + 5,
        severity_number: 9,
        severity_text: "INFO".into(),
        body: any(text("benchmark")),
        attributes,
        flags: 1,
        trace_id: (0..16).collect(),
        span_id: vec![0xab; 8],
        ..LogRecord::default()
    }
}

pub(crate) fn logs(records: Vec<LogRecord>) -> ExportLogsServiceRequest {
    let resource = Resource { attributes: vec![pair("service.name", text("api"))], dropped_attributes_count: 0 };
    let scope = InstrumentationScope { name: "lib".into(), version: "1.2".into(), ..InstrumentationScope::default() };
    let scope_logs = vec![ScopeLogs { scope: Some(scope), log_records: records, schema_url: "s".into() }];
    ExportLogsServiceRequest {
        resource_logs: vec![ResourceLogs { resource: Some(resource), scope_logs, schema_url: "r".into() }],
    }
}

pub(crate) fn point(value: Number, host: &str) -> NumberDataPoint {
    NumberDataPoint {
        attributes: vec![pair("host.name", text(host))],
        time_unix_nano: TIME,
        value: Some(value),
        ..NumberDataPoint::default()
    }
}

pub(crate) fn metric(name: &str, unit: &str, data: Data) -> Metric {
    Metric { name: name.into(), unit: unit.into(), data: Some(data), ..Metric::default() }
}

pub(crate) fn metrics(metrics: Vec<Metric>) -> ExportMetricsServiceRequest {
    let resource = Resource { attributes: vec![pair("service.name", text("api"))], dropped_attributes_count: 0 };
    let scope_metrics = vec![ScopeMetrics { scope: None, metrics, schema_url: String::new() }];
    ExportMetricsServiceRequest {
        resource_metrics: vec![ResourceMetrics { resource: Some(resource), scope_metrics, schema_url: String::new() }],
    }
}

pub(crate) fn all_kinds() -> Vec<Metric> {
    let gauge = Gauge { data_points: vec![point(Number::AsDouble(0.5), "a"), point(Number::AsInt(3), "b")] };
    let sum = Sum { data_points: vec![point(Number::AsInt(7), "a")], aggregation_temporality: 2, is_monotonic: true };
    let histogram = HistogramDataPoint {
        time_unix_nano: TIME,
        count: 6,
        sum: Some(9.5),
        bucket_counts: vec![1, 2, 3],
        explicit_bounds: vec![0.5, 1.0],
        min: Some(0.1),
        ..HistogramDataPoint::default()
    };
    let summary = SummaryDataPoint {
        time_unix_nano: TIME,
        count: 2,
        sum: 3.0,
        quantile_values: vec![ValueAtQuantile { quantile: 0.5, value: 1.5 }],
        ..SummaryDataPoint::default()
    };
    vec![
        metric("my.metric", "s", Data::Gauge(gauge)),
        metric("my.sum", "By", Data::Sum(sum)),
        metric("my.hist", "", Data::Histogram(Histogram { data_points: vec![histogram], aggregation_temporality: 2 })),
        metric("my.summary", "", Data::Summary(Summary { data_points: vec![summary] })),
    ]
}

pub(crate) fn exponential() -> Metric {
    let point = ExponentialHistogramDataPoint {
        time_unix_nano: TIME,
        count: 4,
        sum: Some(8.0),
        scale: -1,
        zero_count: 1,
        positive: Some(Buckets { offset: -2, bucket_counts: vec![1, 2] }),
        ..ExponentialHistogramDataPoint::default()
    };
    metric(
        "my.exp",
        "",
        Data::ExponentialHistogram(ExponentialHistogram { data_points: vec![point], aggregation_temporality: 2 }),
    )
}
