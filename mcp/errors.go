package mcp

import (
	"errors"
	"fmt"
)

// ErrNotFound says that a resource does not exist. A reader that returns it, fs.ErrNotExist or an
// error that wraps one of them gives the client code -32602 in 2026-07-28 and -32002 before, with
// the URI in data.uri.
var ErrNotFound = errors.New("resource not found")

// NotFound returns an error that wraps ErrNotFound and names uri.
func NotFound(uri string) error { return fmt.Errorf("%w: %s", ErrNotFound, uri) }

// MissingImpl returns the error of a generated constructor whose argument lacks a value for field.
func MissingImpl(field string) error {
	return fmt.Errorf("mcp: %s is nil: the server has nothing to call", field)
}

// publicError is an error whose text may be sent to clients.
type publicError struct{ err error }

func (e *publicError) Error() string { return e.err.Error() }
func (e *publicError) Unwrap() error { return e.err }

// Public marks err as fit for the client's eyes: its text is sent, where the text of other errors
// is replaced by a reference to the log. Public(nil) is nil.
func Public(err error) error {
	if err == nil {
		return nil
	}
	return &publicError{err}
}

// Errorf is fmt.Errorf for errors whose text is sent to the client.
func Errorf(format string, args ...any) error { return Public(fmt.Errorf(format, args...)) }
