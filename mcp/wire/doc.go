// Package wire is for generated code, and is outside of the compatibility promise of version 1: the handshake between
// generated code and the runtime guards it. It parses and writes JSON, JSON-RPC messages and URIs. It validates
// untrusted bytes, so that the packages above can rely on them. Five names to know: [Check] validates a message and a
// [Decoder] reads it; [ParseMessage] parses a JSON-RPC message; [Error] is a JSON-RPC error; an [Encoder] writes
// values.
//
// Reading has two steps. Check reads a whole message once and is strict: one value, valid UTF-8, no duplicate names, no
// lone surrogates, limited size and depth. A Decoder then reads the text without these checks, and is therefore small
// and fast. On text that Check has not accepted, a Decoder returns an error or meaningless values; it does not panic or
// loop.
//
// Names are compared byte for byte after unescaping, without case folding: "Method", "paramſ" and "key\u0000" are not
// the names "method", "params" and "key".
//
// Writing functions append to a byte slice and return it. Their output has no line break, so a message is one line.
//
// All functions are safe for concurrent use. A Decoder, an Extra and a Path belong to one goroutine at a time.
package wire
