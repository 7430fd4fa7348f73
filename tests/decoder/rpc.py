"""GreptimeDB's gRPC services as a real v1.0.2 was seen to answer: unary and streamed rows, and bulk by Arrow Flight.

Rows are decoded by the C++ protobuf runtime, record batches by Arrow's C++ library.
"""

import base64
import json
import struct
import time
from concurrent import futures

import grpc
import pyarrow
from messages import COLUMN_TYPES, SEMANTICS, VALUES, flight, greptime
from otlp import export
from tables import Refused

MESSAGE_LIMIT = 512 * 1024 * 1024
ARROW_TYPES = {
    pyarrow.bool_(): "boolean", pyarrow.string(): "utf8", pyarrow.binary(): "binary", pyarrow.date32(): "date",
    pyarrow.int8(): "int8", pyarrow.int16(): "int16", pyarrow.int32(): "int32", pyarrow.int64(): "int64",
    pyarrow.uint8(): "uint8", pyarrow.uint16(): "uint16", pyarrow.uint32(): "uint32", pyarrow.uint64(): "uint64",
    pyarrow.float32(): "float32", pyarrow.float64(): "float64",
    pyarrow.timestamp("s"): "timestamp(s)", pyarrow.timestamp("ms"): "timestamp(ms)",
    pyarrow.timestamp("us"): "timestamp(us)", pyarrow.timestamp("ns"): "timestamp(ns)",
}  # fmt: skip


def serve(tables, facts, port):
    """Starts the services; gives the server and its port."""
    options = [("grpc.max_receive_message_length", MESSAGE_LIMIT), ("grpc.so_reuseport", 0)]
    server = grpc.server(futures.ThreadPoolExecutor(64), options=options)
    rows = Rows(tables, facts)
    service = {
        "Handle": grpc.unary_unary_rpc_method_handler(rows.handle, *codec("GreptimeRequest", "GreptimeResponse")),
        "HandleRequests": grpc.stream_unary_rpc_method_handler(rows.handle_all, *codec("GreptimeRequest", "GreptimeResponse")),
    }
    put = grpc.stream_stream_rpc_method_handler(
        Bulk(tables, facts).do_put, flight["FlightData"].FromString, flight["PutResult"].SerializeToString
    )
    logs = grpc.unary_unary_rpc_method_handler(lambda request, context: export(tables, request, dict(context.invocation_metadata())))
    server.add_generic_rpc_handlers(
        (
            grpc.method_handlers_generic_handler("greptime.v1.GreptimeDatabase", service),
            grpc.method_handlers_generic_handler("arrow.flight.protocol.FlightService", {"DoPut": put}),
            grpc.method_handlers_generic_handler("opentelemetry.proto.collector.logs.v1.LogsService", {"Export": logs}),
        )
    )
    port = server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    return server, port


def codec(request, response):
    return greptime[request].FromString, greptime[response].SerializeToString


def database(said):
    """The database that is meant: `public` where nothing is said; a catalog may stand in front."""
    return (said or "public").removeprefix("greptime-")


class Rows:
    """`Handle` and `HandleRequests`: rows that say their own schema."""

    def __init__(self, tables, facts):
        self.tables = tables
        self.facts = facts

    def handle(self, request, context):
        self.facts.call("Handle", context)
        return self.answer(context, self.store(request, context))

    def handle_all(self, requests, context):
        self.facts.call("HandleRequests", context)
        # What was stored stays, also when a later request is refused.
        return self.answer(context, sum(self.store(request, context) for request in requests))

    def answer(self, _, affected):
        response = greptime["GreptimeResponse"]()
        response.header.status.status_code = 0
        response.affected_rows.value = affected
        return response

    def store(self, request, context):
        header = request.header
        self.facts.user(header.authorization.basic.username, header.authorization.basic.password)
        try:
            return sum(
                self.tables.write(database(header.dbname), insert.table_name, *decode(insert.rows), create=True)
                for insert in request.row_inserts.inserts
            )
        except Refused as refused:
            context.set_trailing_metadata((("x-greptime-err-code", str(refused.code)),))
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, refused.words)


