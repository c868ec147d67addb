package mcphttp

import (
	"net/http"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/eventlog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/shared"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// legacy handles a POST of a revision with sessions: initialize, or a message of a session.
func (h *handler) legacy(w http.ResponseWriter, r *http.Request, e *session.Envelope, who mcp.Caller, u *limits.Usage) {
	if e.Fault != nil {
		web.AnswerError(w, http.StatusBadRequest, e, e.Fault, h.counts)
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
	if why == nil && x.Adopted && shared.NeedsHistory(e.Message.Method) {
		x.Done()
		why = sessions.NoSession
	}
	if why != nil {
		if e.Message.IsRequest() {
			if why.Status == http.StatusServiceUnavailable {
				w.Header().Set("Retry-After", web.RetryAfter)
			}
			fault := wire.NewError(wire.CodeInvalidRequest, why.Text)
			web.AnswerError(w, why.Status, e, fault, h.counts)
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
	if why := h.replicas.ForwardAll(r.Context(), x, e); why != nil {
		web.Refuse(w, why)
		return
	}
	h.exchange(w, r, x, e, who, u)
}

// initialize opens a session.
func (h *handler) initialize(w http.ResponseWriter, r *http.Request, e *session.Envelope, who mcp.Caller,
	u *limits.Usage,
) {
	x, why := h.sessions.New(u)
	if why != nil {
		web.Refuse(w, why)
		return
	}
	defer x.Done()
	h.replicas.Begin(x)
	h.exchange(w, r, x, e, who, u)
	if x.ID == "" {
		h.sessions.Forget(x) // initialize was refused
	}
}

// sessionOf returns the session that the header Mcp-Session-Id names. It stays in use until its Done is called. A
// session that only other processes know is adopted, and counts for u; if u is nil, it is not adopted.
func (h *handler) sessionOf(r *http.Request, who mcp.Caller, u *limits.Usage) (x *sessions.Session, why *web.Refusal) {
	id := r.Header.Get(web.SessionHeader)
	if id == "" {
		return nil, web.NewRefusal(http.StatusBadRequest,
			"Mcp-Session-Id is missing: send initialize first, or name the revision in params._meta")
	}
	if x = h.sessions.Find(id, who.Subject); x == nil {
		if u == nil {
			return nil, sessions.NoSession
		}
		if x, why = h.replicas.Adopt(r.Context(), id, who, u); why != nil {
			return nil, why
		}
	}
	if why = sessionless(r); why == nil && h.replicas.Store != nil {
		why = h.replicas.Store.Refresh(r.Context(), x)
	}
	if why != nil {
		x.Done()
		return nil, why
	}
	return x, nil
}

// sessionless refuses a request whose headers name a revision without sessions. It accepts a request without the
// header: clients of revisions before 2025-06-18 do not send it.
func sessionless(r *http.Request) *web.Refusal {
	if version := r.Header.Get(web.VersionHeader); version != "" && session.ModernVersion(version) {
		return web.NewRefusal(http.StatusBadRequest, "MCP-Protocol-Version does not name a revision with sessions")
	}
	return nil
}

// exchange handles a message of the session x and writes the response.
func (h *handler) exchange(w http.ResponseWriter, r *http.Request, x *sessions.Session, e *session.Envelope,
	who mcp.Caller, u *limits.Usage,
) {
	p := &postWriter{Request: limits.NewRequest(h.admit, u), w: eventlog.Attached(w), opts: &h.opts, opener: h.opener,
		ctx: r.Context(), asked: r.Context(), id: e.Message.ID}
	if e.Message.IsRequest() || e.Batch {
		p.of = x
	}
	if x.ID == "" {
		p.first = func() *web.Refusal { return h.replicas.First(w, r, x, who) }
	}
	ctx := r.Context()
	if h.replicas.Store != nil {
		ctx = shared.WithStatus(ctx, &p.status)
	}
	defer p.close()
	x.MCP.Handle(ctx, e, call.Caller(who), p)
	switch {
	case p.answered || p.stream != nil: // or cancelled: nothing follows
	case (e.Message.IsRequest() || e.Batch) && x.Over():
		fault := wire.NewError(wire.CodeInvalidRequest, sessions.NoSession.Text)
		_ = web.WriteJSON(w, sessions.NoSession.Status, wire.AppendError(nil, e.Message.ID, false, fault))
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

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
	if why := h.end(r, who); why != nil {
		web.Refuse(w, why)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// end ends the session that the headers name, in all processes.
func (h *handler) end(r *http.Request, who mcp.Caller) *web.Refusal {
	if h.replicas.Store == nil {
		if !h.replicas.End(r.Header.Get(web.SessionHeader), who) {
			return sessions.NoSession
		}
		return nil
	}
	u := h.admit.Client(r, who.Subject)
	defer h.admit.Drop(u)
	x, why := h.sessionOf(r, who, u)
	if why != nil {
		return why
	}
	defer x.Done()
	return h.replicas.Store.End(r.Context(), x)
}
