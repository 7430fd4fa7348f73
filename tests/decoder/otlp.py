"""OTLP logs, decoded by the messages that OpenTelemetry itself publishes for Python."""

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from tables import Table

# Called as GreptimeDB's identity pipeline calls it, so that rows can be counted by it.
TIME = "Timestamp"
COLUMNS = [TIME, "observed_time", "severity_number", "severity_text", "body", "attributes", "resource", "scope"]
TABLE_HEADER = "x-greptime-log-table-name"
DATABASE_HEADER = "x-greptime-db-name"


def export(tables, body, headers):
    """Keeps the log records of a request in the table that a header names, or else in `logs`; the answer of one that went well is empty."""
    name = headers.get(TABLE_HEADER, "logs")
    database = headers.get(DATABASE_HEADER, "public")
    rows = [
        {
            TIME: record.time_unix_nano,
            "observed_time": record.observed_time_unix_nano,
            "severity_number": record.severity_number,
            "severity_text": record.severity_text,
            "body": value(record.body),
            "attributes": attributes(record.attributes),
            "resource": attributes(logs.resource.attributes),
            "scope": scope.scope.name,
        }
        for logs in ExportLogsServiceRequest.FromString(body).resource_logs
        for scope in logs.scope_logs
        for record in scope.log_records
    ]
    with tables.lock:
        columns = {column: ("otlp", "timestamp" if column == TIME else "field") for column in COLUMNS}
        tables.tables.setdefault((database, name), Table(columns)).rows.extend(rows)
    return b""


def attributes(pairs):
    """Attributes by name. A name that comes twice is not for a dictionary."""
    named = {pair.key: value(pair.value) for pair in pairs}
    if len(named) != len(pairs):
        raise ValueError(f"an attribute comes twice: {[pair.key for pair in pairs]}")
    return named


def value(any_value):
    """An `AnyValue` in Python's own types."""
    kind = any_value.WhichOneof("value")
    if kind is None:
        return None
    if kind == "array_value":
        return [value(one) for one in any_value.array_value.values]
    if kind == "kvlist_value":
        return attributes(any_value.kvlist_value.values)
    return getattr(any_value, kind)
