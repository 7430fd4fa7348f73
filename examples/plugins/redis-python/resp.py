"""Redis' protocol and the way rows lie in it: pure functions, which `python3 -m unittest` tests without a host.

A table is one sorted set. A row's score is its time in milliseconds, its member a text that tells the whole row, so that a payload which
is sent twice stores every row once.
"""

# Errors after which the same command may succeed: the server is starting, busy with a script, or moving.
BUSY = ("LOADING", "BUSY", "TRYAGAIN", "MASTERDOWN")

# How many of a timestamp's unit make a millisecond, or how many milliseconds make one of it.
PER_MILLISECOND = {"MILLISECOND": 1, "MICROSECOND": 1_000, "NANOSECOND": 1_000_000}


def command(*parts):
    """A command as an array of bulk strings, which may hold any bytes."""
    out = [b"*%d\r\n" % len(parts)]
    for part in parts:
        raw = part if isinstance(part, bytes) else str(part).encode()
        out.append(b"$%d\r\n%s\r\n" % (len(raw), raw))
    return b"".join(out)


def milliseconds(time, unit):
    """A time in whole milliseconds; a `ValueError` when it is finer. `unit` is the end of the data type's name: `MICROSECOND`."""
    if unit == "SECOND":
        return time * 1_000
    whole, rest = divmod(time, PER_MILLISECOND[unit])
    if rest:
        raise ValueError(f"the time {time} ({unit.lower()}s) is no whole millisecond, and a sorted set cannot keep it: "
                         "choose a dataset with coarser times")
    return whole


def members(names, columns, times):
    """One text for each row: `name=value` of every column, NULLs (`None`) left out, and the time, so that no two rows are equal."""
    labels = [name + "=" for name in names]
    for time, values in zip(times, zip(*columns) if columns else ((),) * len(times)):
        told = [label + str(value) for label, value in zip(labels, values) if value is not None]
        yield ",".join(told) + f",t={time}"


def write(key, times, rows):
    """The one command that stores a batch, or nothing for a batch without rows."""
    parts = ["ZADD", key]
    for time, row in zip(times, rows):
        parts += (time, row)
    return command(*parts) if times else b""


def bounds(start_ns, end_ns):
    """The range of scores for `start_ns <= time < end_ns`: the first millisecond in it, and the first one after it."""
    return -(-start_ns // 1_000_000), "(" + str(-(-end_ns // 1_000_000))


def parse(line):
    """What a reply's first line says: `("ok", text)`, `("int", number)`, `("bulk", length)`, `("error", (code, text))`."""
    kind, rest = line[:1], line[1:].rstrip(b"\r\n").decode("utf-8", "replace")
    if kind == b"+":
        return "ok", rest
    if kind == b"-":
        return "error", (rest.split(" ", 1)[0], rest)
    if kind in (b":", b"$") and rest.lstrip("-").isdigit():
        return ("int" if kind == b":" else "bulk"), int(rest)
    return "strange", line[:100].decode("utf-8", "replace")
