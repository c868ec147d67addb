// Package wire is the JSON, JSON-RPC and URI floor of mcpgen: everything that turns untrusted bytes into something the
// rest may rely on, and back.
//
// Reading has two steps. [Check] walks a whole message once and is as strict as a parser can be: one value, valid
// UTF-8, no duplicate names, no lone surrogates, bounded size and depth. What it accepts is then read by a [Decoder],
// which only finds its way and therefore is small and fast. A Decoder on text that was never checked returns an error
// or meaningless values, but it does not panic and does not loop.
//
// Names are compared byte for byte after unescaping. There is no case folding anywhere, so that "Method", "paramſ"
// and "key\u0000" are different names from "method", "params" and "key" for every reader of a message.
//
// Writing is append style: each function adds to a byte slice and returns it, and output never holds a line break,
// so that a message is always one line.
//
// All functions are safe for concurrent use. A Decoder, an Extra and a Path belong to one goroutine at a time.
package wire
