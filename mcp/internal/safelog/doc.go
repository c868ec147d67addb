// Package safelog protects a server from its loggers: a log handler that panics or hangs must not end or block a
// request, a connection or the process.
//
// [New] wraps the handler of a logger. Each record is written by a goroutine of its own, and whoever logs waits for it
// for a second at most. While a handler hangs, further records are dropped and counted. [Sparse] writes what strangers
// can cause any number of times only once in a while (sparse.go). [Text] is what a stranger has written as a log can
// hold it (text.go).
package safelog
