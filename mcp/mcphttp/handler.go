package mcphttp

import (
	"errors"
	"net/http"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Server is an [mcp.Server], or a generated server, which embeds one.
type Server interface {
	Base() *mcp.Server
}

// Handler returns the endpoint of srv. Nil opts means the defaults; it is an error if an option is out of range.
// Closing srv ends its streams and sessions. The handler is safe for concurrent use, and takes every path that it is
// mounted at.
func Handler(srv Server, opts *Options) (http.Handler, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	base := srv.Base()
	if base == nil {
		return nil, errors.New("mcphttp: the server is nil: look at the error of its constructor")
	}
	h := &handler{srv: (*server.Server)(base), opts: opts.withDefaults(), sessions: make(map[string]*session),
		clients: make(map[string]*usage)}
	h.log, h.perSubject = h.opts.Logger, defaultPerSubject
	if opts != nil && opts.MaxPerClient > 0 {
		h.perSubject = opts.MaxPerClient
	}
	if h.opts.Authenticate == nil && h.srv.NeedsScopes() {
		h.log.Warn("mcphttp: features that need scopes or roles are offered to nobody: callers get theirs from Options.Authenticate, which is not set")
	}
	for _, origin := range h.opts.AllowedOrigins {
		if err := checkOrigin(origin); err != nil {
			h.log.Warn("mcphttp: an allowed origin lets nobody in", "err", err)
		}
	}
	if slices.Contains(h.opts.AllowedHosts, "*") || slices.Contains(h.opts.AllowedOrigins, "*") {
		h.log.Warn("mcphttp: all hosts or origins are allowed: web pages may be able to call this server")
	}
	return h, nil
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer endSoon(w, h.opts.AnswerTimeout)
	if why := h.guard(r); why != nil {
		refuse(w, why)
		return
	}
	admitPage(w, r)
	if r.Method == http.MethodOptions {
		h.options(w, r)
		return
	}
	who, ok := h.caller(w, r)
	if !ok {
		return
	}
	if h.stopping() {
		refuse(w, &refusal{http.StatusServiceUnavailable, "the server is shutting down"})
		return
	}
	switch r.Method {
	case http.MethodPost:
		h.post(w, r, who)
	case http.MethodGet:
		h.notifications(w, r, who)
	case http.MethodDelete:
		h.endSession(w, r, who)
	default:
		w.Header().Set("Allow", methods+", OPTIONS")
		explain(w, r, &refusal{http.StatusMethodNotAllowed, "the method must be POST, GET or DELETE"})
	}
}

// post handles one message, or a batch.
func (h *handler) post(w http.ResponseWriter, r *http.Request, who mcp.Caller) {
	if why := acceptable(r); why != nil {
		explain(w, r, why)
		return
	}
	defer h.running.Add(-1)
	if h.running.Add(1) > int64(h.opts.MaxRequests) {
		refuse(w, tooMany("requests"))
		return
	}
	body, why := h.read(w, r)
	if why != nil {
		refuse(w, why)
		return
	}
	defer h.release(body)
	whole := false
	defer func() {
		if !whole { // the code of a user has ended the goroutine, and net/http will not send what was answered
			endSoon(w, h.opts.AnswerTimeout)
			_ = http.NewResponseController(w).Flush()
		}
	}()
	e := server.OpenEnvelope(*body)
	switch _, claimed := e.Claim(); {
	case claimed && e.Message.IsRequest():
		h.modern(w, r, &e, who)
	case claimed:
		w.WriteHeader(http.StatusAccepted) // a notification, none of which has an effect here
	case h.isModern(r):
		h.unclaimed(w, &e)
	default:
		h.legacy(w, r, &e, who)
	}
	whole = true
}

// isModern reports whether the headers say that the request stands alone.
func (h *handler) isModern(r *http.Request) bool {
	version := r.Header.Get(versionHeader)
	return version != "" && server.ModernVersion(version)
}

// unclaimed answers a message that says so only in its headers.
func (h *handler) unclaimed(w http.ResponseWriter, e *server.Envelope) {
	fault := e.Fault
	switch {
	case e.Batch:
		fault = wire.NewError(wire.CodeInvalidRequest, "invalid request: the revision has no batches")
	case fault != nil:
	case e.Message.IsNotification():
		w.WriteHeader(http.StatusAccepted) // the revision knows none, and none has an effect
		return
	case !e.Message.IsRequest():
		fault = wire.NewError(wire.CodeInvalidRequest, "invalid request: the revision has no requests that clients answer")
	default:
		fault = wire.NewError(wire.CodeInvalidParams,
			"invalid params: /params/_meta: io.modelcontextprotocol/protocolVersion is required")
	}
	writeJSON(w, http.StatusBadRequest, wire.AppendError(nil, e.Message.ID, false, fault))
}
