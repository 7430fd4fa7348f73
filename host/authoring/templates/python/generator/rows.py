"""What a row holds: functions of the seed and the row's position, which `python3 -m unittest` runs without a host."""

# When the first row was, in milliseconds since the Unix epoch: the start of 2026.
START_MS = 1_767_225_600_000

# Between two readings of one host, in milliseconds.
STEP_MS = 1_000

# The last time that there is, in milliseconds.
LAST_MS = 2**63 - 1

ALL = 2**64 - 1


def mixed(bits):
    """Stirs 64 bits so that each depends on all (the last step of SplitMix64). A Python integer has no end, so it is cut to 64 bits."""
    bits = (bits + 0x9E3779B97F4A7C15) & ALL
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & ALL
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & ALL
    return bits ^ (bits >> 31)


class Readings:
    """The dataset: row after row, each host in turn. `hosts` is at least 1."""

    def __init__(self, seed, hosts):
        self.hosts = hosts
        # What is random about a row comes from one of these and its position, whatever was asked before: one for each column.
        self.value_key = mixed(seed ^ mixed(0))
        self.count_key = mixed(seed ^ mixed(1))

    def host(self, row):
        """Which host the row is of."""
        return row % self.hosts

    def time(self, row):
        """The row's time in milliseconds. None past the last one that there is."""
        time = START_MS + row // self.hosts * STEP_MS
        return time if time <= LAST_MS else None

    def value(self, row):
        """From 0 to 100, with two decimals."""
        return mixed(self.value_key ^ row) % 10_001 / 100

    def count(self, row):
        """From 0 to 999; None for one row in ten."""
        drawn = mixed(self.count_key ^ row)
        return drawn // 10 % 1_000 if drawn % 10 else None
