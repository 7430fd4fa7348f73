"""The official Python exporters of OpenTelemetry: logs and metrics, by HTTP and by gRPC.

python otlp.py http|grpc LOGS_ENDPOINT METRICS_ENDPOINT [NAME=VALUE...]; the endpoint `-` leaves that kind out, and the rest are headers of all requests. For
HTTP an endpoint is the whole URL.

The exporters keep errors to themselves: whoever runs this must look at the receiver.
"""

import json
import sys

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource

START = 1_709_251_199_123_456_789
SEVERITIES = [SeverityNumber.INFO, SeverityNumber.WARN, SeverityNumber.ERROR, SeverityNumber.DEBUG]
TEXTS = ["plain", "double \" and 'single'", "ünïcödé 漢字 🦀", "two\nlines", "back\\slash", "a,b=c d"]
WHOLE = [0, 1, -1, 2**63 - 1, -(2**63), 9007199254740993]
RATIOS = [0.0, 0.1, -1.5, 1.7976931348623157e308, 5e-324, 1e21]
LOGS = 300
RESOURCE = {"service.name": "official-exporter", "host.name": "host-0"}


def exporters(transport):
    """The exporters of a transport, for logs and for metrics."""
    if transport == "http":
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    else:
        from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter
        from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
    return OTLPLogExporter, OTLPMetricExporter


def log(number):
    """One record; each third one has no attribute `text`, and each fifth no `ratio`."""
    severity = SEVERITIES[number % len(SEVERITIES)]
    attributes = {"sequence": number, "whole": WHOLE[number % len(WHOLE)], "flag": number % 2 == 0}
    if number % 3:
        attributes["text"] = TEXTS[number % len(TEXTS)]
    if number % 5:
        attributes["ratio"] = RATIOS[number % len(RATIOS)]
    return {
        "time": START + number,
        "severity_number": severity.value,
        "severity_text": severity.name,
        "body": f"{TEXTS[number % len(TEXTS)]} {number}",
        "attributes": attributes,
    }


def write_logs(exporter):
    """Sends the records in batches, and gives them."""
    provider = LoggerProvider(Resource(RESOURCE), shutdown_on_exit=False)
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter, max_queue_size=LOGS, max_export_batch_size=100))
    logger = provider.get_logger("official")
    logs = [log(number) for number in range(LOGS)]
    for one in logs:
        logger.emit(
            LogRecord(
                timestamp=one["time"],
                observed_timestamp=one["time"],
                severity_number=SeverityNumber(one["severity_number"]),
                severity_text=one["severity_text"],
                body=one["body"],
                attributes=one["attributes"],
            )
        )
    provider.shutdown()
    return logs


def write_metrics(exporter):
    """Sends a counter, a gauge and a histogram, and tells what they should come to."""
    reader = PeriodicExportingMetricReader(exporter, export_interval_millis=3_600_000)
    provider = MeterProvider([reader], Resource(RESOURCE), shutdown_on_exit=False)
    meter = provider.get_meter("official")
    counter = meter.create_counter("official.requests", unit="1")
    gauge = meter.create_gauge("official.temperature")
    histogram = meter.create_histogram("official.duration", unit="s", explicit_bucket_boundaries_advisory=[0.1, 1.0])
    for route, times in (("/a", 3), ("/b", 4)):
        for _ in range(times):
            counter.add(2, {"route": route})
    gauge.set(-12.25, {"room": "ünïcödé"})
    for seconds in (0.05, 0.5, 0.5, 2.0):
        histogram.record(seconds, {"route": "/a"})
    provider.shutdown()
    return {
        "official.requests": [{"attributes": {"route": "/a"}, "value": 6}, {"attributes": {"route": "/b"}, "value": 8}],
        "official.temperature": [{"attributes": {"room": "ünïcödé"}, "value": -12.25}],
        "official.duration": [{"attributes": {"route": "/a"}, "count": 4, "sum": 3.05, "buckets": [1, 2, 1]}],
    }


def main(transport, logs_endpoint, metrics_endpoint, *pairs):
    headers = dict(pair.split("=", 1) for pair in pairs)
    log_exporter, metric_exporter = exporters(transport)
    more = {"headers": headers} if transport == "http" else {"headers": tuple(headers.items()), "insecure": True}
    written = {"resource": RESOURCE}
    if logs_endpoint != "-":
        written["logs"] = write_logs(log_exporter(endpoint=logs_endpoint, **more))
    if metrics_endpoint != "-":
        written["metrics"] = write_metrics(metric_exporter(endpoint=metrics_endpoint, **more))
    print(json.dumps(written))


if __name__ == "__main__":
    main(*sys.argv[1:])
