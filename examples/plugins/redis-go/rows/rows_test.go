package rows

import (
	"math"
	"strings"
	"testing"
)

func TestABatchIsOneCommandThatTellsEachRowWithoutItsNulls(t *testing.T) {
	columns := []Column{
		{Name: "host", Add: Keys([]string{"a", "ä"}, []uint32{0, 1})},
		{Name: "v", Add: Floats([]float64{1.5, 0}), Nulls: []uint32{1}},
		{Name: "ok", Add: Booleans([]bool{true, false})},
	}
	got := string(Write("t", []int64{10, -20}, columns))
	want := "*6\r\n$4\r\nZADD\r\n$1\r\nt\r\n" +
		"$2\r\n10\r\n$25\r\nhost=a,v=1.5,ok=true,t=10\r\n$3\r\n-20\r\n$22\r\nhost=ä,ok=false,t=-20\r\n"
	if got != want {
		t.Errorf("got %q", got)
	}
}

func TestABatchWithoutRowsIsNoCommand(t *testing.T) {
	if got := Write("t", nil, []Column{{Name: "i", Add: Signed(nil)}}); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}

func TestEveryValueHasAText(t *testing.T) {
	got := string(Write("t", []int64{0}, []Column{
		{Name: "i", Add: Signed([]int64{math.MinInt64})},
		{Name: "u", Add: Unsigned([]uint64{math.MaxUint64})},
		{Name: "s", Add: Texts([]string{"x y"})},
		{Name: "f", Add: Floats([]float64{0.1})},
	}))
	if !strings.Contains(got, "\r\ni=-9223372036854775808,u=18446744073709551615,s=x y,f=0.1,t=0\r\n") {
		t.Errorf("got %q", got)
	}
}

func TestTimesAreWholeOrRefused(t *testing.T) {
	for _, each := range []struct {
		time int64
		unit Unit
		want int64
		ok   bool
	}{
		{-5, Second, -5_000, true},
		{math.MaxInt64, Second, 0, false},
		{math.MinInt64, Second, 0, false},
		{math.MaxInt64, Millisecond, math.MaxInt64, true},
		{-5_000, Microsecond, -5, true},
		{1_500, Microsecond, 0, false},
		{2_000_000, Nanosecond, 2, true},
		{2_000_001, Nanosecond, 0, false},
	} {
		if got, ok := Whole(each.time, each.unit); ok != each.ok || ok && got != each.want {
			t.Errorf("%d %s became %d, %v", each.time, each.unit.Name, got, ok)
		}
	}
}

func TestARangeHasItsStartAndNotItsEnd(t *testing.T) {
	for _, each := range []struct {
		startNs, endNs int64
		start, end     string
	}{
		{1, 2_000_000, "1", "(2"},
		{-1_000_000, 2_000_001, "-1", "(3"},
		{-999_999, 0, "0", "(0"},
		{math.MinInt64, math.MaxInt64, "-9223372036854", "(9223372036855"},
	} {
		if start, end := Bounds(each.startNs, each.endNs); start != each.start || end != each.end {
			t.Errorf("%d to %d became %s to %s", each.startNs, each.endNs, start, end)
		}
	}
}
