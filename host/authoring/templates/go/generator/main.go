// A dataset of benchhost: readings of some hosts, one a second each, without an end.
//
// The host calls the functions in the folders `export_…`, which are the exports of the world `generator` in `wit/`, by the bindings that
// `benchhost plugin build` writes into `gen/`. Every value is a function of the seed and the row's position alone, so any instance may make
// any rows in any order, and they are the same every time.
package main

import _ "example.com/@NAME@/gen/wit_exports"

// Never called: the host calls the exports.
func main() {}
