// Package mcphttp serves MCP over Streamable HTTP. Five names to know: [Handler] returns the http.Handler of the
// endpoint of a server, and [Options] configures it; [Main] is a whole program that speaks stdio or HTTP, and
// [AddFlags] adds its flags to another program; [ChallengeError] is the error of an authentication.
//
// One handler serves clients of all revisions. A request of 2026-07-28 names its revision in its body, and the server
// keeps no state between such requests. A client of an older revision opens a session with initialize; it may open a
// stream for notifications, resume a broken stream, and end the session. Only the body of a request decides which of
// the two it is.
//
// Safe defaults: requests for other hosts, and from web pages of other origins, are refused. Sizes, numbers and times
// of everything that a client can cause are limited; see [Options].
//
// No other package of the runtime links net/http. A program for stdio only does not need it.
package mcphttp
