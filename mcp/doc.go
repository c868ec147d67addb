// Package mcp is what users of mcpgen write against: handlers, programs and tests.
//
// A server is written as an annotated Go package; the command mcpgen writes its constructor, its
// router and its typed helpers into mcp_gen.go. Five names lead through this package: the constructor
// returns a [Server] and takes [Options]; a handler may take the [Caller] and the [Client] of its request;
// an error made with [Errorf] is one that the client sees.
//
//	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, &mcp.Options{Logger: logger})
//	…
//	err = srv.Serve(ctx, stdio.New(nil))
//
// Package mcphttp serves over HTTP, package stdio over standard input and output, and package mcptest tests a server.
// What only mcp_gen.go calls is in package mcprt.
//
// # Revisions and eras
//
// One server speaks every revision of the protocol at once. A request whose params._meta names a
// protocol version is modern (2026-07-28): it carries all its context and needs no handshake.
// Everything else is legacy (2024-11-05 to 2025-11-25) and starts with initialize. The choice is
// made for each message, so a client may probe with server/discover and then initialize on the
// same connection. Handlers see the difference only if they ask [Call.Revision].
//
// # Names for handlers
//
// The parameters of a handler are found by their types: [Caller], [Client], [Progress], [*Call]. Readers return
// strings, bytes, values sent as JSON, or [Content] and [Contents]; prompts a string, [Message] (made with [UserText],
// [AssistantText], [User] or [Assistant]) or [PromptResult]; tools a string, a struct, [Block] (made with [TextBlock],
// [ImageBlock], [AudioBlock], [LinkTo], [EmbedText] or [EmbedBlob]) or [ToolResult]. Entries of lists embed [RefInfo];
// a function that pages itself takes a [Page] and returns a [List]. Values that live in the program are in a [Holder]
// or a [Store]. A handler asks the user with [Elicit] and the methods of [Client]. In tests, [WithCaller] says who
// asks.
//
// # Errors
//
// A handler reports what went wrong with an ordinary error. [Public] and [Errorf] make an error whose text
// the client may see; an error that wraps or joins such ones sends their texts and nothing else of its own.
// [ErrNotFound], [NotFound], [fs.ErrNotExist] and a nil pointer become the "resource not found" of the
// revision; the first three also tell who called a tool or prompt that what its arguments name does not exist.
// The text of any other error goes to [Options.Logger] only.
//
// # Concurrency
//
// A Server and everything generated on top of it are safe for concurrent use. Handlers run
// concurrently, and must not assume which goroutine they run on.
package mcp
