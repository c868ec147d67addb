package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Peer sends requests to the client of a call: to its user (elicitation), to its model (sampling), and for its roots.
// A handler gets it as a parameter.
//
// The same code works in all revisions. In a legacy session the client gets a request, and the method waits for the
// response. In 2026-07-28 the method returns [ErrInputRequired], which the handler must return; the result of the
// request is then the question. The client repeats the request with the answer, the handler runs again from its start,
// and the method returns the answer. What a handler does before its last question therefore happens several times.
//
// A Peer is safe for concurrent use until the response to its request is sent. The zero value has no client: its
// methods fail.
type Peer call.Peer

// ClientCapability is a set of capabilities that a client can declare.
type ClientCapability = call.ClientCapability

// The capabilities of clients.
const (
	Elicitation    ClientCapability = call.Elicitation    // elicitation by form, since 2025-06-18
	ElicitationURL ClientCapability = call.ElicitationURL // elicitation by URL, since 2025-11-25
	Sampling       ClientCapability = call.Sampling       // sampling
	SamplingTools  ClientCapability = call.SamplingTools  // sampling with tools, since 2025-11-25
	Roots          ClientCapability = call.Roots          // roots
)

// Can reports whether the client has declared all capabilities in set.
func (c Peer) Can(set ClientCapability) bool { return call.Peer(c).Can(set) }

// ShowsApps reports whether the client displays apps beside the results of tools: whether it has declared the extension
// io.modelcontextprotocol/ui.
func (c Peer) ShowsApps() bool { return call.Peer(c).Can(call.Apps) }

// Extension reports whether the client has declared the extension with that id, which must be one of the server's own
// (//mcp:extension). It decodes the client's settings into settings, a pointer, as encoding/json does; members without
// a field are ignored. Nil means that the settings are not wanted. Clients before 2026-07-28 declare extensions when
// the session begins; the session keeps at most 1,024 bytes of settings. A handler should return the error: the client
// then learns with code -32602 which member does not fit, or that its settings were too long.
func (c Peer) Extension(id string, settings any) (declared bool, err error) {
	return call.Peer(c).Extension(id, settings)
}

// ExtensionRevision returns the version of the extension with that id that the client speaks. The extension is one of
// the server's own (//mcp:extension) with revisions=…. A client names the version in its settings, as the string
// "revision"; one that names none speaks the first. The result is "" if the server does not have the extension, or if
// the extension has no versions. The error says that the server does not speak the version of the client; methods of
// the extension are not called then. A handler should return the error.
func (c Peer) ExtensionRevision(id string) (string, error) {
	return call.Peer(c).ExtensionRevision(id)
}

// Ask sends several questions at once, each with a key of its own, and returns nil when all of them are answered. Then
// the Answer method of each question returns its answer or its error. Ask returns an error if the client cannot be
// asked or does not answer in time, and [ErrInputRequired] if a client of 2026-07-28 has not answered yet.
func (c Peer) Ask(ctx context.Context, questions ...Question) error {
	list := make([]call.Question, len(questions))
	for i, q := range questions {
		list[i] = q.question()
	}
	return call.Peer(c).Ask(ctx, list...)
}

// AskURL asks the user to visit a web page, for data that the client must not see, such as passwords and payments. A
// nil error means that the user agreed to open the page, not that the visit is over. A question made with
// [NewURLQuestion] can tell the client when the visit is over. The key and the errors are those of [AskForm].
func (c Peer) AskURL(ctx context.Context, key, message, url string) error {
	return call.Peer(c).AskURL(ctx, key, message, url)
}

// AskModel asks the model of the client for a message. Clients may change the request, and may ask the user first. The
// key is that of [AskForm], and the error is [ErrDeclined] if the client declines.
func (c Peer) AskModel(
	ctx context.Context, key string, p protocol.CreateMessageRequestParams,
) (*protocol.CreateMessageResult, error) {
	return call.Peer(c).AskModel(ctx, key, p)
}

// AskRoots asks for the roots of the client: the directories in which it works. They are advice, not a permission. The
// key of the question is "roots".
func (c Peer) AskRoots(ctx context.Context) ([]protocol.Root, error) {
	return call.Peer(c).AskRoots(ctx)
}

