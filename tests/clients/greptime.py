"""The official GreptimeDB client, greptimedb-ingester: row inserts, and bulk writes with every compression.

python greptime.py HTTP GRPC [DATABASE]; bulk tables get the compression behind their names.
"""

import json
import sys
import urllib.parse
import urllib.request

from greptimedb_ingester import Client, Column, ColumnDataType, SemanticType, WriteOptions
from rows import batches, report, tables, value

KINDS = {
    "tag": (ColumnDataType.STRING, "STRING"), "string": (ColumnDataType.STRING, "STRING"),
    "bool": (ColumnDataType.BOOLEAN, "BOOLEAN"), "binary": (ColumnDataType.BINARY, "BINARY"),
    "date": (ColumnDataType.DATE, "DATE"), "f32": (ColumnDataType.FLOAT32, "FLOAT"),
    "f64": (ColumnDataType.FLOAT64, "DOUBLE"), "i8": (ColumnDataType.INT8, "TINYINT"),
    "i16": (ColumnDataType.INT16, "SMALLINT"), "i32": (ColumnDataType.INT32, "INT"),
    "i64": (ColumnDataType.INT64, "BIGINT"), "u8": (ColumnDataType.UINT8, "TINYINT UNSIGNED"),
    "u16": (ColumnDataType.UINT16, "SMALLINT UNSIGNED"), "u32": (ColumnDataType.UINT32, "INT UNSIGNED"),
    "u64": (ColumnDataType.UINT64, "BIGINT UNSIGNED"),
}  # fmt: skip
TIMES = {
    "ms": (ColumnDataType.TIMESTAMP_MILLISECOND, "TIMESTAMP(3)", 1_000_000),
    "ns": (ColumnDataType.TIMESTAMP_NANOSECOND, "TIMESTAMP(9)", 1),
}


def described(table):
    """The client's columns."""

    def column(name, kind):
        return Column(name, KINDS[kind][0], SemanticType.TAG if kind == "tag" else SemanticType.FIELD)

    time = Column(table["time"], TIMES[table["unit"]][0], SemanticType.TIMESTAMP)
    return [*(column(name, kind) for name, kind in table["columns"].items()), time]


def lists(table):
    """Rows as lists in the order of the columns."""
    unit = TIMES[table["unit"]][2]

    def cell(row, name, kind):
        return value(kind, row[name]) if name in row else None

    return [
        [*(cell(row, name, kind) for name, kind in table["columns"].items()), int(row["time"]) // unit] for row in table["rows"]
    ]


def create(http, database, table):
    """Makes a table by SQL: the bulk path makes none."""

    def quoted(name):
        return '"' + name.replace('"', '""') + '"'

    columns = [f"{quoted(name)} {KINDS[kind][1]} NULL" for name, kind in table["columns"].items()]
    columns.append(f"{quoted(table['time'])} {TIMES[table['unit']][1]} TIME INDEX")
    keys = ", ".join(quoted(name) for name, kind in table["columns"].items() if kind == "tag")
    statement = f"CREATE TABLE {quoted(table['name'])} ({', '.join(columns)}, PRIMARY KEY ({keys}))"
    body = urllib.parse.urlencode({"sql": statement}).encode()
    with urllib.request.urlopen(f"{http}/v1/sql?db={database}", body, timeout=30) as answer:
        json.load(answer)


def main(http, grpc, database="public"):
    client = Client([grpc.removeprefix("http://")], database=database)
    written = []
    for table in tables():
        rows = lists(table)
        affected = sum(client.insert(table["name"], described(table), batch) for batch in batches(rows))
        assert affected == len(rows), f"{affected} of {len(rows)} rows of {table['name']}"
        written.append(table)
        for compression in ("none", "lz4", "zstd"):
            bulk = {**table, "name": f"{table['name']}_{compression}"}
            create(http, database, bulk)
            writer = client.bulk_writer(bulk["name"], described(bulk), WriteOptions(compression=compression))
            for batch in batches(rows):
                part = writer.alloc_rows(len(batch))
                part.add_rows(batch)
                writer.write_async(part)
            responses = writer.finish_with_responses()
            affected = sum(response.affected_rows for response in responses)
            assert affected == len(rows), f"{affected} of {len(rows)} rows of {bulk['name']}"
            written.append(bulk)
    report(written)


if __name__ == "__main__":
    main(*sys.argv[1:])
