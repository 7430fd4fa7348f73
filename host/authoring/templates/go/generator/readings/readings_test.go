package readings

import (
	"math"
	"testing"
)

var three = Readings{Seed: 42, Hosts: 3}

func TestHostsTakeTurnsAndTimeGoesOnAfterTheLast(t *testing.T) {
	for row, want := range map[uint64]struct {
		host uint32
		time int64
	}{
		2: {2, startMs},
		3: {0, startMs + 1_000},
		4: {1, startMs + 1_000},
	} {
		if host, time := three.Host(row), three.Time(row); host != want.host || time != want.time {
			t.Errorf("row %d is of host %d at %d", row, host, time)
		}
	}
}

func TestTimeHasAnEnd(t *testing.T) {
	last := uint64(lastReading)*3 + 2
	if !three.Reach(last-1, 1) || three.Time(last) < startMs {
		t.Error("there is no last row")
	}
	if three.Reach(last, 1_000) || three.Reach(math.MaxUint64, 1) || three.Reach(math.MaxUint64-1, 1) {
		t.Error("there are rows past the last")
	}
}

func TestValuesAreInRangeAndDependOnSeedAndRowAlone(t *testing.T) {
	other, same := Readings{Seed: 43, Hosts: 3}, 0
	for row := range uint64(1_000) {
		value := three.Value(row)
		if value < 0 || value > 100 || value != three.Value(row) {
			t.Errorf("row %d has %v", row, value)
		}
		if value == other.Value(row) {
			same++
		}
	}
	if same > 100 {
		t.Errorf("%d rows are the same with another seed", same)
	}
}

func TestAboutOneCountInTenIsMissing(t *testing.T) {
	missing := 0
	for row := range uint64(10_000) {
		count, known := three.Count(row)
		if count < 0 || count > 999 {
			t.Errorf("row %d counts %d", row, count)
		}
		if !known {
			missing++
		}
	}
	if missing < 900 || missing > 1_100 {
		t.Errorf("%d are missing", missing)
	}
}

func TestTheNumberOfHostsIsANumber(t *testing.T) {
	for digits, want := range map[string]uint32{
		"1": 1, "1000000": 1_000_000, "1000001": 0, "0": 0, "": 0, "-1": 0, "1.5": 0, "99999999999999999999": 0,
	} {
		if got := ReadHosts(digits); got != want {
			t.Errorf("%q was read as %d", digits, got)
		}
	}
}
