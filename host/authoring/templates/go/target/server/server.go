// Package server is the session: the connection to the server, and what is said on it.
//
// Whatever the host hands over to keep, such as a client or a response, is given back by `Drop`: the garbage collector does so too, but late.
package server

import (
	"strconv"

	wit "go.bytecodealliance.org/pkg/wit/types"

	"example.com/@NAME@/gen/benchhost_plugin_data"
	"example.com/@NAME@/gen/benchhost_plugin_encode"
	"example.com/@NAME@/gen/benchhost_plugin_http"
	"example.com/@NAME@/gen/benchhost_plugin_types"
	"example.com/@NAME@/influx"
)

type fault = benchhost_plugin_types.Error

// What the session keeps; nothing before `Open` and after `Close`.
var session struct {
	database string
	client   *benchhost_plugin_http.Client
	// The request that carries every batch. The host has checked and copied it once.
	write *benchhost_plugin_http.Request
	// It remembers what it can reuse between batches.
	encoder *benchhost_plugin_encode.LineProtocol
}

// Open connects to the server.
func Open(endpoint string, database string) *fault {
	client, err := taken(benchhost_plugin_http.ClientConnect(endpoint))
	if err != nil {
		return err
	}
	path := "/write?precision=ns&db=" + influx.PercentEncoded(database)
	write, err := taken(client.Prepare("POST", path, nil))
	if err != nil {
		client.Drop()
		return err
	}
	session.database, session.client, session.write = database, client, write
	session.encoder = benchhost_plugin_encode.MakeLineProtocol(benchhost_plugin_encode.TimeUnitNanosecond)
	return nil
}

// Close gives everything back.
func Close() {
	if session.client != nil {
		session.encoder.Drop()
		session.write.Drop()
		session.client.Drop()
		session.client = nil
	}
}

// Database is the name of the database.
func Database() string {
	return session.database
}

// Encode makes the body of a write.
func Encode(batch *benchhost_plugin_data.Batch) (*benchhost_plugin_data.Payload, *fault) {
	if session.client == nil {
		return nil, notOpen()
	}
	return taken(session.encoder.Encode(batch))
}

// Write sends the body of a write and waits for the answer.
func Write(payload *benchhost_plugin_data.Payload) *fault {
	if session.client == nil {
		return notOpen()
	}
	response, err := taken(session.write.Send(payload))
	// None is the usual answer to a write: 2xx without a body.
	if err != nil || response.IsNone() {
		return err
	}
	defer response.Some().Drop()
	return refused(response.Some())
}

// Version is what the server says of itself.
func Version() (string, *fault) {
	response, err := ask("GET", "/ping")
	if err != nil {
		return "", err
	}
	defer response.Drop()
	return response.Header("X-Influxdb-Version").SomeOr("unknown"), nil
}

// Query sends an InfluxQL statement and gives the answer, which is empty where there is nothing of that name.
func Query(method string, statement string) (influx.Answer, *fault) {
	database, statement := influx.PercentEncoded(session.database), influx.PercentEncoded(statement)
	response, err := ask(method, "/query?db="+database+"&epoch=ns&q="+statement)
	if err != nil {
		return influx.Answer{}, err
	}
	defer response.Drop()
	answer, words := influx.Read(body(response, 16<<20))
	switch {
	case words == "":
		return answer, nil
	case influx.IsAbsence(words):
		// No error for those who remove something, or count in it.
		return influx.Answer{}, nil
	default:
		return answer, Fault(benchhost_plugin_types.ErrorKindRejected, words)
	}
}

// Sends a request without a body. Only an answer of status 2xx is given.
func ask(method string, path string) (*benchhost_plugin_http.Response, *fault) {
	if session.client == nil {
		return nil, notOpen()
	}
	response, err := taken(session.client.Send(method, path, nil, wit.None[*benchhost_plugin_data.Payload]()))
	if err != nil {
		return nil, err
	}
	if err := refused(response); err != nil {
		response.Drop()
		return nil, err
	}
	return response, nil
}

// The error that a status stands for; nil for 2xx.
func refused(response *benchhost_plugin_http.Response) *fault {
	status := response.Status()
	if status >= 200 && status < 300 {
		return nil
	}
	err := Fault(benchhost_plugin_types.ErrorKindRejected, string(body(response, 200)))
	switch {
	case status == 429 || status == 503:
		err.Kind = benchhost_plugin_types.ErrorKindThrottled
	case status >= 500:
		err.Kind = benchhost_plugin_types.ErrorKindUnavailable
	}
	err.Code = wit.Some(strconv.Itoa(int(status)))
	// The host sends the same payload again, after its own back-off where the server names no time.
	err.Retryable = err.Kind != benchhost_plugin_types.ErrorKindRejected
	if wait, ok := influx.RetryAfterMs(response.Header("Retry-After").SomeOr("")); ok {
		err.RetryAfterMs = wit.Some(wait)
	}
	return err
}

// At most `max` bytes of an answer's body.
func body(response *benchhost_plugin_http.Response, max uint32) []byte {
	payload := response.Body()
	defer payload.Drop()
	return payload.Read(0, max)
}

func notOpen() *fault {
	return Fault(benchhost_plugin_types.ErrorKindInternal, "there is no open session")
}
