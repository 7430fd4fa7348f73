// Package export_benchhost_plugin_dataset makes the rows.
package export_benchhost_plugin_dataset

import (
	"fmt"

	wit "go.bytecodealliance.org/pkg/wit/types"

	"example.com/@NAME@/gen/benchhost_plugin_data"
	"example.com/@NAME@/gen/benchhost_plugin_dataset"
	"example.com/@NAME@/gen/benchhost_plugin_types"
	"example.com/@NAME@/readings"
)

type (
	facts = benchhost_plugin_dataset.Facts
	fault = benchhost_plugin_types.Error
)

// The one table. A column is named by its position in it.
const (
	host = iota
	value
	count
	ts
)

var table = benchhost_plugin_types.Table{
	Name: "@NAME@",
	Columns: []benchhost_plugin_types.Column{
		host:  {Name: "host", Semantic: benchhost_plugin_types.SemanticTag, DataType: benchhost_plugin_types.DataTypeUtf8},
		value: {Name: "value", Semantic: benchhost_plugin_types.SemanticField, DataType: benchhost_plugin_types.DataTypeFloat64},
		count: {Name: "count", Semantic: benchhost_plugin_types.SemanticField, DataType: benchhost_plugin_types.DataTypeInt64, Nullable: true},
		ts: {
			Name:     "ts",
			Semantic: benchhost_plugin_types.SemanticTimestamp,
			DataType: benchhost_plugin_types.DataTypeTimestampMillisecond,
		},
	},
}

// What `Open` leaves to `Fill`. One instance is one dataset, so it may lie in variables of the package.
var (
	rows readings.Readings
	// The hosts' names. Made once: a batch holds numbers that point into it.
	names *benchhost_plugin_data.Dictionary
)

// Open takes the settings and says what the dataset is.
func Open(settings []benchhost_plugin_types.Setting, seed uint64) wit.Result[facts, fault] {
	rows = readings.Readings{Seed: seed}
	for _, setting := range settings {
		if setting.Name == "hosts" {
			rows.Hosts = readings.ReadHosts(setting.Value)
		}
	}
	if rows.Hosts == 0 {
		return wit.Err[facts](invalid(fmt.Sprintf("`hosts` is missing, or not from 1 to %d", readings.MostHosts)))
	}
	words := make([]string, rows.Hosts)
	for number := range words {
		words[number] = fmt.Sprintf("host_%d", number)
	}
	names = benchhost_plugin_data.MakeDictionary(words)
	return wit.Ok[facts, fault](facts{
		Tables:   []benchhost_plugin_types.Table{table},
		Rows:     wit.None[uint64](), // Endless.
		Series:   uint64(rows.Hosts),
		Seekable: true,
	})
}

// Fill makes `count` rows of the one table, from `first` on.
func Fill(_ uint32, first uint64, many uint32, into *benchhost_plugin_data.BatchBuilder) wit.Result[wit.Unit, fault] {
	// What is lent must be given back before the function ends.
	defer into.Drop()
	if names == nil {
		return wit.Err[wit.Unit](invalid("the dataset is not open"))
	}
	if !rows.Reach(first, many) {
		return wit.Err[wit.Unit](invalid("these rows lie past the end of time"))
	}
	var (
		keys   = make([]uint32, many)
		values = make([]float64, many)
		counts = make([]int64, many)
		times  = make([]int64, many)
		nulls  []uint32
	)
	for i := range many {
		row := first + uint64(i)
		keys[i] = rows.Host(row)
		values[i] = rows.Value(row)
		times[i] = rows.Time(row)
		// A column is appended whole, with any value where there is none, and the rows that have none are named.
		number, known := rows.Count(row)
		counts[i] = number
		if !known {
			nulls = append(nulls, i)
		}
	}
	into.AppendKeys(host, names, keys)
	into.AppendFloat64s(value, values)
	into.AppendInt64s(count, counts)
	into.MarkNulls(count, nulls)
	into.AppendTimestamps(times)
	return wit.Ok[wit.Unit, fault](wit.Unit{})
}

func invalid(message string) fault {
	return fault{Kind: benchhost_plugin_types.ErrorKindInvalid, Message: message}
}
