"""A benchhost target for Redis, in Python. The contract is in `wit/` at the root of the repository; `resp.py` has the protocol.

One instance of this module is one session of one worker, so a session's state may lie in a module variable.
"""

import json

import resp
from componentize_py_types import Err
from wit_world import exports
from wit_world.exports.about import Description
from wit_world.exports.ingest import Ack
from wit_world.imports.data import Payload
from wit_world.imports.tcp import Connection
from wit_world.imports.types import DataType, Error, ErrorKind, Semantic

SETTINGS = {
    "type": "object",
    "properties": {
        "endpoint": {"type": "string", "description": "Address of the server: `tcp://host:port`."},
        "password": {"type": ["string", "null"], "description": "Password of the server.", "writeOnly": True},
    },
    "required": ["endpoint"],
}

# What each data type is read by. The others have no getter that this plugin knows.
SIGNED = (DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64)
UNSIGNED = (DataType.UINT8, DataType.UINT16, DataType.UINT32, DataType.UINT64)
FLOATS = (DataType.FLOAT32, DataType.FLOAT64)


def error(kind, message, code=None, retryable=False):
    """An error as a value: raised, it becomes the error of the exported function."""
    return Err(Error(kind=kind, code=code, message=message, retryable=retryable, retry_after_ms=None, rows_accepted=None))


class Server:
    """The connection of this session. It is made when it is needed, and again after it broke."""

    def __init__(self):
        self.endpoint = None
        self.password = None
        self.connection = None

    def ask(self, request):
        """Sends a command, bytes or a payload, and gives the reply. An error of the network ends the connection and is passed on."""
        try:
            if self.connection is None:
                self.connection = Connection.connect(self.endpoint)
                if self.password is not None:
                    self.exchange(resp.command("AUTH", self.password))
            return self.exchange(request)
        except Err as failure:
            if failure.value.kind is not ErrorKind.REJECTED and failure.value.kind is not ErrorKind.THROTTLED:
                self.connection = None
            raise

    def exchange(self, request):
        if isinstance(request, Payload):
            self.connection.write_payload(request)
        else:
            self.connection.write(request)
        kind, value = resp.parse(self.connection.read_until(b"\r\n", 65536))
        if kind == "error":
            code, text = value
            busy = code in resp.BUSY
            raise error(ErrorKind.THROTTLED if busy else ErrorKind.REJECTED, text, code, retryable=busy)
        if kind == "strange":
            raise error(ErrorKind.INTERNAL, f"the server answered with what is no reply of Redis: {value}")
        if kind == "bulk":
            return self.connection.read_exact(value + 2)[:-2].decode() if value >= 0 else None
        return value


server = Server()


class About(exports.About):
    def describe(self):
        return Description("redis-python", "0.1.0", "Redis sorted sets, written in Python", json.dumps(SETTINGS))


class Session(exports.Session):
    def open(self, settings, worker):
        given = {setting.name: setting.value for setting in settings}
        server.endpoint, server.password = given["endpoint"], given.get("password")

    def server(self):
        facts = dict(line.split(":", 1) for line in server.ask(resp.command("INFO", "server")).splitlines() if ":" in line)
        return [("product", "Redis"), ("version", facts["redis_version"]), ("mode", facts["redis_mode"])]

    def create_table(self, table):
        for column in table.columns:
            known = (DataType.UTF8, DataType.BOOLEAN) + SIGNED + UNSIGNED + FLOATS
            if column.semantic is not Semantic.TIMESTAMP and column.data_type not in known:
                raise error(ErrorKind.UNSUPPORTED, f"column `{column.name}`: no text for values of type {column.data_type.name}")
        # A sorted set comes into being with its first member.
        server.ask(resp.command("PING"))

    def drop_table(self, table):
        server.ask(resp.command("DEL", table.name))

    def count_rows(self, table, start_ns, end_ns):
        return server.ask(resp.command("ZCOUNT", table.name, *resp.bounds(start_ns, end_ns)))

    def close(self):
        server.connection = None


class Ingest(exports.Ingest):
    def encode(self, batch):
        table = batch.table()
        unit = next(column.data_type for column in table.columns if column.semantic is Semantic.TIMESTAMP)
        try:
            times = [resp.milliseconds(time, unit.name.removeprefix("TIMESTAMP_")) for time in batch.timestamps()]
        except ValueError as problem:
            raise error(ErrorKind.INVALID, str(problem)) from problem
        names, columns = [], []
        for position, column in enumerate(table.columns):
            if column.semantic is not Semantic.TIMESTAMP:
                names.append(column.name)
                columns.append(values(batch, position, column))
        rows = resp.members(names, columns, times)
        return Payload.from_bytes(resp.write(table.name, times, rows), len(times))

    def send(self, payload):
        if payload.size() > 0:
            # The number that comes back counts new members only, which says nothing of a payload that is sent again.
            server.ask(payload)
        return Ack(pending=False, rows=None, server_time_ns=None)


def values(batch, position, column):
    """The values of one column, `None` where NULL. Tags come as keys into a short list, which is the cheapest way to get text."""
    kind = column.data_type
    if column.semantic is Semantic.TAG:
        words = batch.dictionary(position)
        found = [words[key] for key in batch.keys(position)]
    elif kind is DataType.UTF8:
        found = batch.strings(position)
    elif kind is DataType.BOOLEAN:
        found = batch.booleans(position)
    elif kind in SIGNED:
        found = batch.int64s(position)
    elif kind in UNSIGNED:
        found = batch.uint64s(position)
    else:
        found = batch.float64s(position)
    if column.nullable:
        found = list(found)
        for row in batch.nulls(position):
            found[row] = None
    return found
