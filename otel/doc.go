// Package mcpotel traces and measures the requests of a server with OpenTelemetry, by its semantic conventions for MCP.
// It depends on the API of OpenTelemetry only: the program chooses an SDK and exporters, and without these nothing is
// recorded.
//
//	srv, err := notes.NewNotesServer(n, &mcp.Options{Observer: mcpotel.New(nil)})
//
// # Spans
//
// Each request of a client is a span of kind server, each question to a client of a revision before 2026-07-28 one of
// kind client, and each run of a task an internal one. Its context is that of the handler. The parent is what the
// client has written into params._meta, with a link to the span of the HTTP request, if there is one; else that span is
// the parent.
//
// # Errors
//
// A span is an error of the server if the code of the response is -32603, or from -32099 to -32000 except those that
// speak of the client (-32002, -32020, -32021, -32022) or ask it something (-32042). A result that says that the tool
// has failed has the error.type tool_error. What the client does wrong, may not do or cancels is no error.
//
// # Logs
//
// [LogHandler] adds the ids of the span to the records of a handler, and [Register] exports what the server counts.
package mcpotel
