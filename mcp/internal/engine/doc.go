// Package engine has the parts of a server that do not depend on its features: the era and revision of a message, the
// goroutine that reads the next message of a connection, the running and the cancelled requests, the responses of a
// batch, and the way of a response to the client of its request.
//
// Of this module it imports package wire only. Its types are safe for concurrent use unless their comments say
// otherwise. While one of its mutexes is held, nothing else is locked or called, with two exceptions: the [Responder]
// of a batch and the [ResponseWriter] of an exchange are written to under the lock that keeps their frames in order.
package engine
