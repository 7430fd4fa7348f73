// A benchhost target for Redis, in Go. The contract is in `wit/` at the root of the repository; `resp` has the protocol, `rows` the way rows
// lie in it, `columns` the reading of a batch, `server` the conversation.
//
// The host calls the functions in the folders `export_…`. The bindings are in `gen/`, where `benchhost plugin build` writes them.
//
// One instance of this component is one session of one worker, so what a session keeps may lie in variables of a package.
package main

import _ "example.com/redis-go/gen/wit_exports"

// Never called: the host calls the exports.
func main() {}
