package shared

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

// issue gives x its id, after initialize was accepted. The error is that of the store.
func (h *Replicas) issue(ctx context.Context, x *sessions.Session, who mcp.Caller) error {
	var id string
	if h.ids.on() {
		id = h.ids.seal(x.MCP.State(), who, time.Now())
	} else {
		id = rand.Text()
	}
	if h.Store != nil {
		if err := h.Store.begin(ctx, x, id, who); err != nil {
			return err
		}
	}
	x.ID = id
	h.sessions.Add(x)
	return nil
}

// First gives x its id before the response to initialize begins, and sets the header of the response. It returns a
// refusal if the store fails. If initialize was refused, it does nothing.
func (h *Replicas) First(w http.ResponseWriter, r *http.Request, x *sessions.Session, who mcp.Caller) *web.Refusal {
	if x.MCP.Revision() == 0 {
		return nil // initialize was refused
	}
	if err := h.issue(r.Context(), x, who); err != nil {
		return storeAway
	}
	w.Header().Set(web.SessionHeader, x.ID)
	return nil
}

// Adopt opens in this process a session that began in another one. The session counts for u. Without a store the client
// can use it only for requests that do not depend on earlier ones.
func (h *Replicas) Adopt(ctx context.Context, id string, who mcp.Caller, u *limits.Usage,
) (*sessions.Session, *web.Refusal) {
	if !h.ids.on() {
		return nil, sessions.NoSession
	}
	if h.Store != nil {
		return h.Store.fetch(ctx, id, who, u)
	}
	o, ok := h.ids.valid(id, who)
	if !ok {
		return nil, sessions.NoSession
	}
	x, why := h.sessions.New(u)
	if why != nil {
		return nil, why
	}
	x.Adopted = true
	x.MCP.ServeToo(h.ids.replica, noKeeper{h, x})
	x.MCP.Restore(o.state)
	return h.enter(x, id, who)
}

// enter gives x the id and adds it to the sessions of this process. It returns x, or the session that has the id
// already. The session is in use until Done is called. If it has ended meanwhile, enter refuses the request.
func (h *Replicas) enter(x *sessions.Session, id string, who mcp.Caller) (*sessions.Session, *web.Refusal) {
	x.ID = id
	if !h.sessions.Add(x) {
		h.sessions.Forget(x)
		if x = h.sessions.Find(id, who.Subject); x == nil {
			return nil, sessions.NoSession
		}
		return x, nil
	}
	if h.ids.ended.has(sessions.KeyOf(id)) { // it has ended since it was opened
		h.sessions.Forget(x)
		x.Done()
		return nil, sessions.NoSession
	}
	return x, nil
}

// NeedsHistory reports whether the response to a request depends on earlier requests of its session, or must hold for
// later ones. A process that has adopted the session does not know the earlier ones, and must not answer such a
// request.
func NeedsHistory(method []byte) bool {
	switch string(method) {
	case protocol.MethodResourcesSubscribe, protocol.MethodResourcesUnsubscribe, protocol.MethodLoggingSetLevel:
		return true
	}
	return false
}

// errNoSession is sessions.NoSession as an error of JSON-RPC.
var errNoSession = wire.NewError(wire.CodeInvalidRequest, sessions.NoSession.Text)

// noKeeper refuses the requests that adopted sessions cannot serve.
type noKeeper struct {
	h *Replicas
	x *sessions.Session
}

// Subscribe implements session.Keeper.
func (noKeeper) Subscribe(context.Context, string) error { return errNoSession }

// Unsubscribe implements session.Keeper.
func (noKeeper) Unsubscribe(context.Context, string) error { return errNoSession }

// SetLevel implements session.Keeper.
func (noKeeper) SetLevel(context.Context, slog.Level) error { return errNoSession }

// Follow implements session.Keeper: the process that has begun the session has its notification stream too.
func (k noKeeper) Follow(topic string) { k.h.followElsewhere(k.x, topic) }
