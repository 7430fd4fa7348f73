// Package resp is the protocol of Redis (RESP 2): functions that `go test ./resp` runs without a host.
package resp

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// Errors after which the same command may succeed: the server is starting, busy with a script, or moving.
var busy = []string{"LOADING", "BUSY", "TRYAGAIN", "MASTERDOWN"}

// Kind is what a reply's first line says.
type Kind int

const (
	// Strange is no reply of Redis: Text has its first 100 bytes.
	Strange Kind = iota
	// Text is a short text.
	Text
	// Number is a number.
	Number
	// Bulk says that a text of Number bytes follows; -1: that there is no such thing.
	Bulk
	// Refused says that the server said no: Text has its words, Code the first of them.
	Refused
	// Busy is like Refused, but the same command may succeed later.
	Busy
)

// Reply is a reply, or what is known of it from its first line.
type Reply struct {
	Kind   Kind
	Text   string
	Code   string
	Number int64
}

// Command is a command as an array of bulk strings, which may hold any bytes.
func Command(parts ...string) []byte {
	command := AppendArray(nil, len(parts))
	for _, part := range parts {
		command = AppendPart(command, []byte(part))
	}
	return command
}

// AppendArray begins an array of that many parts.
func AppendArray(to []byte, parts int) []byte {
	return appendHead(to, '*', parts)
}

// AppendPart adds one bulk string.
func AppendPart(to []byte, part []byte) []byte {
	to = appendHead(to, '$', len(part))
	to = append(to, part...)
	return append(to, "\r\n"...)
}

func appendHead(to []byte, kind byte, number int) []byte {
	to = append(to, kind)
	to = strconv.AppendInt(to, int64(number), 10)
	return append(to, "\r\n"...)
}

// Parse reads the first line of a reply, with its end.
func Parse(line []byte) Reply {
	strange := Reply{Kind: Strange, Text: string(line[:min(len(line), 100)])}
	if len(line) == 0 {
		return strange
	}
	text := string(bytes.TrimRight(line[1:], "\r\n"))
	number, err := strconv.ParseInt(text, 10, 64)
	switch kind := line[0]; {
	case kind == '+':
		return Reply{Kind: Text, Text: text}
	case kind == ':' && err == nil:
		return Reply{Kind: Number, Number: number}
	case kind == '$' && err == nil && number >= -1:
		return Reply{Kind: Bulk, Number: number}
	case kind == '-':
		code, _, _ := strings.Cut(text, " ")
		if slices.Contains(busy, code) {
			return Reply{Kind: Busy, Text: text, Code: code}
		}
		return Reply{Kind: Refused, Text: text, Code: code}
	default:
		return strange
	}
}
