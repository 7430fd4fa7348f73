package resp

import (
	"strings"
	"testing"
)

func TestACommandSaysHowLongEachPartIs(t *testing.T) {
	want := "*3\r\n$3\r\nSET\r\n$2\r\nä\r\n$3\r\n\x00\r\n\r\n"
	if got := string(Command("SET", "ä", "\x00\r\n")); got != want {
		t.Errorf("got %q", got)
	}
}

func TestRepliesAreToldApart(t *testing.T) {
	for line, want := range map[string]Reply{
		"+PONG\r\n":                       {Kind: Text, Text: "PONG"},
		":-12\r\n":                        {Kind: Number, Number: -12},
		"$-1\r\n":                         {Kind: Bulk, Number: -1},
		"$5\r\n":                          {Kind: Bulk, Number: 5},
		"-WRONGTYPE no\r\n":               {Kind: Refused, Text: "WRONGTYPE no", Code: "WRONGTYPE"},
		"-OOM command not allowed\r\n":    {Kind: Refused, Text: "OOM command not allowed", Code: "OOM"},
		"-LOADING wait\r\n":               {Kind: Busy, Text: "LOADING wait", Code: "LOADING"},
		"-MASTERDOWN\r\n":                 {Kind: Busy, Text: "MASTERDOWN", Code: "MASTERDOWN"},
		"":                                {Kind: Strange},
		"HTTP/1.1 400\r\n":                {Kind: Strange, Text: "HTTP/1.1 400\r\n"},
		":x\r\n":                          {Kind: Strange, Text: ":x\r\n"},
		":99999999999999999999\r\n":       {Kind: Strange, Text: ":99999999999999999999\r\n"},
		"$-2\r\n":                         {Kind: Strange, Text: "$-2\r\n"},
		strings.Repeat("x", 200) + "\r\n": {Kind: Strange, Text: strings.Repeat("x", 100)},
	} {
		if got := Parse([]byte(line)); got != want {
			t.Errorf("%q was read as %+v", line, got)
		}
	}
}
