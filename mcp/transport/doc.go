// Package transport is the boundary between the MCP runtime and its transports. Five names to know: a [Conn] reads and
// writes whole JSON-RPC messages, without interpreting them; [Pipe] returns two connected conns in memory; [Trace]
// prints the messages of a conn; [MessageError] is the error of one message that was dropped; [ErrClosed] is the error
// after Close. Package stdio has the conn of standard input and output.
//
// A server calls ReadMessage from one goroutine at a time, and WriteMessage from one at a time. What only some conns
// can do has an interface of its own: a [Stopper] knows that the process is asked to stop, and a [Named] has a name
// for logs. The ends of a pipe are in memory.go: each has a queue of messages for the other, and buffers that are used
// again.
package transport
