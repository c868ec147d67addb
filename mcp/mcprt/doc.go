// Package mcprt is what mcp_gen.go calls, and nobody else: programs use package mcp and the functions of their own
// mcp_gen.go. Its names may change with the handshake between generated code and the runtime, which
// package wire names; CONTRIBUTING.md says when that rises.
//
// Five names lead through it. [Features] declares what a server offers, as tables of [Resource], [Tool] and [Prompt];
// [NewServer] returns the server of such a declaration; [Vars] are the variables of a URI while generated code
// decodes them. What the functions As… and …Of return is the result of a handler in the form of the tables.
package mcprt
