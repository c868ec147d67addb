package mcphttp

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Names of headers, as net/http spells them.
const (
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
	methodHeader  = "Mcp-Method"
	nameHeader    = "Mcp-Name"
	paramPrefix   = "Mcp-Param-"
	lastEvent     = "Last-Event-Id"
)

// Server is an [mcp.Server], or a generated server, which embeds one.
type Server interface {
	Base() *mcp.Server
}

// Handler returns the endpoint of srv. Nil opts means the defaults. Closing srv ends its streams and
// sessions. The handler is safe for concurrent use, and takes every path that it is mounted at.
func Handler(srv Server, opts *Options) http.Handler {
	h := &handler{srv: (*server.Server)(srv.Base()), opts: opts.withDefaults(), sessions: make(map[string]*session), clients: make(map[string]*usage)}
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
	return h
}

// handler is the endpoint of a server.
type handler struct {
	srv  *server.Server
	opts Options
	log  *slog.Logger
	// perSubject is how many streams one subject may have.
	perSubject int

	bodies  sync.Pool    // of *[]byte
	streams atomic.Int64 // open now
	running atomic.Int64 // POST requests under way
	asking  atomic.Int64 // calls of Options.Authenticate that have not returned

	mu       sync.Mutex
	sessions map[string]*session
	clients  map[string]*usage // who has sessions or streams
	waiting  int               // requests that wait for a person
	sweeper  *time.Timer       // runs while there are sessions
	sweeping bool
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

// stopping reports whether the server has begun to close.
func (h *handler) stopping() bool {
	select {
	case <-h.srv.Stopping():
		return true
	default:
		return false
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

// read reads the body into a buffer that release takes back.
func (h *handler) read(w http.ResponseWriter, r *http.Request) (*[]byte, *refusal) {
	if r.ContentLength > h.opts.MaxBody {
		return nil, &refusal{http.StatusRequestEntityTooLarge, "the body is too large"}
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(h.opts.ReadTimeout)) // not every server has deadlines
	b, _ := h.bodies.Get().(*[]byte)
	if b == nil {
		b = new([]byte)
	}
	var err error
	if *b, err = readAll((*b)[:0], http.MaxBytesReader(w, r.Body, h.opts.MaxBody), r.ContentLength); err != nil {
		h.release(b)
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, &refusal{http.StatusRequestEntityTooLarge, "the body is too large"}
		}
		return nil, &refusal{http.StatusBadRequest, "the body could not be read"}
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return b, nil
}

// maxTrust is how much room is made for a body because its sender says so, before any of it is there.
const maxTrust = 64 << 10

// readAll appends all of r to b; size is how much is expected, or -1.
func readAll(b []byte, r io.Reader, size int64) ([]byte, error) {
	if need := int(min(size, maxTrust)) + 1; size >= 0 && cap(b) < need {
		b = make([]byte, 0, need)
	}
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return b, err
		}
	}
}

// maxSpare is the largest body buffer that is kept.
const maxSpare = 256 << 10

func (h *handler) release(b *[]byte) {
	if cap(*b) <= maxSpare {
		h.bodies.Put(b)
	}
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
		fault = wire.NewError(wire.CodeInvalidParams, "invalid params: /params/_meta: io.modelcontextprotocol/protocolVersion is required")
	}
	writeJSON(w, http.StatusBadRequest, wire.AppendError(nil, e.Message.ID, false, fault))
}

// bySubject begins the name of a client that is told by its subject.
const bySubject = "s "

// client names whom limits count: a subject, else an address.
func client(r *http.Request, who mcp.Caller) string {
	if who.Subject != "" {
		return bySubject + who.Subject
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return "a " + host
}

// usage is what one client has open: sessions, streams, and requests that wait for a person.
type usage struct{ sessions, streams, waiting int }

// wait counts a request that waits for a person, and not among those under way. It is false if there are too many.
func (h *handler) wait(name string) (resume func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	u := h.clients[name]
	if u == nil {
		u = new(usage)
	}
	if h.waiting >= h.opts.MaxWaiting || u.waiting >= h.opts.MaxPerClient {
		return nil, false
	}
	h.clients[name] = u
	u.waiting++
	h.waiting++
	h.running.Add(-1)
	return func() {
		h.running.Add(1)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.waiting--
		if u.waiting--; *u == (usage{}) {
			delete(h.clients, name)
		}
	}, true
}

// useStream counts a stream that is opened. It is false if there are too many.
func (h *handler) useStream(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	u := h.clients[name]
	if u == nil {
		u = new(usage)
	}
	most := h.opts.MaxPerClient
	if strings.HasPrefix(name, bySubject) {
		most = h.perSubject
	}
	if int(h.streams.Load()) >= h.opts.MaxStreams || u.streams >= most {
		return false
	}
	h.clients[name] = u
	u.streams++
	h.streams.Add(1)
	return true
}

// endStream counts a stream that has ended.
func (h *handler) endStream(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	u := h.clients[name]
	u.streams--
	h.streams.Add(-1)
	if *u == (usage{}) {
		delete(h.clients, name)
	}
}

// tooMany is the answer to what would be one too many.
func tooMany(what string) *refusal {
	return &refusal{http.StatusServiceUnavailable, "too many " + what + ": try again later"}
}

// methodListen is the request whose answer is a stream.
const methodListen = protocol.MethodSubscriptionsListen
