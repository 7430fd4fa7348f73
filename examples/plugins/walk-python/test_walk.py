"""Run by `python3 -m unittest`, without a host."""

import statistics
import unittest

from walk import LEVELS, Walk


class Walks(unittest.TestCase):
    def test_a_walk_begins_at_its_beginning(self):
        self.assertEqual([Walk(seed, 0).place(0) for seed in range(3)], [0.0, 0.0, 0.0])

    def test_a_place_does_not_depend_on_what_was_asked_before(self):
        walk, steps = Walk(42, 7), [5, 63, 64, 1_000_000, 2**LEVELS - 1]
        there = [walk.place(step) for step in steps]
        back = [walk.place(step) for step in reversed(steps)]
        alone = [Walk(42, 7).place(step) for step in steps]
        self.assertEqual(there, back[::-1])
        self.assertEqual(there, alone)

    def test_seeds_and_series_walk_apart(self):
        self.assertEqual(len({Walk(seed, series).place(100) for seed in range(10) for series in range(10)}), 100)

    def test_steps_are_normal_and_know_nothing_of_each_other(self):
        # From anywhere, also over the borders of blocks and of larger stretches.
        for first in (0, 2**20 - 5_000, 2**39 - 5_000):
            walk = Walk(1, 0)
            places = [walk.place(step) for step in range(first, first + 10_001)]
            steps = [after - before for before, after in zip(places, places[1:])]
            self.assertLess(abs(statistics.mean(steps)), 0.04)
            self.assertLess(abs(statistics.stdev(steps) - 1), 0.03)
            self.assertLess(abs(statistics.correlation(steps[1:], steps[:-1])), 0.04)
            beyond = sum(abs(step) > 1.96 for step in steps) / len(steps)
            self.assertLess(abs(beyond - 0.05), 0.01)

    def test_a_long_way_is_as_far_as_the_square_root_of_its_steps(self):
        ends = [Walk(seed, 0).place(1_000_000) for seed in range(1_000)]
        self.assertLess(abs(statistics.stdev(ends) / 1_000 - 1), 0.1)


if __name__ == "__main__":
    unittest.main()
