// Package mcp runs servers of the Model Context Protocol.
//
// A server is written as an annotated Go package; the command mcpgen writes its constructor, its
// router and its typed helpers into mcp_gen.go. This package is what that code calls: it speaks
// JSON-RPC, negotiates the revision with each client, routes requests, keeps subscriptions, pages
// lists and turns errors into the codes of the client's revision. Programs need few of its names:
//
//	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, &mcp.Options{Logger: logger})
//	…
//	err = srv.Serve(ctx, stdio.New(nil))
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
// Parameters, found by their type: [Caller], [Client], [Progress], [*Call]. Results of readers: [Content];
// of prompts: [Message] with [UserText], [AssistantText], [User] and [Assistant], [PromptResult]; of tools:
// [Block] with [TextBlock], [ImageBlock], [AudioBlock], [LinkTo], [EmbedText] and [EmbedBlob], [Result];
// of listers: [RefInfo], and [Page] with [List]. Questions: [Elicit], [AskForm], [AskModel] and the methods of
// Client. Errors: see below. For tests of handlers: [WithCaller]. Servers: [Options], [Server].
// Nearly all other names are for mcp_gen.go.
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
