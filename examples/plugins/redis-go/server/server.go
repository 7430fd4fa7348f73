// Package server is the conversation with the server.
//
// The connection, which is in the host, is given back by `Drop`: the garbage collector does so too, but late.
package server

import (
	"math"
	"strings"

	wit "go.bytecodealliance.org/pkg/wit/types"

	"example.com/redis-go/gen/benchhost_plugin_data"
	"example.com/redis-go/gen/benchhost_plugin_tcp"
	"example.com/redis-go/gen/benchhost_plugin_types"
	"example.com/redis-go/resp"
)

type fault = benchhost_plugin_types.Error

// The longest line that a reply begins with.
const longestLine = 64 << 10

// What the session keeps.
var session struct {
	endpoint string
	password string
	// Whether there is a password.
	protected bool
	// Made when it is needed, and again after it broke.
	connection *benchhost_plugin_tcp.Connection
}

// Open keeps where the server is, and its password if it needs one.
func Open(endpoint string, password string, protected bool) {
	session.endpoint, session.password, session.protected = endpoint, password, protected
}

// Close ends the connection.
func Close() {
	if session.connection != nil {
		session.connection.Drop()
		session.connection = nil
	}
}

// Ask sends a command and gives the reply; a text that follows it has been read.
func Ask(parts ...string) (resp.Reply, *fault) {
	return exchange(func() *fault { return write(parts...) })
}

// Send sends a payload, which stays in the host, and waits for the reply.
func Send(payload *benchhost_plugin_data.Payload) *fault {
	_, err := exchange(func() *fault {
		_, err := taken(session.connection.WritePayload(payload))
		return err
	})
	return err
}

// Sends a request and reads the reply. An error of the network, or a reply that is none, ends the connection: what would come next on it is
// not known. An error that the server tells does not.
func exchange(request func() *fault) (resp.Reply, *fault) {
	if err := connect(); err != nil {
		return resp.Reply{}, err
	}
	reply, err := answered(request())
	if err != nil && err.Kind != benchhost_plugin_types.ErrorKindRejected && err.Kind != benchhost_plugin_types.ErrorKindThrottled {
		Close()
	}
	return reply, err
}

func connect() *fault {
	if session.connection != nil {
		return nil
	}
	connection, err := taken(benchhost_plugin_tcp.ConnectionConnect(session.endpoint))
	if err != nil {
		return err
	}
	session.connection = connection
	if session.protected {
		if _, err = answered(write("AUTH", session.password)); err != nil {
			Close()
		}
	}
	return err
}

func write(parts ...string) *fault {
	_, err := taken(session.connection.Write(resp.Command(parts...)))
	return err
}

// Reads the reply to a request that was sent, if it was.
func answered(err *fault) (resp.Reply, *fault) {
	if err != nil {
		return resp.Reply{}, err
	}
	line, err := taken(session.connection.ReadUntil([]byte("\r\n"), longestLine))
	if err != nil {
		return resp.Reply{}, err
	}
	reply := resp.Parse(line)
	switch reply.Kind {
	case resp.Strange:
		return reply, Strange(reply.Text)
	case resp.Refused, resp.Busy:
		err = Fault(benchhost_plugin_types.ErrorKindRejected, reply.Text)
		err.Code = wit.Some(valid(reply.Code))
		if reply.Kind == resp.Busy {
			err.Kind, err.Retryable = benchhost_plugin_types.ErrorKindThrottled, true
		}
		return reply, err
	case resp.Bulk:
		if reply.Number < 0 {
			return reply, nil
		}
		// The text is followed by the end of a line. One that is too long for the host is refused there.
		text, err := taken(session.connection.ReadExact(uint32(min(reply.Number+2, math.MaxUint32))))
		if err != nil {
			return reply, err
		}
		reply.Text = valid(string(text[:len(text)-2]))
	}
	return reply, nil
}

// Strange is the error for an answer that was not understood.
func Strange(what string) *fault {
	return Fault(benchhost_plugin_types.ErrorKindInternal, "the server answered with what is no reply of Redis: "+what)
}

// Fault is an error of this plugin's own, for which trying again is of no use.
func Fault(kind benchhost_plugin_types.ErrorKind, message string) *fault {
	return &fault{Kind: kind, Message: valid(message)}
}

// A server may answer with any bytes, and a string of the contract is UTF-8.
func valid(text string) string {
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Result is a value, or an error where there is one, as the contract wants it.
func Result[T any](value T, err *fault) wit.Result[T, fault] {
	if err != nil {
		return wit.Err[T](*err)
	}
	return wit.Ok[T, fault](value)
}

// The other way round: the contract's result as Go has it.
func taken[T any](result wit.Result[T, fault]) (value T, err *fault) {
	if result.IsErr() {
		told := result.Err()
		return value, &told
	}
	return result.Ok(), nil
}
