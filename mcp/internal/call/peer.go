package call

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
)

// Peer asks the client of a request: its user (elicitation), its model (sampling) and its folders (roots). A handler
// that wants to ask takes it as a parameter.
//
// The same code works in all revisions. In a legacy session a question is a request to the client, and the call waits
// for the answer. In 2026-07-28 the question ends the request: the call returns [ErrInputRequired], which the handler
// returns in turn; the client gathers the answers and sends the request again, the handler runs again from its start,
// and the call returns the answer. So what a handler does before its last question happens once for each request, and
// must be harmless.
//
// A Peer may be used by several goroutines, until its request is answered. The zero value cannot ask anybody.
type Peer struct{ call *Call }

// Peer returns the means to send requests to the client of c.
func (c *Call) Peer() Peer { return Peer{c.Own()} }

// errNobody is the error of questions where there is no request, such as in a watcher.
var errNobody = errors.New("mcp: there is no client to ask")

// Can reports whether the client has declared all the given capabilities.
func (c Peer) Can(a ClientCapability) bool { return a&^c.Capabilities() == 0 }

// Capabilities returns the capabilities that the client has declared for the session or, from 2026-07-28 on, for this
// request.
func (c Peer) Capabilities() ClientCapability {
	switch {
	case c.call == nil || c.call.req.Conn == nil:
		return 0
	case !era.IsModern(c.call.rev):
		return ClientCapability(c.call.req.Conn.Declared.Load())
	case c.call.req.Meta == nil:
		return 0
	}
	return CapabilitiesOf(c.call.req.Meta.ClientCapabilities, c.call.rev)
}

// Ask sends several questions at once and returns nil when all of them are answered. Then the Answer method of each
// question, or [FormAnswer], returns its answer or its error. Ask returns an error if the client cannot be asked or
// does not answer in time, and [ErrInputRequired] if a client of 2026-07-28 has not answered yet.
func (c Peer) Ask(ctx context.Context, questions ...Question) error {
	if c.call == nil || c.call.req.Conn == nil {
		return errNobody
	}
	if c.call.method.IsOther() {
		return ErrAsksElsewhere
	}
	keys := make(map[string]bool, len(questions))
	var needs ClientCapability
	for _, q := range questions {
		key := q.base().key
		if key == "" || keys[key] {
			return fmt.Errorf("mcp: a question needs a key of its own, not %q", key)
		}
		keys[key] = true
		needs |= q.base().needs
	}
	if missing := needs &^ c.Capabilities(); missing != 0 {
		return &MissingCapabilityError{missing}
	}
	if era.IsModern(c.call.rev) {
		return c.call.askByRetry(questions)
	}
	return c.call.askByRequest(ctx, questions)
}

// AskForm asks the user to fill in the form of T, a struct with //mcp:form. The key identifies the question among those
// of the handler, in all its runs. It returns the errors of [Peer.Ask] and of [FormAnswer], such as
// [content.ErrDeclined]. Forms must not ask for secrets: see [Peer.AskURL].
func AskForm[T any, P Form[T]](ctx context.Context, c Peer, key, message string) (T, error) {
	q := NewFormQuestion[T, P](key, message)
	if err := c.Ask(ctx, q); err != nil {
		var zero T
		return zero, err
	}
	return FormAnswer[T](q)
}

// AskURL asks the user to visit a web page, for data that the client must not see, such as passwords and payments. Nil
// means that the user agreed to open the page, not that the visit is over; a question made with [NewURLQuestion] can
// report that to the client.
func (c Peer) AskURL(ctx context.Context, key, message, url string) error {
	q := NewURLQuestion(key, message, url)
	if err := c.Ask(ctx, q); err != nil {
		return err
	}
	return q.Answer()
}

// AskModel asks the model of the client for a message. Clients may change the request, and may ask the user first.
func (c Peer) AskModel(ctx context.Context, key string,
	p protocol.CreateMessageRequestParams) (*protocol.CreateMessageResult, error) {
	q := NewModelQuestion(key, p)
	if err := c.Ask(ctx, q); err != nil {
		return nil, err
	}
	return q.Answer()
}

// AskRoots asks for the roots of the client: the directories in which it works. They are advice, not a permission. The
// key of the question is "roots".
func (c Peer) AskRoots(ctx context.Context) ([]protocol.Root, error) {
	q := NewRootsQuestion("roots")
	if err := c.Ask(ctx, q); err != nil {
		return nil, err
	}
	return q.Answer()
}
