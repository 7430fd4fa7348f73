"""Run by `python3 -m unittest`, without a host and without a server."""

import unittest

import influx


class Influx(unittest.TestCase):
    def test_names_and_parameters_cannot_break_out(self):
        self.assertEqual(influx.identifier('a"b\\c'), '"a\\"b\\\\c"')
        self.assertEqual(influx.percent_encoded("a b&ä=1"), "a%20b%26%C3%A4%3D1")

    def test_a_range_has_its_start_and_not_its_end(self):
        statement = influx.count_statement("t", "f", -5, 7)
        self.assertEqual(statement, 'SELECT COUNT("f") FROM "t" WHERE time >= -5 AND time < 7')
        self.assertIsNone(influx.count_statement("t", "f", 7, 7))
        self.assertIsNone(influx.count_statement("t", "f", -(2**63), -(2**63) + 1))

    def test_a_count_is_found_or_none_is_made_up(self):
        result, _ = influx.parsed('{"results":[{"series":[{"name":"t","columns":["time","count"],"values":[[0,1200]]}]}]}')
        self.assertEqual(influx.count(result), 1200)
        result, _ = influx.parsed('{"results":[{"statement_id":0}]}')
        self.assertEqual(influx.count(result), 0)
        for strange in ('[[0,"x"]]', "[[0,-1]]", "[[0,true]]", "[[0]]", "[]", "7"):
            result, _ = influx.parsed('{"results":[{"series":[{"values":' + strange + "}]}]}")
            self.assertIsNone(influx.count(result), strange)

    def test_a_refusal_is_told_apart_from_a_name(self):
        refused = '{"results":[{"statement_id":0,"error":"database not found: x"}]}'
        self.assertEqual(influx.parsed(refused), (None, "database not found: x"))
        self.assertEqual(influx.parsed('{"error":"no"}'), (None, "no"))
        result, refusal = influx.parsed('{"results":[{"series":[{"name":"\\"error\\":\\"no"}]}]}')
        self.assertIsNone(refusal)
        self.assertEqual(len(result["series"]), 1)

    def test_what_is_no_answer_is_none(self):
        for strange in ("", "<html>", "7", "[]", "{}"):
            self.assertEqual(influx.parsed(strange), (None, None), strange)

    def test_a_wait_is_in_milliseconds(self):
        self.assertEqual(influx.retry_after_ms(" 3 "), 3000)
        for strange in (None, "", "-3", "²", "Wed, 21 Oct 2026 07:28:00 GMT", "9" * 30):
            self.assertIsNone(influx.retry_after_ms(strange))


if __name__ == "__main__":
    unittest.main()
