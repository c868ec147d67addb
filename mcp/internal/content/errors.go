package content

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// ErrNotFound means that something does not exist; fs.ErrNotExist, and errors that wrap one of the two, mean the same.
// If the reader of a resource returns it, clients get the error "resource not found", with code -32602 in 2026-07-28
// and -32002 before, and with the URI in data.uri. If a tool returns it, because what the arguments name does not
// exist, clients get a fixed text with isError. If a prompt returns it, they get an error with code -32602. Clients do
// not get the text of the error, unless it is public.
var ErrNotFound = errors.New("resource not found")

// NotFound returns an error that wraps ErrNotFound and names uri.
func NotFound(uri string) error { return fmt.Errorf("%w: %s", ErrNotFound, uri) }

// publicError is an error whose text may be sent to clients.
type publicError struct{ err error }

func (e *publicError) Error() string { return e.err.Error() }
func (e *publicError) Unwrap() error { return e.err }

// PublicText is the text for clients, for [wire.PublicText].
func (e *publicError) PublicText() string { return e.Error() }

// Public returns an error with the text of err that clients may get, including the texts of the errors that err wraps.
// Of an error that wraps the result, or joins it with other errors, clients get the public texts only, in their order
// and separated by "; ". In place of an error without a public part they get a reference to the log of the server.
// Public(nil) is nil.
func Public(err error) error {
	if err == nil {
		return nil
	}
	return &publicError{err}
}

// Errorf returns Public of fmt.Errorf. Clients get the whole text, including the texts of errors in args.
func Errorf(format string, args ...any) error { return Public(fmt.Errorf(format, args...)) }

// IsNotFound reports whether err says that something does not exist.
func IsNotFound(err error) bool { return errors.Is(err, ErrNotFound) || errors.Is(err, fs.ErrNotExist) }

// PublicText returns the part of the text of err that clients may get: the texts of the outermost errors in err that
// are meant for them. ok is false if there are none.
func PublicText(err error) (text string, ok bool) { return wire.PublicText(err, knownText) }

// Withholds reports whether clients may get only a part of the text of err, or none.
func Withholds(err error) bool {
	switch err.(type) { //nolint:errorlint // what wraps them is withheld
	case *publicError, *wire.Error, *ArgumentsError, *uri.VarError:
		return false
	}
	return true
}

// InvalidParams returns an error for params that are of the right shape and still wrong.
func InvalidParams(format string, args ...any) *wire.Error {
	return wire.NewError(wire.CodeInvalidParams, "invalid params: "+fmt.Sprintf(format, args...))
}

// CodeResourceMissing is the code of a resource that does not exist, in legacy revisions.
const CodeResourceMissing = -32002

// knownText is the text for clients of errors that the runtime itself makes.
func knownText(err error) (text string, ok bool) {
	switch e := err.(type) { //nolint:errorlint // looks at one error of the tree at a time
	case *wire.Error:
		return e.Message, true
	case *ArgumentsError, *uri.VarError:
		return e.Error(), true
	}
	return "", false
}

var (
	// ErrDeclined means that the user has declined the form, the page or the use of the model.
	ErrDeclined = Public(errors.New("the user declined"))
	// ErrCancelled means that the user has closed the question without a decision; the handler may ask again later.
	ErrCancelled = Public(errors.New("the user dismissed the question"))
	// ErrNoAnswer means that there was no answer within Options.AskTimeout, or that the client has left.
	ErrNoAnswer = Public(errors.New("the client did not answer"))
)

// ErrCursor is the error for a cursor that this server has not made, or not for this list.
var ErrCursor = wire.NewError(wire.CodeInvalidParams, "invalid params: /cursor: is not a cursor of this list")

// PanicError is what a handler panicked with.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }
