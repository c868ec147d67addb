package mcphttp

import (
	"context"
	"net/http"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// legacy handles a message of a session, or the one that opens it.
func (h *handler) legacy(w http.ResponseWriter, r *http.Request, e *server.Envelope, who mcp.Caller, u *limits.Usage) {
	if e.Fault != nil {
		h.answerError(w, http.StatusBadRequest, e, e.Fault)
		return
	}
	var x *sessions.Session
	why := web.Unambiguous(r)
	if why == nil && string(e.Message.Method) == protocol.MethodInitialize && e.Message.IsRequest() &&
		r.Header.Get(web.SessionHeader) == "" {
		h.initialize(w, r, e, who, u)
		return
	}
	if why == nil {
		x, why = h.sessionOf(r, who, u)
	}
	if why == nil && x.Adopted && needsHistory(e.Message.Method) {
		x.Done()
		why = noSession
	}
	if why != nil {
		if e.Message.IsRequest() {
			if why.Status == http.StatusServiceUnavailable {
				w.Header().Set("Retry-After", web.RetryAfter)
			}
			fault := wire.NewError(wire.CodeInvalidRequest, why.Text)
			h.answerError(w, why.Status, e, fault)
			return
		}
		web.Refuse(w, why)
		return
	}
	defer x.Done()
	if e.Batch && x.MCP.Revision() != protocol.Revision20250326 {
		web.Refuse(w, web.NewRefusal(http.StatusBadRequest, "the revision of this session has no batches"))
		return
	}
	if why := (peers{h}).forwardAll(r, x, e); why != nil {
		web.Refuse(w, why)
		return
	}
	h.exchange(w, r, x, e, who, u)
}

// forwardAll forwards the responses in a message that other processes wait for.
func (h peers) forwardAll(r *http.Request, x *sessions.Session, e *server.Envelope) *web.Refusal {
	switch {
	case !h.ids.on():
		return nil
	case e.Batch:
		return h.forwardBatch(r.Context(), x, e)
	case e.Message.IsResponse():
		return h.forwardResponse(r.Context(), x, &e.Message, e.Text)
	}
	return nil
}

// initialize opens a session.
func (h *handler) initialize(w http.ResponseWriter, r *http.Request, e *server.Envelope, who mcp.Caller,
	u *limits.Usage,
) {
	x, why := h.sessions.New(u)
	if why != nil {
		web.Refuse(w, why)
		return
	}
	defer x.Done()
	if h.shared != nil {
		h.shared.share(x)
	} else if h.ids.on() {
		x.MCP.ServeToo(h.ids.replica, nil)
	}
	h.exchange(w, r, x, e, who, u)
	if x.ID == "" {
		h.sessions.Forget(x) // it was refused
	}
}

// sessionOf returns the session that the headers name, in use until done. One that is not here is adopted for u, unless
// that is nil.
func (h *handler) sessionOf(r *http.Request, who mcp.Caller, u *limits.Usage) (x *sessions.Session, why *web.Refusal) {
	id := r.Header.Get(web.SessionHeader)
	if id == "" {
		return nil, web.NewRefusal(http.StatusBadRequest,
			"Mcp-Session-Id is missing: send initialize first, or name the revision in params._meta")
	}
	if x = h.sessions.Find(id, who.Subject); x == nil {
		if u == nil {
			return nil, noSession
		}
		if x, why = (adopter{h}).adopt(r.Context(), id, who, u); why != nil {
			return nil, why
		}
	}
	if why = sessionless(r); why == nil && h.shared != nil && h.shared.refresh(r.Context(), x, freshFor) != nil {
		why = noSession
	}
	if why != nil {
		x.Done()
		return nil, why
	}
	return x, nil
}

// sessionless refuses a request whose headers name a revision without sessions. Revisions before 2025-06-18 do not know
// the header; if it is there it must be one that has sessions.
func sessionless(r *http.Request) *web.Refusal {
	if version := r.Header.Get(web.VersionHeader); version != "" && server.ModernVersion(version) {
		return web.NewRefusal(http.StatusBadRequest, "MCP-Protocol-Version does not name a revision with sessions")
	}
	return nil
}

// exchange handles a message of x and answers it.
func (h *handler) exchange(w http.ResponseWriter, r *http.Request, x *sessions.Session, e *server.Envelope,
	who mcp.Caller, u *limits.Usage,
) {
	p := &port{Request: limits.NewRequest(h.admit, u), w: w, opts: &h.opts, opener: h.opener, ctx: r.Context(),
		id: e.Message.ID}
	if e.Message.IsRequest() || e.Batch {
		p.of = x
	}
	if x.ID == "" {
		p.first = func() *web.Refusal { return adopter{h}.first(w, r, x, who) }
	}
	ctx := r.Context()
	if h.shared != nil {
		ctx = context.WithValue(ctx, portKey{}, p)
	}
	defer p.close()
	x.MCP.Handle(ctx, e, server.Caller(who), p)
	switch {
	case p.answered || p.stream != nil: // or cancelled: nothing follows
	case (e.Message.IsRequest() || e.Batch) && x.Over():
		fault := wire.NewError(wire.CodeInvalidRequest, noSession.Text)
		_ = web.WriteJSON(w, noSession.Status, wire.AppendError(nil, e.Message.ID, false, fault))
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// noSession is the answer to a request of a session that has ended, before it or meanwhile.
var noSession = web.NewRefusal(http.StatusNotFound, "the session does not exist: send initialize again")

// endSession handles DELETE.
func (h *handler) endSession(w http.ResponseWriter, r *http.Request, who mcp.Caller) {
	if why := web.Unambiguous(r); why != nil {
		web.Refuse(w, why)
		return
	}
	if r.Header.Get(web.SessionHeader) == "" {
		w.Header().Set("Allow", "POST")
		web.Explain(w, r, web.NewRefusal(http.StatusMethodNotAllowed, "DELETE needs the Mcp-Session-Id of a session"))
		return
	}
	if why := sessionless(r); why != nil {
		web.Refuse(w, why)
		return
	}
	if h.shared != nil {
		h.shared.endSession(w, r, who)
		return
	}
	id := r.Header.Get(web.SessionHeader)
	ended := h.ids.end(id, who)
	if x := h.sessions.Find(id, who.Subject); x != nil { // also if it has been adopted meanwhile
		h.sessions.Forget(x)
		x.Done()
		ended = true
	}
	if !ended {
		web.Refuse(w, noSession)
		return
	}
	if h.connected {
		server.SignalEnded(h.srv, sessions.KeyOf(id).Text())
	}
	w.WriteHeader(http.StatusNoContent)
}
