// Package event has what a server keeps and promises about events (extension io.modelcontextprotocol/events): the
// [Options] of a server, the [Log] that holds what has happened, and what delivers it to callbacks.
//
// A program declares events with directives, and generated code publishes them. It uses this package to say where they
// are kept. Without these options a server keeps its events in memory, and serves them by polls and streams.
package event
