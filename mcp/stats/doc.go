// Package stats describes what a server counts. mcp.Server.Stats returns a [Snapshot]; [Metrics] is the table of its
// numbers, with a name, a unit and a meaning for each, for programs that export them. Package mcphttp exports them for
// Prometheus and for expvar.
//
// Each label has a fixed set of values, and none comes from a client: a method that the server does not have counts as
// "other".
package stats
