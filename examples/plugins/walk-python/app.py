"""A benchhost dataset in Python: random walks, such as prices or temperatures. The contract is in `wit/` at the root of the repository;
`walk.py` has the walks.

A dataset is best made so that every value is a function of the seed and the row's position: then it is `seekable`, and each worker makes
its own rows. Python's own `random` would give every instance the same numbers, since the build keeps its state.
"""

import json

from componentize_py_types import Err
from walk import LEVELS, Walk
from wit_world import exports
from wit_world.exports.about import Description
from wit_world.exports.dataset import Facts
from wit_world.imports.data import Dictionary
from wit_world.imports.types import Column, DataType, Error, ErrorKind, Semantic, Table

SETTINGS = {
    "type": "object",
    "properties": {
        "series": {
            "type": "integer",
            "description": "How many walks there are.",
            "default": 10,
            "minimum": 1,
            "maximum": 100_000,
        },
        "deviation": {
            "type": "number",
            "description": "How far one step goes: its standard deviation.",
            "default": 1,
            "minimum": 0,
            "maximum": 1_000_000,
        },
    },
}

# The start of 2026, in milliseconds since the Unix epoch, and the time between two steps.
START_MS, STEP_MS = 1_767_225_600_000, 1_000

SERIES, VALUE = 0, 1
TABLE = Table(
    "walk",
    [
        Column("series", Semantic.TAG, DataType.UTF8, nullable=False),
        Column("value", Semantic.FIELD, DataType.FLOAT64, nullable=False),
        Column("ts", Semantic.TIMESTAMP, DataType.TIMESTAMP_MILLISECOND, nullable=False),
    ],
)


def error(kind, message):
    """An error as a value: raised, it becomes the error of the exported function."""
    return Err(Error(kind, code=None, message=message, retryable=False, retry_after_ms=None, rows_accepted=None))


class Walks:
    """What one instance keeps."""

    def __init__(self, seed, series, deviation):
        self.series = [Walk(seed, number) for number in range(series)]
        self.deviation = deviation
        self.names = Dictionary([f"walk_{number}" for number in range(series)])


walks = None


class About(exports.About):
    def describe(self):
        return Description("walk-python", "0.1.0", "Random walks, written in Python", json.dumps(SETTINGS))


class Dataset(exports.Dataset):
    def open(self, settings, seed):
        global walks
        given = {setting.name: setting.value for setting in settings}
        try:
            walks = Walks(seed, int(given["series"]), float(given["deviation"]))
        except (KeyError, ValueError) as problem:
            raise error(ErrorKind.INVALID, f"`series` or `deviation` is missing, or no number: {problem}") from problem
        return Facts(tables=[TABLE], rows=None, series=len(walks.series), seekable=True)

    def fill(self, table, first_row, rows, into):
        if walks is None:
            raise error(ErrorKind.INTERNAL, "the dataset is not open")
        series, count = walks.series, len(walks.series)
        if first_row + rows > count << LEVELS:
            raise error(ErrorKind.INVALID, f"rows from {first_row} on lie past the end of the walks")
        # Each series has its turn at every step.
        turns = [divmod(row, count) for row in range(first_row, first_row + rows)]
        into.append_timestamps([START_MS + step * STEP_MS for step, _ in turns])
        into.append_keys(SERIES, walks.names, [number for _, number in turns])
        into.append_float64s(VALUE, [round(series[number].place(step) * walks.deviation, 3) for step, number in turns])
