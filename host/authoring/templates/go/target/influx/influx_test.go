package influx

import (
	"math"
	"testing"
)

func TestNamesAndParametersCannotBreakOut(t *testing.T) {
	equal(t, Identifier("a\"b\\c\n"), `"a\"b\\c\n"`)
	equal(t, PercentEncoded("a b&ä=1+2"), "a%20b%26%C3%A4%3D1%2B2")
}

func TestARangeHasItsStartAndNotItsEnd(t *testing.T) {
	statement, any := CountStatement("t", "f", -5, 7)
	equal(t, statement, `SELECT COUNT("f") FROM "t" WHERE time >= -5 AND time < 7`)
	equal(t, any, true)
	_, any = CountStatement("t", "f", 7, 7)
	equal(t, any, false)
	_, any = CountStatement("t", "f", math.MinInt64, math.MinInt64+1)
	equal(t, any, false)
}

func TestACountIsFoundOrNoneIsMadeUp(t *testing.T) {
	for _, each := range []struct {
		body  string
		count uint64
		found bool
	}{
		{`{"results":[{"series":[{"name":"t","columns":["time","count"],"values":[[0,1200]]}]}]}`, 1200, true},
		{`{"results":[{"statement_id":0}]}`, 0, true},
		{``, 0, true},
		{`{"results":[{"series":[{"values":[]}]}]}`, 0, false},
		{`{"results":[{"series":[{"values":[[0,-1]]}]}]}`, 0, false},
		{`{"results":[{"series":[{"values":[[0,null]]}]}]}`, 0, false},
	} {
		answer, words := Read([]byte(each.body))
		equal(t, words, "")
		count, found := answer.Count()
		equal(t, found, each.found)
		if found {
			equal(t, count, each.count)
		}
	}
}

func TestARefusalIsToldApartFromAnAnswer(t *testing.T) {
	_, words := Read([]byte(`{"results":[{"statement_id":0,"error":"database not found: x"}]}`))
	equal(t, words, "database not found: x")
	equal(t, IsAbsence(words), true)
	_, words = Read([]byte(`{"error":"error parsing query"}`))
	equal(t, words, "error parsing query")
	equal(t, IsAbsence(words), false)
	for _, body := range []string{"<html>", `{"results":[{"series":[{"values":[[0,"x"]]}]}]}`} {
		if _, words = Read([]byte(body)); words == "" {
			t.Errorf("%s passed for an answer", body)
		}
	}
}

func TestAWaitIsInMilliseconds(t *testing.T) {
	wait, ok := RetryAfterMs(" 3 ")
	equal(t, wait, 3000)
	equal(t, ok, true)
	for _, header := range []string{"", "-1", "18446744073709551615", "Wed, 21 Oct 2026 07:28:00 GMT"} {
		_, ok = RetryAfterMs(header)
		equal(t, ok, false)
	}
}

func equal[T comparable](t *testing.T, got T, want T) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
