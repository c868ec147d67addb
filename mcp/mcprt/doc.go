// Package mcprt is for generated code, and is outside of the compatibility promise of version 1. Programs use package
// mcp and the functions of their mcp_gen.go. The names of this package may change with the number of the handshake
// between generated code and the runtime (package wire); CONTRIBUTING.md says when that number is raised.
//
// Five names to know: [Features] declares the features of a server, in tables of [Resource], [Tool] and [Prompt];
// [NewServer] returns the server of a declaration. [Vars] are the variables of a URI during decoding. The functions As…
// and …Of convert the results of handlers to the types of the tables.
package mcprt
