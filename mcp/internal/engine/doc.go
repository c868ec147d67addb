// Package engine holds the parts of a server that know nothing of what it serves: who reads the next message of a
// connection, which requests are in flight and which of them the client has cancelled, how the responses of a batch are
// put together, and how a response reaches the client of its request.
//
// It knows no type of package mcp, which imports it. Its types are used by several goroutines at once unless they say
// otherwise. Each mutex in it is a leaf: nothing else is locked or called while it is held, except the [Responder] of a
// batch and the [ResponseWriter] of an exchange, which are written to under the lock that keeps their frames in order.
package engine
