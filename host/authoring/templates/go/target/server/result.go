package server

import (
	"strings"

	wit "go.bytecodealliance.org/pkg/wit/types"

	"example.com/@NAME@/gen/benchhost_plugin_types"
)

// Fault is an error of this plugin's own, for which trying again is of no use.
func Fault(kind benchhost_plugin_types.ErrorKind, message string) *fault {
	// A server may answer with any bytes, and a string of the contract is UTF-8.
	return &fault{Kind: kind, Message: strings.ToValidUTF8(message, "\uFFFD")}
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
