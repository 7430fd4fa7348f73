// Package export_benchhost_plugin_ingest writes rows.
package export_benchhost_plugin_ingest

import (
	wit "go.bytecodealliance.org/pkg/wit/types"

	"example.com/@NAME@/gen/benchhost_plugin_data"
	"example.com/@NAME@/gen/benchhost_plugin_ingest"
	"example.com/@NAME@/gen/benchhost_plugin_types"
	"example.com/@NAME@/server"
)

type fault = benchhost_plugin_types.Error

// Encode makes the body of a write. The host writes it, so no row passes through here.
func Encode(batch *benchhost_plugin_data.Batch) wit.Result[*benchhost_plugin_data.Payload, fault] {
	// What is lent must be given back before the function ends.
	defer batch.Drop()
	return server.Result(server.Encode(batch))
}

// Send writes a body and waits for the answer. The server does not say how many rows it stored.
func Send(payload *benchhost_plugin_data.Payload) wit.Result[benchhost_plugin_ingest.Ack, fault] {
	defer payload.Drop()
	return server.Result(benchhost_plugin_ingest.Ack{}, server.Write(payload))
}
