"""Run by `python3 -m unittest`, without a host."""

import unittest

from rows import START_MS, Readings

READINGS = Readings(seed=42, hosts=3)


class Rows(unittest.TestCase):
    def test_hosts_take_turns_and_time_goes_on_after_the_last(self):
        told = [(READINGS.host(row), READINGS.time(row)) for row in range(2, 5)]
        self.assertEqual(told, [(2, START_MS), (0, START_MS + 1_000), (1, START_MS + 1_000)])
        self.assertIsNone(READINGS.time(2**64 - 1))

    def test_values_are_in_range_and_depend_on_seed_and_row_alone(self):
        def values(seed, rows):
            readings = Readings(seed, 3)
            return [readings.value(row) for row in rows]

        self.assertTrue(all(0 <= value <= 100 for value in values(42, range(1_000))))
        self.assertEqual(values(42, range(1_000)), values(42, reversed(range(1_000)))[::-1])
        self.assertNotEqual(values(42, range(1_000)), values(43, range(1_000)))

    def test_about_one_count_in_ten_is_missing(self):
        counts = [READINGS.count(row) for row in range(10_000)]
        self.assertTrue(900 < counts.count(None) < 1_100, counts.count(None))
        self.assertTrue(all(count is None or 0 <= count < 1_000 for count in counts))


if __name__ == "__main__":
    unittest.main()
