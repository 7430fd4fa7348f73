"""Names, statements and answers of InfluxDB 1: functions of text alone, which `python3 -m unittest` runs without a host."""

import json
import string

# The earliest time that the server knows, and the first that it does not, in nanoseconds.
FIRST_NS, END_NS = -(2**63) + 2, 2**63 - 2

PLAIN = frozenset((string.ascii_letters + string.digits + "-._~").encode())


def identifier(name):
    """A name in a statement, in quotes."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def percent_encoded(text):
    """A text as the value of a parameter in a URL. (`urllib` can do it too, and makes the component larger.)"""
    return "".join(chr(byte) if byte in PLAIN else f"%{byte:02X}" for byte in text.encode())


def count_statement(table, field, start_ns, end_ns):
    """Counts the values of `field` from `start_ns` to before `end_ns`. None where the server can hold no row of that time."""
    start, end = max(start_ns, FIRST_NS), min(end_ns, END_NS)
    if start >= end:
        return None
    return f"SELECT COUNT({identifier(field)}) FROM {identifier(table)} WHERE time >= {start} AND time < {end}"


def parsed(answer):
    """The results of a statement and the server's refusal, of which one is None. Both are where the answer is no answer of such a server."""
    try:
        told = json.loads(answer)
    except ValueError:
        return None, None
    if not isinstance(told, dict):
        return None, None
    results = told.get("results")
    result = results[0] if isinstance(results, list) and results and isinstance(results[0], dict) else {}
    refusal = told.get("error") or result.get("error")
    if refusal is not None:
        return None, str(refusal)
    return (result if results is not None else None), None


def count(result):
    """The count in the result of such a statement: 0 where there is no series, None where it is another."""
    if not result.get("series"):
        return 0
    try:
        # A row is the time and the count.
        number = result["series"][0]["values"][0][1]
    except (LookupError, TypeError):
        return None
    return number if type(number) is int and 0 <= number < 2**64 else None


def retry_after_ms(header):
    """The header `Retry-After` in milliseconds, where it is a number of seconds."""
    seconds = header.strip() if header else ""
    if not (seconds.isascii() and seconds.isdigit() and len(seconds) < 16):
        return None
    return int(seconds) * 1000