// AskForm asks the user to fill in the form of T, a struct with //mcp:form. The key identifies the question among those
// of the handler, in all its runs. The error is [ErrDeclined] or [ErrCancelled] if the user declines or cancels. Forms
// must not ask for secrets: see [Peer.AskURL].
func AskForm[T any, P Form[T]](ctx context.Context, c Peer, key, message string) (T, error) {
	return call.AskForm[T, P](ctx, call.Peer(c), key, message)
}

// Question is a request to a client for [Peer.Ask]. [NewFormQuestion], [NewURLQuestion], [NewModelQuestion] and
// [NewRootsQuestion] make questions. After Ask, the Answer method of a question returns the answer.
type Question interface{ question() call.Question }

// Form is a pointer to a struct with //mcp:form, for which generated code has the method MCPForm.
type Form[T any] interface {
	*T
	MCPForm() wire.FormSchema[T]
}

// FormQuestion is an elicitation by form.
type FormQuestion[T any] call.FormQuestion

// NewFormQuestion returns a question with the form of T, a struct with //mcp:form. The message is for the user.
func NewFormQuestion[T any, P Form[T]](key, message string) *FormQuestion[T] {
	return (*FormQuestion[T])(call.NewFormQuestion[T, P](key, message))
}

func (q *FormQuestion[T]) question() call.Question { return (*call.FormQuestion)(q) }

// Answer returns what the user has entered. The error is [ErrDeclined], [ErrCancelled], an [AnswerError] or a
// [ClientError].
func (q *FormQuestion[T]) Answer() (T, error) { return call.FormAnswer[T]((*call.FormQuestion)(q)) }

// URLQuestion is an elicitation by URL.
type URLQuestion call.URLQuestion

// NewURLQuestion returns a question that asks the user to visit a page. The message is for the user.
func NewURLQuestion(key, message, url string) *URLQuestion {
	return (*URLQuestion)(call.NewURLQuestion(key, message, url))
}

func (q *URLQuestion) question() call.Question { return (*call.URLQuestion)(q) }

// Answer returns nil if the user agreed to open the page. The errors are those of [FormQuestion.Answer].
func (q *URLQuestion) Answer() error { return (*call.URLQuestion)(q).Answer() }

// Complete tells the client that was asked that the visit is over: it sends notifications/elicitation/complete of
// 2025-11-25. It may be called on any goroutine, also after the response to the request was sent. It may block while
// the client does not read. It does nothing before the question is sent, when called again, after the client has left,
// and in other revisions: a client of 2026-07-28 repeats its request, and the handler checks whether the visit is over.
func (q *URLQuestion) Complete() { (*call.URLQuestion)(q).Complete() }

// ModelQuestion is a sampling request.
type ModelQuestion call.ModelQuestion

// NewModelQuestion returns a question that asks the model for a message. Tools in p need a client with [SamplingTools].
func NewModelQuestion(key string, p protocol.CreateMessageRequestParams) *ModelQuestion {
	return (*ModelQuestion)(call.NewModelQuestion(key, p))
}

func (q *ModelQuestion) question() call.Question { return (*call.ModelQuestion)(q) }

// Answer returns the message of the model. The error is [ErrDeclined], an [AnswerError] or a [ClientError].
func (q *ModelQuestion) Answer() (*protocol.CreateMessageResult, error) {
	return (*call.ModelQuestion)(q).Answer()
}

// RootsQuestion is a request for the roots of the client.
type RootsQuestion call.RootsQuestion

// NewRootsQuestion returns a question for the roots.
func NewRootsQuestion(key string) *RootsQuestion {
	return (*RootsQuestion)(call.NewRootsQuestion(key))
}

func (q *RootsQuestion) question() call.Question { return (*call.RootsQuestion)(q) }

// Answer returns the roots. The error is an [AnswerError] or a [ClientError].
func (q *RootsQuestion) Answer() ([]protocol.Root, error) { return (*call.RootsQuestion)(q).Answer() }

// UserMessage returns a text message with the role user, for sampling.
func UserMessage(text string) protocol.SamplingMessage { return call.UserMessage(text) }

// MessageText returns the text blocks of a message of the model.
func MessageText(r *protocol.CreateMessageResult) string { return call.MessageText(r) }
