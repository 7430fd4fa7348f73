// Package rows is the way rows lie in Redis: functions that `go test ./rows` runs without a host.
//
// A table is one sorted set. A row's score is its time in milliseconds, its member a text that tells the whole row, so that a payload which
// is sent twice stores every row once.
package rows

import (
	"math"
	"slices"
	"strconv"

	"example.com/redis-go/resp"
)

// Column is one column but the time.
type Column struct {
	Name string
	Add  Values
	// Ascending positions of rows without a value.
	Nulls []uint32
}

// Values adds the text of a row's value.
type Values func(to []byte, row int) []byte

// Booleans are values of a boolean column.
func Booleans(values []bool) Values {
	return func(to []byte, row int) []byte { return strconv.AppendBool(to, values[row]) }
}

// Signed are values of a signed integer column.
func Signed(values []int64) Values {
	return func(to []byte, row int) []byte { return strconv.AppendInt(to, values[row], 10) }
}

// Unsigned are values of an unsigned integer column.
func Unsigned(values []uint64) Values {
	return func(to []byte, row int) []byte { return strconv.AppendUint(to, values[row], 10) }
}

// Floats are values of a floating point column, in the shortest text that reads back equal.
func Floats(values []float64) Values {
	return func(to []byte, row int) []byte { return strconv.AppendFloat(to, values[row], 'g', -1, 64) }
}

// Texts are values of a text column.
func Texts(values []string) Values {
	return func(to []byte, row int) []byte { return append(to, values[row]...) }
}

// Keys are distinct texts, and for each row the number of one.
func Keys(words []string, keys []uint32) Values {
	return func(to []byte, row int) []byte { return append(to, words[keys[row]]...) }
}

// Write makes the one command that stores a batch; nothing for a batch without rows. Every column has as many rows as there are times.
func Write(key string, times []int64, columns []Column) []byte {
	if len(times) == 0 {
		return nil
	}
	labels := make([]string, len(columns))
	// How many of a column's rows without a value lie behind.
	passed := make([]int, len(columns))
	for i, column := range columns {
		labels[i] = column.Name + "="
	}
	var score, member []byte
	command := resp.AppendArray(nil, 2+2*len(times))
	command = resp.AppendPart(command, []byte("ZADD"))
	command = resp.AppendPart(command, []byte(key))
	for row, time := range times {
		score = strconv.AppendInt(score[:0], time, 10)
		member = member[:0]
		for i, column := range columns {
			if n := passed[i]; n < len(column.Nulls) && column.Nulls[n] == uint32(row) {
				passed[i]++
				continue
			}
			member = append(member, labels[i]...)
			member = column.Add(member, row)
			member = append(member, ',')
		}
		member = append(member, "t="...)
		member = append(member, score...)
		command = resp.AppendPart(command, score)
		command = resp.AppendPart(command, member)
		if row == 0 {
			// Most rows are about as long as the first, and room that grows by and by is copied again and again.
			command = slices.Grow(command, (len(times)-1)*(len(score)+len(member)+20))
		}
	}
	return command
}

// Unit is what a time is counted in.
type Unit struct {
	Name string
	// One of them is `times` milliseconds, or `per` of them are one.
	times, per int64
}

// The units of the contract.
var (
	Second      = Unit{Name: "seconds", times: 1_000, per: 1}
	Millisecond = Unit{Name: "milliseconds", times: 1, per: 1}
	Microsecond = Unit{Name: "microseconds", times: 1, per: 1_000}
	Nanosecond  = Unit{Name: "nanoseconds", times: 1, per: 1_000_000}
)

// Whole is a time in milliseconds. False where something would be lost.
func Whole(time int64, unit Unit) (int64, bool) {
	// Rounded towards zero, so that the multiplication holds.
	most := math.MaxInt64 / unit.times
	return time / unit.per * unit.times, time%unit.per == 0 && time >= -most && time <= most
}

// Bounds is the range of scores for `startNs <= time < endNs`: the first millisecond in it, and the first one after it.
func Bounds(startNs int64, endNs int64) (string, string) {
	return strconv.FormatInt(ceiling(startNs), 10), "(" + strconv.FormatInt(ceiling(endNs), 10)
}

func ceiling(ns int64) int64 {
	// Division cuts towards zero, which is up for what is negative.
	ms := ns / 1_000_000
	if ns%1_000_000 > 0 {
		ms++
	}
	return ms
}
