package mcphttp

import (
	"errors"
	"net/http"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	_ "github.com/mcpgen/mcpgen/mcp/keys" // HTTP has many clients
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/eventlog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/shared"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sse"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Server is an [mcp.Server], or a generated server, which embeds one.
type Server interface {
	Base() *mcp.Server
}

// errNoKeys is the error of a session store without keys.
var errNoKeys = errors.New("mcphttp: Options.SessionStore needs mcp.Options.Keys: they seal what is stored")

// errNoSubjects is the error of webhooks without a function that knows the callers.
var errNoSubjects = errors.New("mcphttp: Options.Authenticate is nil, and event.Options.Webhooks are for callers " +
	"with a subject: set Authenticate, or leave out Webhooks")

var errNilServer = errors.New("mcphttp: the server is nil: look at the error of its constructor")

// Scopes returns the scopes that the declared features of srv need, sorted. hidden are those without which a caller
// does not see some feature at all. Of scopes that are alternatives (anyscope), hidden has only the first.
func Scopes(srv Server) (all, hidden []string) { return server.Scopes((*server.Server)(srv.Base())) }

// Handler returns the endpoint of srv. Nil opts means the defaults; an option out of range is an error. Closing srv
// ends its streams and sessions. The handler is safe for concurrent use and may be mounted at any path.
//
// An open stream for updates takes its connection over from net/http, which saves most of its memory. It does so over
// HTTP/1.1, if the http.Server has the handler itself or an [http.ServeMux] with it, so that no code of the program is
// in between. ConnState gets [http.StateHijacked] then. Neither Shutdown and Close of the http.Server nor the end of
// its BaseContext ends such a stream or waits for it; closing srv does both. The connection carries no further request.
// In all other cases a stream stays with net/http.
func Handler(srv Server, opts *Options) (http.Handler, error) {
	h, err := newHandler(srv, opts)
	if err != nil {
		return nil, err
	}
	return h, nil
}

func newHandler(srv Server, opts *Options) (*handler, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	base := srv.Base()
	if base == nil {
		return nil, errNilServer
	}
	if opts != nil && opts.SessionStore != nil && (*server.Server)(base).RandomKeys() {
		return nil, errNoKeys
	}
	if (opts == nil || opts.Authenticate == nil) && server.NeedsSubjects((*server.Server)(base)) {
		return nil, errNoSubjects
	}
	h := &handler{srv: (*server.Server)(base), opts: opts.withDefaults()}
	h.log = h.opts.Logger
	trusted, _ := limits.NewProxies(h.opts.TrustedProxies, func(msg string) { h.log.Warn(msg) }) // checked before
	h.counts = server.CountersOf(h.srv)
	h.admit = limits.NewAdmission(h.opts.shares(opts != nil && opts.MaxPerClient > 0), trusted, h.counts)
	h.guard = guard{hosts: h.opts.AllowedHosts, origins: h.opts.AllowedOrigins, log: h.log, counts: h.counts}
	h.callers = authenticator{ask: h.opts.Authenticate, admit: h.admit, log: h.log, counts: h.counts,
		readTimeout: h.opts.ReadTimeout, answerTimeout: h.opts.AnswerTimeout}
	h.inner = http.HandlerFunc(h.admitted)
	if h.opts.Middleware != nil {
		h.inner = h.opts.Middleware(h.inner)
	}
	h.opener = eventlog.NewOpener(h.admit, h.log, h.opts.KeepAlive, h.opts.WriteTimeout)
	h.bodies = limits.NewBodies(h.admit, h.opts.MaxBody)
	h.sessions = sessions.NewSet(h.srv, h.admit, h.log, h.opts.SessionTimeout, h.opts.ResumeTimeout)
	h.replicas = shared.New(h.srv, h.sessions, h.log, h.opts.SessionLifetime, h.opts.SessionStore,
		h.opts.SessionTimeout*3/2)
	if h.opts.SSE {
		h.sse = sse.New(h.srv, h.admit, h.bodies, h.opener, h.sessions, h.opts.AnswerTimeout)
		if h.replicas.Connected() {
			h.log.Warn("mcphttp: sessions of HTTP+SSE are those of one replica: " +
				"all requests of a client must reach the one that has its stream")
		}
	}
	h.counts.AddSource(h.addStats)
	if h.opts.Authenticate == nil && h.srv.NeedsScopes() {
		h.log.Warn("mcphttp: features that need scopes or roles are not offered: " +
			"Options.Authenticate, which is not set, grants them")
	}
	for _, origin := range h.opts.AllowedOrigins {
		if err := checkOrigin(origin); err != nil {
			h.log.Warn("mcphttp: an allowed origin is not valid", "err", err)
		}
	}
	if slices.Contains(h.opts.AllowedHosts, "*") || slices.Contains(h.opts.AllowedOrigins, "*") {
		h.log.Warn("mcphttp: all hosts or origins are allowed: web pages may be able to call this server")
	}
	return h, nil
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor > 1 {
		h.multiplexed(w, r)
		return
	}
	h.serve(w, r)
}

// multiplexed handles a request of HTTP/2, which shares its connection with others. Until its whole response was
// written, the request counts like a connection. That is because one connection may carry hundreds of requests, and its
// client may read no response. A request beyond the limit is reset: there is no room for a response either.
func (h *handler) multiplexed(w http.ResponseWriter, r *http.Request) {
	u := h.admit.Client(r, "")
	defer h.admit.Drop(u)
	if !h.admit.Take(u, limits.Connections, 1) {
		why := h.admit.TooMany(limits.Connections)
		abandon(r)
		web.Refuse(w, why)
		return
	}
	defer h.admit.Give(u, limits.Connections, 1)
	h.serve(w, r)
	_ = http.NewResponseController(w).Flush() // net/http would write the rest after the handler has returned
}

// serve refuses requests of unknown hosts and origins, answers preflights, and passes the rest to the inner handler. It
// also sets the deadlines of the request.
func (h *handler) serve(w http.ResponseWriter, r *http.Request) {
	defer web.EndSoon(w, h.opts.AnswerTimeout)
	web.AwaitBody(w, r, h.opts.ReadTimeout)
	if why := h.guard.check(r); why != nil {
		web.HangUp(w, r)
		web.Refuse(w, why)
		return
	}
	admitPage(w, r)
	if r.Method == http.MethodOptions {
		h.options(w, r)
		return
	}
	h.inner.ServeHTTP(w, r)
}

// admitted handles a request that has passed the guard.
func (h *handler) admitted(w http.ResponseWriter, r *http.Request) {
	who, ok := h.callers.caller(w, r)
	if !ok {
		return
	}
	if h.sessions.Stopping() {
		h.counts.Refused[labels.RefusedClosing].Add(1)
		web.Refuse(w, web.NewRefusal(http.StatusServiceUnavailable, "the server is shutting down"))
		return
	}
	if h.sse != nil && h.sse.Serves(r) {
		h.sse.Serve(w, r, who)
		return
	}
	switch r.Method {
	case http.MethodPost:
		if r.Header.Get(web.MethodHeader) == methodListen && h.detaches(r) {
			h.opener.Detach(w, r, h.stay, func(w http.ResponseWriter, r *http.Request) { h.post(w, r, who) })
			return
		}
		h.post(w, r, who)
	case http.MethodGet:
		if r.ContentLength == 0 && h.detaches(r) {
			h.opener.Detach(w, r, h.stay, func(w http.ResponseWriter, r *http.Request) { h.notifications(w, r, who) })
			return
		}
		h.notifications(w, r, who)
	case http.MethodDelete:
		h.endSession(w, r, who)
	default:
		w.Header().Set("Allow", methods+", OPTIONS")
		web.Explain(w, r, web.NewRefusal(http.StatusMethodNotAllowed, "the method must be POST, GET or DELETE"))
	}
}

// detaches reports whether a stream that is the response to r may take its connection over from net/http. Nothing else
// may use the connection, and no code of the program may wait for ServeHTTP to return.
func (h *handler) detaches(r *http.Request) bool {
	return r.ProtoMajor == 1 && r.ProtoMinor > 0 && h.opts.Middleware == nil && limits.Serves(h, r)
}

// stay makes Close of the server wait for a stream that has left net/http, until release is called. It returns false if
// the server is closing already.
func (h *handler) stay() (release func(), ok bool) { return server.HostOf(h.srv).Stay() }

// post handles one message, or a batch.
func (h *handler) post(w http.ResponseWriter, r *http.Request, who mcp.Caller) {
	if why := web.Acceptable(r); why != nil {
		h.counts.Refused[labels.RefusedMediaType].Add(1)
		web.HangUp(w, r)
		web.Explain(w, r, why)
		return
	}
	u := h.admit.Client(r, who.Subject)
	defer h.admit.Drop(u)
	b, why := h.bodies.Read(w, r, u)
	if why != nil {
		web.HangUp(w, r)
		web.Refuse(w, why)
		return
	}
	defer func() { h.bodies.Release(u, b) }() // unless modern has taken it over
	e := session.OpenEnvelope(b.Text())
	runs := server.HostOf(h.srv).Notifies(&e)
	if e.Message.IsRequest() || e.Batch || runs { // what ends a request, or answers a question, needs no place
		if !h.admit.Take(u, limits.Requests, 1) {
			web.Refuse(w, h.admit.TooMany(limits.Requests))
			return
		}
		defer h.admit.Give(u, limits.Requests, 1)
	}
	_, modern := e.DeclaredVersion()
	whole := false
	defer func() {
		// If whole is false, code of the user has ended the goroutine, and net/http would not send the answer.
		if !whole && !(modern && r.Context().Err() != nil) {
			web.EndSoon(w, h.opts.AnswerTimeout)
			_ = http.NewResponseController(w).Flush()
		}
	}()
	answered := true
	switch {
	case modern && (e.Message.IsRequest() || runs):
		answered = h.modern(w, r, &e, &b, who, u)
	case modern:
		w.WriteHeader(http.StatusAccepted) // a notification that has no effect here
	case web.IsModern(r):
		h.modernByHeader(w, &e)
	default:
		h.legacy(w, r, &e, who, u)
	}
	whole = true
	if !answered {
		abandon(r)
	}
}

// abandon closes the connection of a request, or resets its stream of HTTP/2, if the client has left or gets no place.
// It sends nothing, because a client that has closed only its own side could take an empty response for an answer. It
// returns only in a server other than that of net/http.
func abandon(r *http.Request) {
	if r.Context().Value(http.ServerContextKey) != nil {
		panic(http.ErrAbortHandler)
	}
}

// modernByHeader answers a message whose headers name a modern revision and whose body does not.
func (h *handler) modernByHeader(w http.ResponseWriter, e *session.Envelope) {
	fault := e.Fault
	switch {
	case e.Batch:
		fault = wire.NewError(wire.CodeInvalidRequest, "invalid request: the revision has no batches")
	case fault != nil:
	case e.Message.IsNotification():
		w.WriteHeader(http.StatusAccepted) // the revision has no such notifications: it has no effect
		return
	case !e.Message.IsRequest():
		fault = wire.NewError(wire.CodeInvalidRequest, "invalid request: the revision has no requests that clients answer")
	default:
		fault = wire.NewError(wire.CodeInvalidParams,
			"invalid params: /params/_meta: io.modelcontextprotocol/protocolVersion is required")
	}
	web.AnswerError(w, http.StatusBadRequest, e, fault, h.counts)
}
