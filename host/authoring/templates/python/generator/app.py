"""A dataset of benchhost: readings of some hosts, one a second each, without an end.

The host calls the classes below, which are the exports of the world `generator` in `wit/`. Every value is a function of the seed and the
row's position alone, so any instance may make any rows in any order, and they are the same every time.

The build runs this module once and keeps what it made, so nothing here may ask the host for anything before `open` is called. Python's own
`random` would give every instance the same numbers, and others for another order of calls: do not use it.
"""

import json

from componentize_py_types import Err
from rows import Readings
from wit_world import exports
from wit_world.exports.about import Description
from wit_world.exports.dataset import Facts
from wit_world.imports.data import Dictionary
from wit_world.imports.types import Column, DataType, Error, ErrorKind, Semantic, Table

# The most hosts.
MOST_HOSTS = 1_000_000

# What a user can set with `-P name=value`, as a JSON Schema. The host checks it and fills in the defaults.
SETTINGS = {
    "type": "object",
    "properties": {
        "hosts": {
            "type": "integer",
            "description": "How many hosts report.",
            "default": 10,
            "minimum": 1,
            "maximum": MOST_HOSTS,
        },
    },
}

# The one table. A column is named by its position in it.
HOST, VALUE, COUNT = 0, 1, 2
TABLE = Table(
    "@NAME@",
    [
        Column("host", Semantic.TAG, DataType.UTF8, nullable=False),
        Column("value", Semantic.FIELD, DataType.FLOAT64, nullable=False),
        Column("count", Semantic.FIELD, DataType.INT64, nullable=True),
        Column("ts", Semantic.TIMESTAMP, DataType.TIMESTAMP_MILLISECOND, nullable=False),
    ],
)


def error(kind, message):
    """An error as a value: raised, it becomes the error of the exported function. For none of these is trying again of any use."""
    return Err(Error(kind, code=None, message=message, retryable=False, retry_after_ms=None, rows_accepted=None))


class Open:
    """What one instance keeps."""

    def __init__(self, seed, hosts):
        self.readings = Readings(seed, hosts)
        # The hosts' names. Made once: a batch holds numbers that point into it.
        self.names = Dictionary([f"host_{host}" for host in range(hosts)])


opened = None


class About(exports.About):
    def describe(self):
        return Description("@NAME@", "0.1.0", "Readings of hosts, one a second each", json.dumps(SETTINGS))


class Dataset(exports.Dataset):
    def open(self, settings, seed):
        global opened
        hosts = next((setting.value for setting in settings if setting.name == "hosts"), "")
        if not (hosts.isascii() and hosts.isdigit() and 1 <= int(hosts) <= MOST_HOSTS):
            raise error(ErrorKind.INVALID, f"`hosts` is missing, or not from 1 to {MOST_HOSTS}")
        opened = Open(seed, int(hosts))
        return Facts(tables=[TABLE], rows=None, series=int(hosts), seekable=True)

    def fill(self, table, first_row, rows, into):
        if opened is None:
            raise error(ErrorKind.INTERNAL, "the dataset is not open")
        readings, positions = opened.readings, range(first_row, first_row + rows)
        if readings.time(positions.stop) is None:
            raise error(ErrorKind.INVALID, f"rows from {first_row} on lie past the end of time")
        counts = [readings.count(row) for row in positions]
        # One call for a whole column: a call for each row would cost more than making it.
        into.append_timestamps([readings.time(row) for row in positions])
        into.append_keys(HOST, opened.names, [readings.host(row) for row in positions])
        into.append_float64s(VALUE, [readings.value(row) for row in positions])
        # A column is appended whole, with any value where there is none, and the rows that have none are named.
        into.append_int64s(COUNT, [count or 0 for count in counts])
        into.mark_nulls(COUNT, [row for row, count in enumerate(counts) if count is None])
