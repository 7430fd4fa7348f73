"""As much SQL as a benchmark's target needs around its writes: make, describe, count and drop tables. Counting is SQLite's."""

import re
import sqlite3

TYPES = {
    "string": "utf8", "text": "utf8", "varchar": "utf8", "boolean": "boolean", "binary": "binary", "varbinary": "binary", "date": "date",
    "tinyint": "int8", "int8": "int8", "smallint": "int16", "int16": "int16", "int": "int32", "integer": "int32", "int32": "int32",
    "bigint": "int64", "int64": "int64", "uint8": "uint8", "uint16": "uint16", "uint32": "uint32", "uint64": "uint64",
    "tinyint unsigned": "uint8", "smallint unsigned": "uint16", "int unsigned": "uint32", "bigint unsigned": "uint64",
    "float": "float32", "float32": "float32", "real": "float32", "double": "float64", "float64": "float64",
    "timestamp(0)": "timestamp(s)", "timestamp(3)": "timestamp(ms)", "timestamp(6)": "timestamp(us)",
    "timestamp(9)": "timestamp(ns)", "timestamp": "timestamp(ms)", "timestamp_s": "timestamp(s)",
    "timestamp_ms": "timestamp(ms)", "timestamp_us": "timestamp(us)", "timestamp_ns": "timestamp(ns)",
}  # fmt: skip
# The same types as `DESC TABLE` spells them.
DESCRIBED = {
    "boolean": "Boolean", "utf8": "String", "binary": "Binary", "date": "Date", "float32": "Float32", "float64": "Float64",
    "int8": "Int8", "int16": "Int16", "int32": "Int32", "int64": "Int64",
    "uint8": "UInt8", "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64",
    "timestamp(s)": "TimestampSecond", "timestamp(ms)": "TimestampMillisecond",
    "timestamp(us)": "TimestampMicrosecond", "timestamp(ns)": "TimestampNanosecond",
}  # fmt: skip
TOKEN = re.compile(r"""\s*("(?:[^"]|"")*"|`(?:[^`]|``)*`|'(?:[^']|'')*'|[A-Za-z_][\w]*|\d+|.)""", re.S)


class Refused(Exception):
    """The server says no: with a code of GreptimeDB's and words."""

    def __init__(self, code, words):
        super().__init__(words)
        self.code = code
        self.words = words


def tokens(text):
    return [token for token in TOKEN.findall(text.strip().rstrip(";")) if token.strip()]


def name(token):
    """An identifier without its quotes."""
    if token[:1] in ('"', "`"):
        return token[1:-1].replace(token[0] * 2, token[0])
    return token


def execute(tables, database, text):
    """Runs a statement: `("affected", n)` or `("records", names, types, rows)`."""
    words = tokens(text)
    verb = [word.lower() for word in words[:2]]
    if verb == ["create", "table"]:
        created, columns, lenient = create_table(words)
        tables.create(database, created, columns, lenient)
        return ("affected", 0)
    if verb == ["create", "database"]:
        return ("affected", 1)
    if verb == ["drop", "table"]:
        tables.drop(database, name(words[-1]), "exists" in [word.lower() for word in words[2:4]])
        return ("affected", 0)
    if verb[0] == "truncate":
        tables.clear(database, name(words[-1]))
        return ("affected", 0)
    if verb[0] in ("desc", "describe"):
        with tables.lock:
            columns = tables.find(database, name(words[-1])).columns
        rows = [[column, DESCRIBED[kind], semantic.upper()] for column, (kind, semantic) in columns.items()]
        return ("records", ["Column", "Type", "Semantic Type"], ["String"] * 3, rows)
    if verb[0] == "select":
        return select(tables, database, text.strip().rstrip(";"))
    raise Refused(2000, f"the decoder does not know this statement: {text}")


def create_table(words):
    """Name, columns and whether it may be there already."""
    at = 2
    lenient = [word.lower() for word in words[2:5]] == ["if", "not", "exists"]
    at += 3 if lenient else 0
    created, definitions, definition, depth = name(words[at]), [], [], 0
    for word in words[at + 1 :]:
        if word == ")" and depth == 1:
            break
        depth += {"(": 1, ")": -1}.get(word, 0)
        if word == "," and depth == 1:
            definitions.append(definition)
            definition = []
        elif not (word == "(" and depth == 1 and not definition):
            definition.append(word)
    columns, keys, time = {}, [], None
    for definition in [*definitions, definition]:
        lower = [word.lower() for word in definition]
        if lower[:2] == ["primary", "key"]:
            keys = [name(word) for word in definition[3:-1] if word != ","]
        elif lower[:2] == ["time", "index"]:
            time = name(definition[3])
        else:
            kind = " ".join(lower[1:3]) if "unsigned" in lower[2:3] else lower[1]
            if lower[2:3] == ["("]:
                kind += "".join(lower[2:5])
            if kind not in TYPES:
                raise Refused(2000, f"no type is called {kind}")
            columns[name(definition[0])] = (TYPES[kind], "field")
            if "index" in lower and lower[lower.index("index") - 1] == "time":
                time = name(definition[0])
    for key in keys:
        columns[key] = (columns[key][0], "tag")
    if time is None:
        raise Refused(1004, "Missing time index column")
    columns[time] = (columns[time][0], "timestamp")
    return created, columns, lenient


def select(tables, database, text):
    """Runs a query on the tables' times: their other columns are not to be asked for, and all that they hold can be had at `/decoded`."""
    connection = sqlite3.connect(":memory:")
    connection.create_function("version", 0, lambda: "decoder")
    # GreptimeDB wants to be told that a bound is a time; here times are integers.
    connection.create_function("arrow_cast", 2, lambda number, _: number)
    connection.execute("ATTACH ':memory:' AS information_schema")
    connection.execute("CREATE TABLE information_schema.tables (table_schema, table_name)")
    names = ["table_schema", "table_name", "column_name", "data_type", "greptime_data_type", "semantic_type"]
    connection.execute(f"CREATE TABLE information_schema.columns ({', '.join(names)})")
    with tables.lock:
        for (schema, table_name), table in tables.tables.items():
            connection.execute("INSERT INTO information_schema.tables VALUES (?, ?)", (schema, table_name))
            columns = [(schema, table_name, column, kind, kind, s.upper()) for column, (kind, s) in table.columns.items()]
            connection.executemany("INSERT INTO information_schema.columns VALUES (?, ?, ?, ?, ?, ?)", columns)
            time = table.time_column()
            if schema == database and time is not None:
                quoted = ['"' + part.replace('"', '""') + '"' for part in (table_name, time)]
                connection.execute(f"CREATE TABLE {quoted[0]} ({quoted[1]} INTEGER)")
                times = ((row.get(time),) for row in table.rows)
                connection.executemany(f"INSERT INTO {quoted[0]} VALUES (?)", times)
    try:
        cursor = connection.execute(text)
    except sqlite3.Error as error:
        code = 4001 if "no such table" in str(error) else 3000
        raise Refused(code, f"Failed to plan SQL: Table not found or not understood: {error}") from error
    rows = [list(row) for row in cursor.fetchall()]
    names = [column[0] for column in cursor.description]
    kinds = ["Int64" if rows and isinstance(rows[0][at], int) else "String" for at in range(len(names))]
    return ("records", names, kinds, rows)
