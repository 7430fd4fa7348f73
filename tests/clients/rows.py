"""The rows that every official client writes, from `rows.json`, and how a script says which of them it wrote.

Numbers stand there as text, so that no reader rounds them. A column that a row lacks is NULL.
"""

import json
from pathlib import Path

LINE_PROTOCOL = ("tag", "i64", "u64", "f64", "bool", "string")
# Rows of the table that is written in more than one batch.
MANY = 2500
BATCH = 1000


def tables(kinds=None):
    """All tables, with their columns of these kinds only."""
    known = json.loads((Path(__file__).parent / "rows.json").read_text("utf-8"))["tables"]
    columns = {"host": "tag", "number": "i64", "ratio": "f64"}
    start = 1_700_000_000_000_000_000
    many = [
        {"host": f"host-{n % 7}", "number": str(n), "ratio": repr(n / 7), "time": str(start + n * 1000)} for n in range(MANY)
    ]
    known.append({"name": "many_rows", "time": "ts", "unit": "ns", "columns": columns, "rows": many})
    for table in known:
        columns = {name: kind for name, kind in table["columns"].items() if kinds is None or kind in kinds}
        kept = [*columns, "time"]
        # Line protocol has no row without a field.
        fields = {name for name, kind in columns.items() if kind != "tag"}
        rows = [{name: row[name] for name in kept if name in row} for row in table["rows"]]
        table["columns"], table["rows"] = columns, [row for row in rows if fields & row.keys()]
    return known


def value(kind, text):
    """A cell in Python's own types."""
    if kind in ("tag", "string", "bool"):
        return text
    if kind in ("f32", "f64"):
        return float(text)
    if kind == "binary":
        return bytes.fromhex(text)
    return int(text)


def points(table, point, precision):
    """Rows as points of one of InfluxDB's clients: it is told which integers are unsigned, and the rest it sees."""
    unsigned = {name: "uint" for name, kind in table["columns"].items() if kind == "u64"}

    def parts(row, tags):
        return {
            name: value(kind, row[name]) for name, kind in table["columns"].items() if name in row and (kind == "tag") == tags
        }

    def dictionary(row):
        return {"measurement": table["name"], "tags": parts(row, True), "fields": parts(row, False), "time": int(row["time"])}

    return [point.from_dict(dictionary(row), write_precision=precision, field_types=unsigned) for row in table["rows"]]


def batches(rows):
    """Rows in lists that are short enough for one request."""
    return [rows[at : at + BATCH] for at in range(0, len(rows), BATCH)]


def report(written):
    """Prints what was written: tables as they stand in `rows.json`."""
    print(json.dumps({"tables": written}, ensure_ascii=True))
