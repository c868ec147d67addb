// Package templates turns the intermediate representation into Go source: [Protocol] writes the protocol package, and
// [EmitPackage] what belongs to an annotated package. Their emitters are in the folders protocol and server, one file
// for each emitted artifact; package jenutil has the small pieces of Go that several of them need.
//
// An emitter is a function from IR to jennifer code. To add an artifact:
//
//  1. write down by hand the Go that it should produce,
//  2. add a file with an emitX function whose doc comment shows that Go,
//  3. add a row to the table of the protocol package, or to the table of contents of an mcp_gen.go,
//  4. generate, and read the result as a reader of it would.
//
// emitX adds to a file, xCode returns fresh code. A line without a hole that is filled from
// the IR belongs into package wire or mcp, not into an emitter.
package templates
