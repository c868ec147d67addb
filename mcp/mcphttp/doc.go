// Package mcphttp serves MCP over Streamable HTTP: [Handler] is an http.Handler for the one endpoint
// of a server, [Main] a whole program that speaks stdio or HTTP.
//
// One handler answers the clients of all revisions. A request of 2026-07-28 stands alone: it names
// its revision in its body, and nothing is kept for it between requests. A client of an older
// revision opens a session with initialize; it may leave a stream open for what is new, end the session, and
// resume a broken stream. Which of the two a request is, its body alone decides.
//
// What is safe is on by default: requests for other hosts and from foreign web pages are refused, and the
// sizes, numbers and times of everything that a client can cause are bounded (see [Options]).
//
// This package is the only one that links net/http; a program that speaks stdio only does without it.
package mcphttp
