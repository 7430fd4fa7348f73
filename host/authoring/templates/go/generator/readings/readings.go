// Package readings says what a row holds: functions of the seed and the row's position, which `go test ./readings` runs without a host.
package readings

import (
	"math"
	"strconv"
)

const (
	// MostHosts is as many as there can be. The schema of the settings says the same.
	MostHosts = 1_000_000
	// When the first row was, in milliseconds since the Unix epoch: the start of 2026.
	startMs = 1_767_225_600_000
	// Between two readings of one host, in milliseconds.
	stepMs = 1_000
	// The last reading of a host whose time is a number of 64 bits.
	lastReading = (math.MaxInt64 - startMs) / stepMs
)

// Readings is the dataset: row after row, each host in turn.
type Readings struct {
	Seed uint64
	// At least 1.
	Hosts uint32
}

// ReadHosts reads the number of hosts; 0 where it is none from 1 to MostHosts.
func ReadHosts(digits string) uint32 {
	number, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || number > MostHosts {
		return 0
	}
	return uint32(number)
}

// Reach says whether there are `many` rows from `first` on: time has an end.
func (r Readings) Reach(first uint64, many uint32) bool {
	end := first + uint64(many)
	return end >= first && end/uint64(r.Hosts) <= lastReading
}

// Host is which host the row is of.
func (r Readings) Host(row uint64) uint32 {
	return uint32(row % uint64(r.Hosts))
}

// Time is the row's time in milliseconds, of a row within Reach.
func (r Readings) Time(row uint64) int64 {
	return startMs + stepMs*int64(row/uint64(r.Hosts))
}

// Value is from 0 to 100, with two decimals.
func (r Readings) Value(row uint64) float64 {
	return float64(r.chance(row, 0)%10_001) / 100
}

// Count is from 0 to 999. False for one row in ten, which has none.
func (r Readings) Count(row uint64) (int64, bool) {
	chance := r.chance(row, 1)
	return int64(chance / 10 % 1_000), chance%10 != 0
}

// 64 bits that look random: the same for the same seed, row and purpose, whatever was asked before.
func (r Readings) chance(row uint64, purpose uint64) uint64 {
	return mixed(mixed(r.Seed^mixed(purpose)) ^ row)
}

// Stirs 64 bits so that each depends on all (the last step of SplitMix64).
func mixed(bits uint64) uint64 {
	bits += 0x9E3779B97F4A7C15
	bits = (bits ^ bits>>30) * 0xBF58476D1CE4E5B9
	bits = (bits ^ bits>>27) * 0x94D049BB133111EB
	return bits ^ bits>>31
}
