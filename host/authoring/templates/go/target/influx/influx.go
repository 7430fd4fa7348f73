// Package influx has the names, statements and answers of InfluxDB 1: functions that `go test ./influx` runs without a host.
package influx

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
)

// The times that the server knows, in nanoseconds: the first two and the last of 64 bits are its own.
const firstTime, lastTime = math.MinInt64 + 2, math.MaxInt64 - 1

// Identifier is a name in a statement, in quotes.
func Identifier(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(name) + `"`
}

// PercentEncoded is a text as the value of a parameter in a URL.
func PercentEncoded(text string) string {
	// A `+` stands for a space in forms, and not everywhere in URLs.
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

// CountStatement counts the values of `field` from `startNs` to before `endNs`. False where the server can hold no row of that time.
func CountStatement(table string, field string, startNs int64, endNs int64) (string, bool) {
	start, end := max(startNs, firstTime), min(endNs, lastTime)
	return fmt.Sprintf("SELECT COUNT(%s) FROM %s WHERE time >= %d AND time < %d",
		Identifier(field), Identifier(table), start, end), start < end
}

// Answer is what the server answers to a statement.
type Answer struct {
	Results []struct {
		Series []struct {
			Values [][]json.Number `json:"values"`
		} `json:"series"`
		Error string `json:"error"`
	} `json:"results"`
	Error string `json:"error"`
}

// Read reads an answer, and what the server says against the statement: an error may come with status 200.
func Read(body []byte) (answer Answer, words string) {
	if len(body) == 0 {
		return answer, ""
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return Answer{}, "the answer is no JSON of InfluxDB: " + err.Error()
	}
	words = answer.Error
	for _, result := range answer.Results {
		words += result.Error
	}
	return answer, words
}

// IsAbsence says whether the server's words are that there is no such thing.
func IsAbsence(words string) bool {
	return strings.Contains(words, "not found")
}

// Count is the count in the answer to a statement that counts: 0 where there is no series, false where the answer is another.
func (answer Answer) Count() (uint64, bool) {
	if len(answer.Results) == 0 || len(answer.Results[0].Series) == 0 {
		return 0, true
	}
	// A row is the time and the count.
	rows := answer.Results[0].Series[0].Values
	if len(rows) != 1 || len(rows[0]) != 2 {
		return 0, false
	}
	count, err := strconv.ParseUint(rows[0][1].String(), 10, 64)
	return count, err == nil
}

// RetryAfterMs is the header `Retry-After` in milliseconds. False where it is no number of seconds.
func RetryAfterMs(header string) (uint64, bool) {
	// 32 bits of seconds are more than anybody waits, and fit when they are multiplied.
	seconds, err := strconv.ParseUint(strings.TrimSpace(header), 10, 32)
	return seconds * 1000, err == nil
}
