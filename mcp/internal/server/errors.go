package server

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// ErrNotFound says that something does not exist. It, fs.ErrNotExist and errors that wrap one of them
// mean, from a reader, that there is no such resource: the client gets code -32602 in 2026-07-28 and
// -32002 before, with the URI in data.uri. From a tool or a prompt they mean that what its arguments name
// does not exist: the model gets a fixed text with isError, the caller of a prompt code -32602. Neither is
// told the text of the error, unless it is public.
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

// PublicText is the text for clients. Package wire looks for it in errors of functions with a type directive.
func (e *publicError) PublicText() string { return e.Error() }

// Public marks err as fit for clients: its text is sent, with the texts of all that it wraps. Of an error
// that wraps the result, or joins it with others, that text alone is sent; several are sent in their order,
// with "; " between them. An error without a public part is replaced by a reference to the log.
// Public(nil) is nil.
func Public(err error) error {
	if err == nil {
		return nil
	}
	return &publicError{err}
}

// Errorf is Public of fmt.Errorf: the whole text is sent to the client, with those of the errors among args.
func Errorf(format string, args ...any) error { return Public(fmt.Errorf(format, args...)) }

// isNotFound reports whether err says that something does not exist.
func isNotFound(err error) bool { return errors.Is(err, ErrNotFound) || errors.Is(err, fs.ErrNotExist) }

// toldText is what of err clients may know: the texts of its outermost parts that are meant for them.
func toldText(err error) (text string, ok bool) {
	var texts []string
	collectTexts(err, &texts)
	return strings.Join(texts, "; "), texts != nil
}

// collectTexts adds to texts those of the outermost parts of err that are meant for clients.
func collectTexts(err error, texts *[]string) {
	switch e := err.(type) { //nolint:errorlint // looks at one error of the tree at a time
	case *publicError:
		*texts = append(*texts, e.Error())
	case *wire.Error:
		*texts = append(*texts, e.Message)
	case *MissingCapabilityError, *ArgumentsError, *VarError:
		*texts = append(*texts, e.Error())
	case interface{ Unwrap() error }:
		collectTexts(e.Unwrap(), texts)
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			collectTexts(part, texts)
		}
	}
}

var (
	// ErrDeclined says that the user has refused: the form, the page, or the use of the model.
	ErrDeclined = Public(errors.New("the user declined"))
	// ErrDismissed says that the user has closed the question without a choice; it may be asked again later.
	ErrDismissed = Public(errors.New("the user dismissed the question"))
	// ErrNoAnswer says that nobody has answered within [Options.AskTimeout], or that the client has left.
	ErrNoAnswer = Public(errors.New("the client did not answer"))
)

// panicError is what a handler panicked with.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }
