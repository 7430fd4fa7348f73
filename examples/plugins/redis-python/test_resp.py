"""Run by `python3 -m unittest`, without a host and without a server."""

import unittest

import resp


class Protocol(unittest.TestCase):
    def test_a_command_says_how_long_each_part_is(self):
        self.assertEqual(resp.command("SET", "ä", b"\x00\r\n"), b"*3\r\n$3\r\nSET\r\n$2\r\n\xc3\xa4\r\n$3\r\n\x00\r\n\r\n")

    def test_times_are_whole_milliseconds_or_refused(self):
        self.assertEqual([resp.milliseconds(7, "SECOND"), resp.milliseconds(-5_000, "MICROSECOND")], [7_000, -5])
        with self.assertRaisesRegex(ValueError, "no whole millisecond"):
            resp.milliseconds(1_500, "MICROSECOND")

    def test_a_row_is_told_without_its_nulls(self):
        rows = resp.members(["host", "v"], [["a", "b"], [1.5, None]], [10, 20])
        self.assertEqual(list(rows), ["host=a,v=1.5,t=10", "host=b,t=20"])

    def test_a_batch_is_one_command_and_an_empty_one_is_none(self):
        self.assertEqual(resp.write("t", [10], ["r"]), b"*4\r\n$4\r\nZADD\r\n$1\r\nt\r\n$2\r\n10\r\n$1\r\nr\r\n")
        self.assertEqual(resp.write("t", [], []), b"")

    def test_a_range_has_its_start_and_not_its_end(self):
        self.assertEqual(resp.bounds(1, 2_000_000), (1, "(2"))
        self.assertEqual(resp.bounds(-1_000_000, 2_000_001), (-1, "(3"))

    def test_replies_are_told_apart(self):
        self.assertEqual(resp.parse(b"+PONG\r\n"), ("ok", "PONG"))
        self.assertEqual(resp.parse(b":-12\r\n"), ("int", -12))
        self.assertEqual(resp.parse(b"$-1\r\n"), ("bulk", -1))
        self.assertEqual(resp.parse(b"-WRONGTYPE no\r\n"), ("error", ("WRONGTYPE", "WRONGTYPE no")))
        self.assertEqual(resp.parse(b"HTTP/1.1 400\r\n"), ("strange", "HTTP/1.1 400\r\n"))


if __name__ == "__main__":
    unittest.main()
