// Package columns reads the columns of a batch from the host.
package columns

import (
	"fmt"

	"example.com/redis-go/gen/benchhost_plugin_data"
	"example.com/redis-go/gen/benchhost_plugin_types"
	"example.com/redis-go/rows"
	"example.com/redis-go/server"
)

// Readable says whether there is a getter for values of that type.
func Readable(of benchhost_plugin_types.DataType) bool {
	return signed(of) || unsigned(of) || floating(of) ||
		of == benchhost_plugin_types.DataTypeBoolean || of == benchhost_plugin_types.DataTypeUtf8
}

// The types are numbers in the order of the contract.

func signed(of benchhost_plugin_types.DataType) bool {
	return of >= benchhost_plugin_types.DataTypeInt8 && of <= benchhost_plugin_types.DataTypeInt64
}

func unsigned(of benchhost_plugin_types.DataType) bool {
	return of >= benchhost_plugin_types.DataTypeUint8 && of <= benchhost_plugin_types.DataTypeUint64
}

func floating(of benchhost_plugin_types.DataType) bool {
	return of == benchhost_plugin_types.DataTypeFloat32 || of == benchhost_plugin_types.DataTypeFloat64
}

// Read reads all columns but the time. Their types are readable.
func Read(batch *benchhost_plugin_data.Batch, table benchhost_plugin_types.Table) []rows.Column {
	read := make([]rows.Column, 0, len(table.Columns))
	for i, column := range table.Columns {
		if column.Semantic == benchhost_plugin_types.SemanticTimestamp {
			continue
		}
		position := uint32(i)
		told := rows.Column{Name: column.Name, Add: values(batch, position, column)}
		if column.Nullable {
			told.Nulls = batch.Nulls(position)
		}
		read = append(read, told)
	}
	return read
}

// Reads the values of one column, of a type that is readable.
func values(batch *benchhost_plugin_data.Batch, position uint32, column benchhost_plugin_types.Column) rows.Values {
	switch {
	case column.Semantic == benchhost_plugin_types.SemanticTag:
		// The cheapest way to get text.
		return rows.Keys(batch.Dictionary(position), batch.Keys(position))
	case column.DataType == benchhost_plugin_types.DataTypeUtf8:
		return rows.Texts(batch.Strings(position))
	case column.DataType == benchhost_plugin_types.DataTypeBoolean:
		return rows.Booleans(batch.Booleans(position))
	case signed(column.DataType):
		return rows.Signed(batch.Int64s(position))
	case unsigned(column.DataType):
		return rows.Unsigned(batch.Uint64s(position))
	default:
		return rows.Floats(batch.Float64s(position))
	}
}

// Milliseconds reads the rows' times in whole milliseconds.
func Milliseconds(batch *benchhost_plugin_data.Batch, table benchhost_plugin_types.Table) ([]int64, *benchhost_plugin_types.Error) {
	unit := rows.Millisecond
	for _, column := range table.Columns {
		if column.Semantic == benchhost_plugin_types.SemanticTimestamp {
			unit = units[column.DataType]
		}
	}
	times := batch.Timestamps()
	for i, time := range times {
		whole, ok := rows.Whole(time, unit)
		if !ok {
			message := fmt.Sprintf("the time %d (in %s) is no whole millisecond, and a sorted set cannot keep it", time, unit.Name)
			remedy := ": choose a dataset with coarser times"
			return nil, server.Fault(benchhost_plugin_types.ErrorKindInvalid, message+remedy)
		}
		times[i] = whole
	}
	return times, nil
}

var units = map[benchhost_plugin_types.DataType]rows.Unit{
	benchhost_plugin_types.DataTypeTimestampSecond:      rows.Second,
	benchhost_plugin_types.DataTypeTimestampMillisecond: rows.Millisecond,
	benchhost_plugin_types.DataTypeTimestampMicrosecond: rows.Microsecond,
	benchhost_plugin_types.DataTypeTimestampNanosecond:  rows.Nanosecond,
}
