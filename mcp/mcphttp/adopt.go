package mcphttp

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// adopter is a handler that goes on with sessions that another process has begun, or this one has let go.
type adopter struct{ *handler }

// issue gives x its id, now that initialize has been accepted. The error is that of the store.
func (h adopter) issue(ctx context.Context, x *sessions.Session, who mcp.Caller) error {
	var id string
	if h.ids.on() {
		id = h.ids.seal(x.MCP.State(), who, time.Now())
	} else {
		id = rand.Text()
	}
	if h.shared != nil {
		if err := h.shared.begin(ctx, x, id, who); err != nil {
			return err
		}
	}
	x.ID = id
	h.sessions.Add(x)
	return nil
}

// first is issue for a response that has not begun.
func (h adopter) first(w http.ResponseWriter, r *http.Request, x *sessions.Session, who mcp.Caller) *web.Refusal {
	if x.MCP.Revision() == 0 {
		return nil // initialize was refused
	}
	if err := h.issue(r.Context(), x, who); err != nil {
		return storeAway
	}
	w.Header().Set(web.SessionHeader, x.ID)
	return nil
}

// adopt goes on with a session that is not here: the client can use it for whatever does not depend on earlier requests
// of the session. It counts like a new one.
func (h adopter) adopt(ctx context.Context, id string, who mcp.Caller, u *limits.Usage,
) (*sessions.Session, *web.Refusal) {
	if !h.ids.on() {
		return nil, noSession
	}
	if h.shared != nil {
		return h.shared.fetch(ctx, id, who, u)
	}
	o, refused := h.ids.valid(id, who)
	if refused != nil {
		refused.Add(1)
		return nil, noSession
	}
	x, why := h.sessions.New(u)
	if why != nil {
		return nil, why
	}
	x.Adopted = true
	x.MCP.ServeToo(h.ids.replica, noKeeper{h.handler, x})
	x.MCP.Restore(o.state)
	return h.enter(x, id, who)
}

// enter makes x, which is in use, the session with an id, unless there is one. It is nil if that has ended meanwhile.
func (h adopter) enter(x *sessions.Session, id string, who mcp.Caller) (*sessions.Session, *web.Refusal) {
	x.ID = id
	if !h.sessions.Add(x) {
		h.sessions.Forget(x)
		if x = h.sessions.Find(id, who.Subject); x == nil {
			return nil, noSession
		}
		return x, nil
	}
	if h.ids.ended.has(sessions.KeyOf(id)) { // it was ended while it was entered
		h.sessions.Forget(x)
		x.Done()
		return nil, noSession
	}
	h.ids.adopted.Add(1)
	return x, nil
}

// needsHistory reports whether a request depends on earlier requests of its session, and what its client is to have
// from later ones: a process that has adopted the session must not pretend to know them.
func needsHistory(method []byte) bool {
	switch string(method) {
	case protocol.MethodResourcesSubscribe, protocol.MethodResourcesUnsubscribe, protocol.MethodLoggingSetLevel:
		return true
	}
	return false
}

// errNoSession is noSession inside of a batch.
var errNoSession = wire.NewError(wire.CodeInvalidRequest, noSession.Text)

// noKeeper refuses what adopted sessions do not have.
type noKeeper struct {
	h *handler
	x *sessions.Session
}

// Subscribe implements server.SessionKeeper.
func (noKeeper) Subscribe(context.Context, string) error { return errNoSession }

// Unsubscribe implements server.SessionKeeper.
func (noKeeper) Unsubscribe(context.Context, string) error { return errNoSession }

// SetLevel implements server.SessionKeeper.
func (noKeeper) SetLevel(context.Context, slog.Level) error { return errNoSession }

// Follow implements server.SessionKeeper: the process that has begun the session has its notification stream too.
func (k noKeeper) Follow(topic string) { peers{k.h}.followElsewhere(k.x, topic) }
