package mcp

import "github.com/mcpgen/mcpgen/mcp/internal/server"

// ErrNotFound says that something does not exist. It, fs.ErrNotExist and errors that wrap one of them
// mean, from a reader, that there is no such resource: the client gets code -32602 in 2026-07-28 and
// -32002 before, with the URI in data.uri. From a tool or a prompt they mean that what its arguments name
// does not exist: the model gets a fixed text with isError, the caller of a prompt code -32602. Neither is
// told the text of the error, unless it is public.
var ErrNotFound = server.ErrNotFound

// ErrInputRequired is returned by questions of 2026-07-28 that the client has not answered yet. A
// handler returns it, wrapped or not. Whatever a handler returns after such a question, the client is asked.
var ErrInputRequired = server.ErrInputRequired

var (
	// ErrDeclined says that the user has refused: the form, the page, or the use of the model.
	ErrDeclined = server.ErrDeclined
	// ErrCancelled says that the user has closed the question without a choice; it may be asked again later.
	ErrCancelled = server.ErrDismissed
	// ErrNoAnswer says that nobody has answered within [Options.AskTimeout], or that the client has left.
	ErrNoAnswer = server.ErrNoAnswer
)

// NotFound returns an error that wraps [ErrNotFound] and names uri.
func NotFound(uri string) error { return server.NotFound(uri) }

// Public marks err as fit for clients: its text is sent, with the texts of all that it wraps. Of an error
// that wraps the result, or joins it with others, that text alone is sent; several are sent in their order,
// with "; " between them. An error without a public part is replaced by a reference to the log.
// Public(nil) is nil.
func Public(err error) error { return server.Public(err) }

// Errorf is Public of fmt.Errorf: the whole text is sent to the client, with those of the errors among args.
func Errorf(format string, args ...any) error { return server.Errorf(format, args...) }

// The types of errors are aliases: errors cross the program's code on their way from one part of the server to
// another, in a middleware for example, and must be the same on both sides.
type (
	// AnswerError says that the answer of the client does not fit the question whose Key it has. Its text is
	// for the client too. Unwrap returns what is wrong.
	AnswerError = server.AnswerError

	// ArgumentsError says that the arguments of a tool call do not fit its input schema. The client
	// sees its text: as a failed tool result from 2025-11-25 on, as -32602 before. Unwrap returns what the decoder found.
	ArgumentsError = server.ArgumentsError

	// ClientError is the error that a client of a legacy session answered a question with: its fields are Code and
	// Message. Its text is for the client too, which said it.
	ClientError = server.ClientError

	// MissingCapabilityError says that the client cannot be asked, because it has not declared that it can; its field is
	// Missing. From 2026-07-28 on, a handler that returns it answers with code -32021 and what is missing;
	// before, it fails like any other, with a text that the client sees.
	MissingCapabilityError = server.MissingCapabilityError

	// VarError says that a variable of a URI, or an argument of a prompt, cannot be read: its fields are Var, the
	// name, and Reason. Its text is for the client.
	VarError = server.VarError
)