def decode(rows):
    """Columns and rows of one table."""
    columns = {
        column.column_name: (COLUMN_TYPES.get(column.datatype, f"type {column.datatype}"), SEMANTICS[column.semantic_type])
        for column in rows.schema
    }
    if len(columns) != len(rows.schema):
        raise Refused(1004, "a column stands twice in the schema")
    expected = [column.datatype for column in rows.schema]
    decoded = []
    for number, row in enumerate(rows.rows):
        if len(row.values) != len(expected):
            raise Refused(1004, f"row {number} has {len(row.values)} values for {len(expected)} columns")
        values = {}
        for name, datatype, value in zip(columns, expected, row.values):
            kind = value.WhichOneof("value")
            if kind is not None and VALUES[kind][2] != datatype:
                raise Refused(1004, f"row {number}: {name} is {columns[name][0]} and has a value of the kind {kind}")
            values[name] = None if kind is None else getattr(value, kind)
        decoded.append(values)
    return columns, decoded


class Bulk:
    """`DoPut`: a schema, then record batches, each with an acknowledgement of its own."""

    def __init__(self, tables, facts):
        self.tables = tables
        self.facts = facts

    def do_put(self, messages, context):
        metadata = self.facts.call("DoPut", context)
        said = metadata.get("x-greptime-auth", "").removeprefix("Basic ")
        if said:
            self.facts.user(*base64.b64decode(said).decode().split(":", 1))
        context.send_initial_metadata(())
        # Comes before the client has sent anything.
        yield acknowledgement(0, 0, 0.0)
        schema = path = None
        for message in messages:
            started = time.monotonic()
            identifier = json.loads(message.app_metadata or b"{}").get("request_id", 0)
            try:
                if schema is None:
                    path = list(message.flight_descriptor.path)
                    schema = self.begin(message, path)
                    continue
                columns, rows, compression = read(schema, message)
                self.facts.batch(compression)
                affected = self.tables.write(database(metadata.get("x-greptime-db-name")), path[0], columns, rows, create=False)
            except (Refused, pyarrow.ArrowException) as error:
                # The real server hides the reason; whoever debugs a test finds it here.
                self.facts.note(f"DoPut of {path}: {error}")
                context.abort(grpc.StatusCode.UNKNOWN, "Execute gRPC request error")
            yield acknowledgement(identifier, affected, time.monotonic() - started)

    def begin(self, message, path):
        """The framed schema message of a stream."""
        if message.flight_descriptor.type != 1 or len(path) != 1 or message.data_body:
            raise Refused(1004, f"no table's schema: descriptor {message.flight_descriptor}")
        schema = framed(message.data_header, b"")
        pyarrow.ipc.open_stream(schema)
        return schema


def acknowledgement(identifier, rows, seconds):
    said = {"request_id": identifier, "affected_rows": rows, "elapsed_secs": seconds}
    return flight["PutResult"](app_metadata=json.dumps(said).encode())


def framed(header, body):
    """An IPC message as it stands in a stream: Flight leaves the frame out."""
    padding = -len(header) % 8
    return b"\xff\xff\xff\xff" + struct.pack("<i", len(header) + padding) + header + bytes(padding) + body


def read(schema, message):
    """Columns and rows of a record batch, and how its buffers are compressed."""
    framing = framed(message.data_header, message.data_body)
    batch = pyarrow.ipc.open_stream(schema + framing).read_next_batch()
    batch.validate(full=True)
    columns, values = {}, []
    for field, column in zip(batch.schema, batch.columns):
        if field.type not in ARROW_TYPES:
            raise Refused(1004, f"column {field.name} is {field.type}")
        semantic = (field.metadata or {}).get(b"greptime:semantic_type")
        columns[field.name] = (ARROW_TYPES[field.type], semantic.decode() if semantic else None)
        # As the numbers that they are on the wire.
        if pyarrow.types.is_timestamp(field.type):
            column = column.cast(pyarrow.int64())
        elif pyarrow.types.is_date32(field.type):
            column = column.cast(pyarrow.int32())
        values.append(column.to_pylist())
    rows = [dict(zip(columns, row)) for row in zip(*values)] if values else []
    return columns, rows, compression(message)


def compression(message):
    """How the body is compressed, told by the first bytes of its first compressed buffer: behind its length each begins as a frame does."""
    frames = {b"\x04\x22\x4d\x18": "lz4", b"\x28\xb5\x2f\xfd": "zstd"}
    body = message.data_body
    for at in range(0, len(body) - 11, 8):
        if body[at + 8 : at + 12] in frames:
            return frames[body[at + 8 : at + 12]]
    return "none"
