// Package exchange is for authors of transports in which each message has a way back of its own, as in HTTP. If a
// client has one stream of messages in each direction, write a [transport.Conn] and call [mcp.Server.Serve]: that is
// less work.
//
// The transport reads a message with [Parse]. One that stands alone (2026-07-28) goes to [Handle]. Before that revision
// clients have sessions: for the message that opens one the transport makes a [Session], chooses an id for it, and
// gives it the later messages with that id. The server sends through a [ResponseWriter]: notifications and questions,
// then the response. Notifications that belong to no request go to the function of [NewSession].
//
// The transport decides who calls, how many clients there may be, how large a message may be, and when an idle session
// ends. docs/transports.md has one of 100 lines.
package exchange
