"""A target of benchhost: rows as line protocol over HTTP, as InfluxDB 1 takes them.

The host calls the classes below, which are the exports of the world `target` in `wit/`. Rows, request bodies and connections live in the
host; here are only handles to them. One instance of this module is one session of one worker, so nothing is ever shared.

The build runs this module once and keeps what it made, so nothing here may ask the host for anything before `open` is called.
"""

import json

import influx
from componentize_py_types import Err
from wit_world import exports
from wit_world.exports.about import Description
from wit_world.exports.ingest import Ack
from wit_world.imports.encode import LineProtocol, TimeUnit
from wit_world.imports.http import Client
from wit_world.imports.types import Error, ErrorKind, Semantic

# What a user can set with `-P name=value`, as a JSON Schema. The host checks it and fills in the defaults.
SETTINGS = {
    "type": "object",
    "properties": {
        "endpoint": {"type": "string", "description": "Address of the server: `http://host:port`."},
        "database": {
            "type": "string",
            "description": "Name of the database; it is made when it is not there.",
            "default": "benchhost",
        },
    },
    "required": ["endpoint"],
}


def error(kind, message, code=None, retryable=False, retry_after_ms=None):
    """An error as a value: raised, it becomes the error of the exported function. Errors of imported functions come the same way."""
    return Err(Error(kind, code, message, retryable, retry_after_ms, rows_accepted=None))


class Influx:
    """What one session keeps."""

    def __init__(self, endpoint, database):
        self.database = database
        self.client = Client.connect(endpoint)
        # The request that carries every batch. The host has checked and copied it once.
        self.write = self.client.prepare("POST", f"/write?db={influx.percent_encoded(database)}&precision=ns", [])
        # It remembers what it can reuse between batches.
        self.encoder = LineProtocol(TimeUnit.NANOSECOND)

    def query(self, method, statement):
        """Sends an InfluxQL statement and gives its result, which is empty where there is nothing of that name."""
        database, statement = influx.percent_encoded(self.database), influx.percent_encoded(statement)
        response = accepted(self.client.send(method, f"/query?db={database}&epoch=ns&q={statement}", [], None))
        answer = text(response, 2**32 - 1)
        result, refusal = influx.parsed(answer)
        if refusal is not None:
            # An error may come with status 200. That something is not there is none for those who remove it or count in it.
            if "not found" in refusal:
                return {}
            raise error(ErrorKind.REJECTED, refusal)
        if result is None:
            raise error(ErrorKind.INTERNAL, f"the server answered a statement with: {answer[:200]}")
        return result


def accepted(response):
    """The response, if its status is 2xx; otherwise the error that it stands for."""
    status = response.status()
    if 200 <= status < 300:
        return response
    if status in (429, 503):
        kind = ErrorKind.THROTTLED
    else:
        kind = ErrorKind.UNAVAILABLE if status >= 500 else ErrorKind.REJECTED
    # The host sends the same payload again, after its own back-off where the server names no time.
    wait = influx.retry_after_ms(response.header("Retry-After"))
    raise error(kind, text(response, 200), str(status), kind is not ErrorKind.REJECTED, wait)


def text(response, most):
    """At most `most` bytes of an answer's body."""
    return response.body().read(0, most).decode("utf-8", "replace")


session = None


def opened():
    """The session that `open` has made."""
    if session is None:
        raise error(ErrorKind.INTERNAL, "there is no open session")
    return session


class About(exports.About):
    def describe(self):
        return Description("@NAME@", "0.1.0", "Line protocol over HTTP, as InfluxDB 1 takes it", json.dumps(SETTINGS))


class Session(exports.Session):
    def open(self, settings, worker):
        global session
        given = {setting.name: setting.value for setting in settings}
        for name in ("endpoint", "database"):
            if name not in given:
                raise error(ErrorKind.INVALID, f"the setting `{name}` is missing")
        session = Influx(given["endpoint"], given["database"])

    def server(self):
        response = accepted(opened().client.send("GET", "/ping", [], None))
        return [("product", "InfluxDB"), ("version", response.header("X-Influxdb-Version") or "unknown")]

    def create_table(self, table):
        # A measurement comes into being with its first row.
        opened().query("POST", f"CREATE DATABASE {influx.identifier(opened().database)}")

    def drop_table(self, table):
        opened().query("POST", f"DROP MEASUREMENT {influx.identifier(table.name)}")

    def count_rows(self, table, start_ns, end_ns):
        # `COUNT` counts values, so it counts rows only where every row has one.
        fields = [column.name for column in table.columns if column.semantic is Semantic.FIELD and not column.nullable]
        if not fields:
            raise error(
                ErrorKind.UNSUPPORTED,
                f"rows of `{table.name}` cannot be counted: no field has a value in every row",
            )
        statement = influx.count_statement(table.name, fields[0], start_ns, end_ns)
        if statement is None:
            return 0
        result = opened().query("GET", statement)
        counted = influx.count(result)
        if counted is None:
            raise error(ErrorKind.INTERNAL, f"no count in the answer: {str(result)[:200]}")
        return counted

    def close(self):
        global session
        session = None


class Ingest(exports.Ingest):
    def encode(self, batch):
        return opened().encoder.encode(batch)

    def send(self, payload):
        response = opened().write.send(payload)
        # None is the usual answer to a write: 2xx without a body.
        if response is not None:
            accepted(response)
        # The server does not say how many rows it stored.
        return Ack(pending=False, rows=None, server_time_ns=None)
