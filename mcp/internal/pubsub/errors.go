package pubsub

import "fmt"

// Error is the reason why a client cannot subscribe. The client gets the text.
type Error string

// Error implements error.
func (e Error) Error() string { return string(e) }

// The errors that callers tell apart.
const (
	// ErrClosed refuses a subscription while the server ends.
	ErrClosed = Error("server is shutting down")
	// ErrDuplicate refuses a listen with the id of an open one.
	ErrDuplicate = Error("the id belongs to an open listen")
	// ErrFull refuses a subscription beyond [Config].Subscriptions, or beyond the share of a client.
	ErrFull = Error("the server has too many subscriptions")
	// ErrTooManyWatchers refuses a subscription because its watcher would exceed [Config].Watchers or the share of its
	// client.
	ErrTooManyWatchers = Error("the server watches too many resources")
)

// WriterError is the error of an outbox whose [Writer] has panicked, or has called runtime.Goexit.
type WriterError struct {
	Value any // of the panic
	Stack []byte
}

// Error implements error.
func (e *WriterError) Error() string { return fmt.Sprintf("panic in a transport: %v", e.Value) }

// errTooMany returns the error for a request that exceeds a limit of [Limits].
func errTooMany(what string, limit int, of string) error {
	return Error(fmt.Sprintf("too many %s: at most %d%s per connection", what, limit, of))
}
