"""Random walks of which any place can be told without walking there: functions of seed, series and step, which
`python3 -m unittest` runs without a host.

A walk's place is the sum of all steps before, so telling it by adding up would take as long as the way. Instead the way is halved again and
again. Where the whole of 2**n independent normal steps ends is known at once: it is a normal number of the variance 2**n. And where the end
of a stretch is known, its middle is half of that plus a normal number of a quarter of the stretch's variance, which makes both halves
independent again. Each of these numbers is drawn for its stretch alone, so every way down to a step meets the same ones.
"""

import math

# A walk has 2**LEVELS steps: at one a second, 34,000 years.
LEVELS = 40

# Steps are made in blocks of 2**BLOCK, since neighbours share most of the way down to them.
BLOCK = 6

ALL = 2**64 - 1


def mixed(bits):
    """Stirs 64 bits so that each depends on all (the last step of SplitMix64)."""
    bits = (bits + 0x9E3779B97F4A7C15) & ALL
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & ALL
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & ALL
    return bits ^ (bits >> 31)


def normal(bits):
    """A number of the standard normal distribution for 64 random bits: half of them make an angle, the others a distance (Box-Muller)."""
    distance = math.sqrt(-2.0 * math.log(((bits >> 32) + 0.5) / 2**32))
    return distance * math.cos((bits & 0xFFFFFFFF) * (math.tau / 2**32))


class Walk:
    """One walk. It begins at 0, and its steps are independent normal numbers of the variance 1."""

    # How far a stretch's middle strays from half its way: the square root of a quarter of its variance.
    STRAY = [math.sqrt(2**level) / 2 for level in range(LEVELS + 1)]

    def __init__(self, seed, series):
        self.key = mixed(mixed(seed) ^ series)
        # The block that was told last, by its number. It saves time and changes nothing: it would be made the same again.
        self.block = None
        self.places = []

    def place(self, step):
        """Where the walk is before this step, which must be less than 2**LEVELS."""
        block = step >> BLOCK
        if block != self.block:
            self.places = self.made(block)
            self.block = block
        return self.places[step & (2**BLOCK - 1)]

    def half(self, level, index, way):
        """How far the first half of a stretch goes, which goes `way` in all. Stretch `index` of this level has 2**level steps."""
        return way / 2 + self.STRAY[level] * normal(mixed(self.key ^ (level << 48 | index)))

    def made(self, block):
        """The places before each step of a block."""
        start, way = 0.0, self.STRAY[LEVELS] * 2 * normal(mixed(self.key))
        # Down to the block's own stretch.
        for level in range(LEVELS, BLOCK, -1):
            first = self.half(level, block >> (level - BLOCK), way)
            if block >> (level - BLOCK - 1) & 1:
                start, way = start + first, way - first
            else:
                way = first
        # And from there to all of its steps.
        stretches = [(start, way)]
        for level in range(BLOCK, 0, -1):
            index = block << (BLOCK - level)
            halves = []
            for start, way in stretches:
                first = self.half(level, index, way)
                halves += ((start, first), (start + first, way - first))
                index += 1
            stretches = halves
        return [start for start, _ in stretches]
