// Package mcp has the types and functions that handlers, programs and tests of an mcpgen server use.
//
// A server is an annotated Go package; the command mcpgen writes its constructor, its router and its helpers into
// mcp_gen.go. Five names to know: the constructor returns a [Server] and takes [Options]; a handler may take the
// [Caller] and the [Peer] of its request as parameters; clients get the text of an error that was made with [Errorf].
//
//	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, &mcp.Options{Logger: logger})
//	…
//	err = srv.Serve(ctx, stdio.New(nil))
//
// Package mcphttp serves over HTTP, package stdio over standard input and output, and package mcptest tests a server.
// Only mcp_gen.go calls package mcprt.
//
// # Revisions and eras
//
// A server speaks every revision of the protocol. A request with a protocol version in params._meta is modern
// (2026-07-28): it contains its whole context and needs no handshake. All other messages are legacy (2024-11-05 to
// 2025-11-25), and their connections begin with initialize. The server decides for each message, so a client may send
// server/discover first and then initialize on the same connection. Handlers can read the revision with
// [Call.Revision].
//
// # Names for handlers
//
// The parameters of a handler are found by their types: [Caller], [Peer], [Progress], [*Call]. Readers of resources
// return strings, bytes, values sent as JSON, or [Content] and [Contents]. Prompts return a string, [Message] (with a
// text made with [UserText] or [AssistantText]) or [PromptResult]. Tools return a string, a struct, [Block] or
// [ToolResult]. The generated references of list functions embed [RefInfo]; a list function with its own paging takes a
// [Page] and returns a [List]. [Holder] and [Store] hold the values of annotated structs. [AskForm] and the methods of
// [Peer] send requests to the client.
//
// # Errors
//
// A handler returns an ordinary error. [Public] and [Errorf] make errors whose text clients get; of an error that wraps
// or joins such errors, clients get their texts only. [ErrNotFound] and [fs.ErrNotExist], also wrapped, and a nil
// pointer are the error "resource not found" of the revision; from a tool or a prompt, the first two are a fixed text
// about its arguments. The text of any other error is written to [Options.Logger] only.
//
// # Concurrency
//
// A Server and everything generated on top of it are safe for concurrent use. Handlers run
// concurrently, and must not assume which goroutine they run on.
package mcp
