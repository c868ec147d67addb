// Package sse is the handler of HTTP+SSE, the transport of revision 2024-11-05. The way of a message:
//
//  1. GET opens a stream and a session, which is the stream: its first event is the URI of the session (handler.go).
//  2. POST to that URI brings a message, and is answered with 202 before the message is handled, or after it if it is
//     no request (post.go).
//  3. The response leaves on the stream. If the client has too many bytes to read, a refusal waits for it (owed.go).
//  4. The session ends with its stream, or when the last of its callers has expired.
//
// Who may call at all was decided before: [Handler.Serve] is given the caller. Limits, streams and sessions are those
// of the endpoint that the handler is part of.
package sse
