// Made by `benchhost plugin build`, which has every exported function call `begin` first.

package wit_exports

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	witRuntime "go.bytecodealliance.org/pkg/wit/runtime"
)

// How much is allocated from one collection to the next, in bytes.
const enough = 16 << 20

var (
	allocated = []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	collected uint64
)

// The garbage collector asks for the time. Wherever a function of the host answers with a list or a string it has memory allocated here, and
// until it has written there, a component that calls anything is ended (bytecodealliance/wasmtime#14318). So the collector never runs by
// itself, but here alone: as a call of the host begins.
func init() {
	debug.SetGCPercent(-1)
}

// What the host has written is kept from the collector until `Unpin`. The bindings call that in functions that take a list or a string; in
// the others nobody would, and what they have asked the host for would stay for ever.
func begin(unpinned bool) {
	if !unpinned {
		witRuntime.Unpin()
	}
	metrics.Read(allocated)
	if now := allocated[0].Value.Uint64(); now-collected > enough {
		collected = now
		runtime.GC()
		// What goes with the garbage, such as handles that were not dropped, is let go of now rather than in the middle of a call.
		runtime.Gosched()
	}
}
