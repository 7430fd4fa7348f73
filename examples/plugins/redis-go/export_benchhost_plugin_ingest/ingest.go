// Package export_benchhost_plugin_ingest writes rows.
package export_benchhost_plugin_ingest

import (
	wit "go.bytecodealliance.org/pkg/wit/types"

	"example.com/redis-go/columns"
	"example.com/redis-go/gen/benchhost_plugin_data"
	"example.com/redis-go/gen/benchhost_plugin_ingest"
	"example.com/redis-go/gen/benchhost_plugin_types"
	"example.com/redis-go/rows"
	"example.com/redis-go/server"
)

type fault = benchhost_plugin_types.Error

// Encode makes the one command that stores a batch; nothing for a batch without rows.
func Encode(batch *benchhost_plugin_data.Batch) wit.Result[*benchhost_plugin_data.Payload, fault] {
	// What is lent must be given back before the function ends.
	defer batch.Drop()
	table := batch.Table()
	times, err := columns.Milliseconds(batch, table)
	if err != nil {
		return wit.Err[*benchhost_plugin_data.Payload](*err)
	}
	command := rows.Write(table.Name, times, columns.Read(batch, table))
	return wit.Ok[*benchhost_plugin_data.Payload, fault](benchhost_plugin_data.PayloadFromBytes(command, batch.Rows()))
}

// Send sends a command and waits for the reply. The number that comes back counts new members only, which says nothing of a payload that is
// sent again.
func Send(payload *benchhost_plugin_data.Payload) wit.Result[benchhost_plugin_ingest.Ack, fault] {
	defer payload.Drop()
	var err *fault
	if payload.Size() > 0 {
		err = server.Send(payload)
	}
	return server.Result(benchhost_plugin_ingest.Ack{}, err)
}
