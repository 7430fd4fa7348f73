module example.com/redis-go

go 1.25

// What the generated bindings are written against.
require go.bytecodealliance.org/pkg v0.2.3
