package call

import (
	"context"
	"encoding/json"
	"errors"
	"math"

	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Notify sends a notification of an extension to the client of the request, before the response. It does nothing if the
// client has not declared the extension, or speaks a version of it that lacks the notification or that the server does
// not speak. It also does nothing after the response or a cancellation, and where there is no response: in a
// notification, a run of a task, and a watch function. An error means that n cannot be encoded or that the connection
// is broken. Notify blocks while the client does not read, for as long as the transport allows.
func (c *Call) Notify(n wire.Notification) error {
	c = c.Own()
	if declared, err := (Peer{c}).Extension(n.Extension, nil); err != nil || !declared || c.Live() != nil {
		return err
	}
	if rev, unspoken := (Peer{c}).ExtensionRevision(n.Extension); unspoken != nil || rev < n.Since {
		return nil //nolint:nilerr // a client that cannot have it is not told
	}
	params, err := SettingsOf(n.Params)
	if err != nil {
		return errors.Join(errors.New("mcp: params of "+n.Method), err)
	}
	b := append(wire.AppendNotification(nil, n.Method), params...)
	if err := c.Send(append(b, '}')); err != nil && !errors.Is(err, engine.ErrEnded) {
		return err
	}
	return nil
}

// WithMeta returns params, a JSON object without _meta, with the _meta of the request of c. It is for code that reads
// _meta as a member of the params.
func WithMeta(c *Call, params []byte) []byte {
	if c.Request().Meta == nil {
		return params
	}
	b := c.Request().Meta.AppendJSON([]byte(`{"_meta":`), c.Revision())
	if len(params) <= len("{}") {
		return append(b, '}')
	}
	return append(append(b, ','), params[1:]...)
}

// SettingsOf returns the result of settings, and an error if the result is no JSON object. For a nil function it
// returns an empty object.
func SettingsOf(settings func() (json.RawMessage, error)) (json.RawMessage, error) {
	if settings == nil {
		return content.EmptyObject, nil
	}
	text, err := settings()
	if err == nil && (wire.KindOf(text) != wire.KindObject || wire.Check(text, wire.Limits{}) != nil) {
		err = errors.New("want a JSON object")
	}
	return text, err
}

// Stay says that the handler of c waits for events, as long as its client likes. Until leave is called, the request
// does not count as running.
func Stay(c *Call) (leave func()) {
	c = c.Own()
	calls := &c.req.Conn.Calls
	if first, _ := calls.BeginWait(c, math.MaxInt); first {
		countWait(c, true)
	}
	return func() {
		if calls.EndWait(c) {
			countWait(c, false)
		}
	}
}

// SendNotification sends a notification to the client of c before the response, whether it has declared an extension or
// not. It blocks as [Call.Notify] does. params is a JSON object.
func SendNotification(c *Call, method string, params []byte) error {
	b := append(wire.AppendNotification(make([]byte, 0, len(params)+64), method), params...)
	return c.Own().Send(append(b, '}'))
}

// Subject returns the subject of the caller of the call that ctx comes from; "" if there is none.
func Subject(ctx context.Context) string {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c.Principal()
	}
	return ""
}
