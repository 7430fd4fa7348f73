// Package export_benchhost_plugin_session opens and closes a session, and answers what the control session is asked.
package export_benchhost_plugin_session

import (
	wit "go.bytecodealliance.org/pkg/wit/types"

	"example.com/@NAME@/gen/benchhost_plugin_types"
	"example.com/@NAME@/influx"
	"example.com/@NAME@/server"
)

type (
	fault = benchhost_plugin_types.Error
	table = benchhost_plugin_types.Table
	fact  = wit.Tuple2[string, string]
)

// Open connects, and makes what every batch needs.
func Open(settings []benchhost_plugin_types.Setting, _ wit.Option[uint32]) wit.Result[wit.Unit, fault] {
	given := map[string]string{}
	for _, setting := range settings {
		given[setting.Name] = setting.Value
	}
	return server.Result(wit.Unit{}, server.Open(given["endpoint"], given["database"]))
}

// Server tells the facts for the report.
func Server() wit.Result[[]fact, fault] {
	version, err := server.Version()
	return server.Result([]fact{{F0: "product", F1: "InfluxDB"}, {F0: "version", F1: version}}, err)
}

// CreateTable makes the database. A measurement comes into being with its first row.
func CreateTable(table) wit.Result[wit.Unit, fault] {
	_, err := server.Query("POST", "CREATE DATABASE "+influx.Identifier(server.Database()))
	return server.Result(wit.Unit{}, err)
}

// DropTable removes the table with its rows.
func DropTable(of table) wit.Result[wit.Unit, fault] {
	_, err := server.Query("POST", "DROP MEASUREMENT "+influx.Identifier(of.Name))
	return server.Result(wit.Unit{}, err)
}

// CountRows counts the rows in a range of time, as a reader would see them now.
func CountRows(of table, startNs int64, endNs int64) wit.Result[uint64, fault] {
	return server.Result(count(of, startNs, endNs))
}

func count(of table, startNs int64, endNs int64) (uint64, *fault) {
	for _, column := range of.Columns {
		// `COUNT` counts values, so it counts rows only where every row has one.
		if column.Semantic != benchhost_plugin_types.SemanticField || column.Nullable {
			continue
		}
		statement, any := influx.CountStatement(of.Name, column.Name, startNs, endNs)
		if !any {
			return 0, nil
		}
		answer, err := server.Query("GET", statement)
		if err != nil {
			return 0, err
		}
		rows, found := answer.Count()
		if !found {
			return 0, server.Fault(benchhost_plugin_types.ErrorKindInternal, "no count in the answer to "+statement)
		}
		return rows, nil
	}
	message := "rows of `" + of.Name + "` cannot be counted: no field has a value in every row"
	return 0, server.Fault(benchhost_plugin_types.ErrorKindUnsupported, message)
}

// Close lets go of what the session has in the host.
func Close() {
	server.Close()
}
