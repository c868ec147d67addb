package mcp

import (
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// ErrNotFound means that something does not exist; fs.ErrNotExist, and errors that wrap one of the two, mean the same.
// If the reader of a resource returns it, clients get the error "resource not found", with code -32602 in 2026-07-28
// and -32002 before, and with the URI in data.uri. If a tool returns it, because what the arguments name does not
// exist, clients get a fixed text with isError. If a prompt returns it, they get an error with code -32602. Clients do
// not get the text of the error, unless it is public.
var ErrNotFound = content.ErrNotFound

// ErrInputRequired is the error of a question that a client of 2026-07-28 has not answered yet. The handler should
// return it, wrapped or not; the client gets the question whatever the handler returns.
var ErrInputRequired = call.ErrInputRequired

var (
	// ErrDeclined means that the user has declined the form, the page or the use of the model.
	ErrDeclined = content.ErrDeclined
	// ErrCancelled means that the user has closed the question without a decision; the handler may ask again later.
	ErrCancelled = content.ErrCancelled
	// ErrNoAnswer means that there was no answer within [Options.AskTimeout], or that the client has left.
	ErrNoAnswer = content.ErrNoAnswer
)

// Public returns an error with the text of err that clients may get, including the texts of the errors that err wraps.
// Of an error that wraps the result, or joins it with other errors, clients get the public texts only, in their order
// and separated by "; ". In place of an error without a public part they get a reference to the log of the server.
// Public(nil) is nil.
func Public(err error) error { return content.Public(err) }

// Errorf returns Public of fmt.Errorf. Clients get the whole text, including the texts of errors in args.
func Errorf(format string, args ...any) error { return content.Errorf(format, args...) }

// The types of errors are aliases, because errors pass through code of the program, such as middleware, on the way from
// one part of the server to another.
type (
	// AnswerError says that the client's answer is not valid for the question with that Key. Its text is public. Unwrap
	// returns the cause.
	AnswerError = call.AnswerError

	// ArgumentsError says that the arguments of a tool call are not valid under the input schema of the tool. The client
	// gets its text as a result with isError from 2025-11-25 on, and as an error with code -32602 before. Unwrap returns
	// the error of the decoder.
	ArgumentsError = content.ArgumentsError

	// ClientError is an error response of the client to a request in a legacy session; its fields are Code and Message.
	// Its text is public.
	ClientError = call.ClientError

	// MissingCapabilityError says that the client cannot be asked, because it has not declared the capability in the field
	// Missing. If a handler returns it, clients of 2026-07-28 get code -32021 with the missing capability, and clients of
	// older revisions an ordinary error with a public text.
	MissingCapabilityError = call.MissingCapabilityError

	// VarError says what is wrong with the value of a variable of a URI, or of an argument of a prompt. Its fields are
	// Var, the name, and Reason. Its text is public.
	VarError = uri.VarError
)
