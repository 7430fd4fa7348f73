"""What the decoder has received: tables of columns and rows, in the order of arrival."""

import json
import math
import threading

from sql import Refused


class Table:
    """Columns by name, each with its type and semantic, and rows as dictionaries."""

    def __init__(self, columns):
        self.columns = dict(columns)
        self.rows = []

    def time_column(self):
        return next((name for name, (_, semantic) in self.columns.items() if semantic == "timestamp"), None)


class Tables:
    """All tables of all databases, by database and name. Every method may be called by several threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.tables = {}

    def create(self, database, name, columns, if_not_exists=False):
        with self.lock:
            if (database, name) in self.tables:
                if if_not_exists:
                    return
                raise Refused(4000, f"Table already exists: `greptime.{database}.{name}`")
            self.tables[database, name] = Table(columns)

    def drop(self, database, name, if_exists=False):
        with self.lock:
            if self.tables.pop((database, name), None) is None and not if_exists:
                raise Refused(4001, f"Table not found: greptime.{database}.{name}")

    def clear(self, database, name):
        with self.lock:
            self.find(database, name).rows.clear()

    def find(self, database, name):
        table = self.tables.get((database, name))
        if table is None:
            raise Refused(4001, f"Failed to plan SQL: Table not found: greptime.{database}.{name}")
        return table

    def write(self, database, name, columns, rows, create):
        """Adds rows whose columns have these types; a table that is not there is made of them where `create` says so."""
        with self.lock:
            if create and (database, name) not in self.tables:
                self.tables[database, name] = Table(columns)
            table = self.find(database, name)
            for column, (kind, semantic) in columns.items():
                known = table.columns.get(column)
                if known is None and create:
                    table.columns[column] = (kind, semantic)
                elif known is not None and known[0] != kind:
                    raise Refused(1004, f"column {column} expect type {known[0]}, given: {kind}")
                elif known is not None and semantic is not None and known[1] != semantic:
                    raise Refused(1004, f"column {column} is a {known[1]}, given as a {semantic}")
            missing = [column for column in table.columns if column not in columns]
            if missing and not create:
                raise Refused(1004, f"columns are missing: {missing}")
            table.rows.extend(rows)
        return len(rows)

    def describe(self):
        """Names, columns and numbers of rows, as JSON can say them."""
        with self.lock:
            return [
                {
                    "database": database,
                    "table": name,
                    "columns": [{"name": column, "type": t, "semantic": s} for column, (t, s) in table.columns.items()],
                    "rows": len(table.rows),
                }
                for (database, name), table in self.tables.items()
            ]

    def lines(self, database, name):
        """The rows of a table, a JSON object each."""
        with self.lock:
            rows = list(self.find(database, name).rows)
        return b"".join(json.dumps(plain(row), ensure_ascii=False).encode() + b"\n" for row in rows)


def plain(value):
    """A value as JSON can say it: bytes as hexadecimal digits, and numbers that JSON lacks as text."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
