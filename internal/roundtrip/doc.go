// Package roundtrip holds a schema against the Go type that it was made from: by
// random instances of the schema, and by random mistakes in them.
//
// An instance is decoded into the type, and nothing is refused. A mistake that
// the type refuses is refused by the schema, and the other way round, except
// where a [Type] says why not. For all types, two things are left out: Validate,
// which no schema knows, and numbers and durations that do not fit 64 bits, or a float32.
package roundtrip
