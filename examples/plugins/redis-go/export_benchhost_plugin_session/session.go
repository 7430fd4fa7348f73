// Package export_benchhost_plugin_session opens and closes a session, and answers what the control session is asked.
package export_benchhost_plugin_session

import (
	"strings"

	wit "go.bytecodealliance.org/pkg/wit/types"

	"example.com/redis-go/columns"
	"example.com/redis-go/gen/benchhost_plugin_types"
	"example.com/redis-go/resp"
	"example.com/redis-go/rows"
	"example.com/redis-go/server"
)

type (
	fault = benchhost_plugin_types.Error
	table = benchhost_plugin_types.Table
	fact  = wit.Tuple2[string, string]
)

// Open keeps the settings. Nothing is sent before it is needed.
func Open(settings []benchhost_plugin_types.Setting, _ wit.Option[uint32]) wit.Result[wit.Unit, fault] {
	given := map[string]string{}
	for _, setting := range settings {
		given[setting.Name] = setting.Value
	}
	password, protected := given["password"]
	server.Open(given["endpoint"], password, protected)
	return done(nil)
}

// Server tells the facts for the report, from lines `name:value`.
func Server() wit.Result[[]fact, fault] {
	info, err := server.Ask("INFO", "server")
	facts := map[string]string{"redis_version": "unknown", "redis_mode": "unknown"}
	for line := range strings.Lines(info.Text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		facts[name] = value
	}
	return server.Result([]fact{
		{F0: "product", F1: "Redis"},
		{F0: "version", F1: facts["redis_version"]},
		{F0: "mode", F1: facts["redis_mode"]},
	}, err)
}

// CreateTable looks whether the table can be kept. A sorted set comes into being with its first member.
func CreateTable(of table) wit.Result[wit.Unit, fault] {
	for _, column := range of.Columns {
		if column.Semantic != benchhost_plugin_types.SemanticTimestamp && !columns.Readable(column.DataType) {
			message := "there is no text for the values of column `" + column.Name + "`"
			return done(server.Fault(benchhost_plugin_types.ErrorKindUnsupported, message))
		}
	}
	_, err := server.Ask("PING")
	return done(err)
}

// DropTable removes the sorted set.
func DropTable(of table) wit.Result[wit.Unit, fault] {
	_, err := server.Ask("DEL", of.Name)
	return done(err)
}

// CountRows counts the rows in a range of time.
func CountRows(of table, startNs int64, endNs int64) wit.Result[uint64, fault] {
	start, end := rows.Bounds(startNs, endNs)
	reply, err := server.Ask("ZCOUNT", of.Name, start, end)
	if err == nil && (reply.Kind != resp.Number || reply.Number < 0) {
		err = server.Strange("no number for ZCOUNT")
	}
	return server.Result(uint64(reply.Number), err)
}

// Close ends the connection.
func Close() {
	server.Close()
}

func done(err *fault) wit.Result[wit.Unit, fault] {
	return server.Result(wit.Unit{}, err)
}
