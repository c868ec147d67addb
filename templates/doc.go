// Package templates turns the intermediate representation into Go source.
//
// There is one file per emitted artifact, and a table of artifacts in emit.go for the
// protocol package. An emitter is a function from IR to jennifer code. To add an artifact:
//
//  1. write down by hand the Go that it should produce,
//  2. add a file with an emitX function whose doc comment shows that Go,
//  3. add a row to the table,
//  4. generate, and read the result as a reader of it would.
//
// emitX adds to a file, xCode returns fresh code. A line without a hole that is filled from
// the IR belongs into package wire or mcp, not into an emitter. Pieces of Go that several
// emitters need are in templates/snip.
package templates
