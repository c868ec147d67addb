package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
)

// Client asks the client of a request: its user (elicitation), its model (sampling) and its folders
// (roots). A handler that asks takes it as a parameter.
//
// The same code works in all revisions. In a legacy session a question is a request to the
// client, and the call waits for the answer. In 2026-07-28 the question ends the request: the call
// returns [ErrInputRequired], which the handler returns in turn; the client gathers the answers and sends
// the request again, the handler runs again from its start, and the call returns the answer. So
// what a handler does before its last question happens once for each round, and must be harmless.
//
// A Client may be used by several goroutines, until its request is answered. The zero value has nobody to ask.
type Client server.Client

// ClientCapability is a set of things that a client can be asked for, as its capabilities declare them.
type ClientCapability = server.ClientCapability

// The capabilities of clients.
const (
	Elicitation    = server.Elicitation    // forms for the user, since 2025-06-18
	ElicitationURL = server.ElicitationURL // web pages for the user, since 2025-11-25
	Sampling       = server.Sampling       // the model
	SamplingTools  = server.SamplingTools  // the model, with tools, since 2025-11-25
	Roots          = server.Roots          // the folders
)

// Can reports whether the client has declared all of what.
func (c Client) Can(what ClientCapability) bool { return server.Client(c).Can(what) }

// Ask asks several questions at once, and returns when all are answered, with whatever answer: see
// the Answer method of each. The error says that they could not be asked, or not yet.
func (c Client) Ask(ctx context.Context, questions ...Question) error {
	list := make([]server.Question, len(questions))
	for i, q := range questions {
		list[i] = q.question()
	}
	return server.Client(c).Ask(ctx, list...)
}

// OpenURL asks the user to visit a web page, for what the client must not see, such as passwords and
// payments. Nil means that the user agreed to open it, not that the visit is over; [AskURL] makes a question that
// can tell the client of that.
func (c Client) OpenURL(ctx context.Context, key, message, url string) error {
	return server.Client(c).OpenURL(ctx, key, message, url)
}

// Sample asks the model of the client for a message. Clients may change the request, and ask their user.
func (c Client) Sample(
	ctx context.Context, key string, p protocol.CreateMessageRequestParams,
) (*protocol.CreateMessageResult, error) {
	return server.Client(c).Sample(ctx, key, p)
}

// Roots returns the folders that the client works in. They are advice, not a permission. The key of the
// question is "roots".
func (c Client) Roots(ctx context.Context) ([]protocol.Root, error) {
	return server.Client(c).Roots(ctx)
}

// Elicit asks the user to fill in a form whose fields are those of T, a struct with //mcp:form. The
// key names the question among those of the handler, in all its runs. The error is [ErrDeclined] or
// [ErrCancelled] if the user said so. Forms must not ask for secrets: see [Client.OpenURL].
func Elicit[T any, P Form[T]](ctx context.Context, c Client, key, message string) (T, error) {
	return server.Elicit[T, P](ctx, server.Client(c), key, message)
}

// Question is something to ask a client: [AskForm], [AskURL], [AskModel] or [AskRoots] make one.
// After [Client.Ask] its Answer method returns what the client said.
type Question interface{ question() server.Question }

// Form is a pointer to a struct with //mcp:form. Generated code gives it the method.
type Form[T any] interface {
	*T
	MCPForm() server.FormOf[T]
}

// FormQuestion asks the user to fill in a form.
type FormQuestion[T any] server.FormQuestion[T]

// AskForm returns the question for a T, a struct with //mcp:form. The message tells the user why.
func AskForm[T any, P Form[T]](key, message string) *FormQuestion[T] {
	return (*FormQuestion[T])(server.AskForm[T, P](key, message))
}

func (q *FormQuestion[T]) question() server.Question { return (*server.FormQuestion[T])(q) }

// Answer returns what the user filled in. The error is [ErrDeclined], [ErrCancelled], an
// [AnswerError] or a [ClientError].
func (q *FormQuestion[T]) Answer() (T, error) { return (*server.FormQuestion[T])(q).Answer() }

// URLQuestion asks the user to visit a web page.
type URLQuestion server.URLQuestion

// AskURL returns the question whether the user visits a page. The message tells why.
func AskURL(key, message, url string) *URLQuestion {
	return (*URLQuestion)(server.AskURL(key, message, url))
}

func (q *URLQuestion) question() server.Question { return (*server.URLQuestion)(q) }

// Answer returns nil if the user agreed to open the page, else an error as [FormQuestion.Answer] does.
func (q *URLQuestion) Answer() error { return (*server.URLQuestion)(q).Answer() }

// Complete tells the client that was asked, and nobody else, that what the user had to do on the page is done: that
// is notifications/elicitation/complete of 2025-11-25. The handler may call it, or whatever learns of the visit
// later, on any goroutine and long after the request was answered. It may block while the client does not read. It
// does nothing before the question is asked, the second time, once the client has left, and in other revisions: a
// client of 2026-07-28 repeats its request, and the handler sees for itself whether the user was there.
func (q *URLQuestion) Complete() { (*server.URLQuestion)(q).Complete() }

// ModelQuestion asks the model of the client.
type ModelQuestion server.ModelQuestion

// AskModel returns the question for a message of the model. Tools in p need a client with [SamplingTools].
func AskModel(key string, p protocol.CreateMessageRequestParams) *ModelQuestion {
	return (*ModelQuestion)(server.AskModel(key, p))
}

func (q *ModelQuestion) question() server.Question { return (*server.ModelQuestion)(q) }

// Answer returns the message. The error is [ErrDeclined], an [AnswerError] or a [ClientError].
func (q *ModelQuestion) Answer() (*protocol.CreateMessageResult, error) {
	return (*server.ModelQuestion)(q).Answer()
}

// RootsQuestion asks for the folders of the client.
type RootsQuestion server.RootsQuestion

// AskRoots returns the question for the folders.
func AskRoots(key string) *RootsQuestion { return (*RootsQuestion)(server.AskRoots(key)) }

func (q *RootsQuestion) question() server.Question { return (*server.RootsQuestion)(q) }

// Answer returns the folders. The error is an [AnswerError] or a [ClientError].
func (q *RootsQuestion) Answer() ([]protocol.Root, error) { return (*server.RootsQuestion)(q).Answer() }

// UserMessage returns a message of the user, for sampling.
func UserMessage(text string) protocol.SamplingMessage { return server.UserMessage(text) }

// MessageText returns the text in a message of the model; other content is left out.
func MessageText(r *protocol.CreateMessageResult) string { return server.MessageText(r) }
