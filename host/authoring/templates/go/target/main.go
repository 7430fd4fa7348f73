// A target of benchhost: rows as line protocol over HTTP, as InfluxDB 1 takes them.
//
// The host calls the functions in the folders `export_…`, which are the exports of the world `target` in `wit/`. Rows, request bodies and
// connections live in the host; here are only handles to them, by the bindings that `benchhost plugin build` writes into `gen/`.
//
// One instance of this component is one session of one worker, so what a session keeps may lie in variables of a package.
package main

import _ "example.com/@NAME@/gen/wit_exports"

// Never called: the host calls the exports.
func main() {}
