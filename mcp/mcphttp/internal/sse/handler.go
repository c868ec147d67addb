package sse

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/eventlog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

const (
	// Path is the last element of the paths that are served.
	Path = "/sse"

	// query is the parameter of the query that names a session.
	query = "sessionId"
	// initializeTimeout is how long a stream may be open before its client has sent initialize.
	initializeTimeout = time.Minute
)

// Handler serves HTTP+SSE of 2024-11-05 (basic/transports): GET opens a stream. The first event of the stream is the
// URI to which the client sends its messages. The other events are the messages of the server, also its responses. The
// session lasts as long as the stream. It is safe for concurrent use.
type Handler struct {
	srv           *server.Server
	counts        *counters.Counters
	admit         *limits.Admission
	bodies        *limits.Bodies
	opener        *eventlog.Opener
	sessions      *sessions.Set
	answerTimeout time.Duration // for each piece of a response

	open sync.Map // of *streamSession, by name
}

// New returns a handler of HTTP+SSE for a server, with the limits and sessions of its endpoint.
func New(srv *server.Server, admit *limits.Admission, bodies *limits.Bodies, opener *eventlog.Opener,
	s *sessions.Set, answerTimeout time.Duration,
) *Handler {
	return &Handler{srv: srv, counts: server.CountersOf(srv), admit: admit, bodies: bodies, opener: opener,
		sessions: s, answerTimeout: answerTimeout}
}

// Serves reports whether the path of a request is one of HTTP+SSE.
func (t *Handler) Serves(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, Path) }

// Serve handles a request of a caller who is known. Its Host and Origin must have been checked already.
func (t *Handler) Serve(w http.ResponseWriter, r *http.Request, who mcp.Caller) {
	switch r.Method {
	case http.MethodGet:
		t.stream(w, r, who)
	case http.MethodPost:
		t.post(w, r, who)
	default:
		web.HangUp(w, r)
		w.Header().Set("Allow", "GET, POST, OPTIONS")
		web.Refuse(w, web.NewRefusal(http.StatusMethodNotAllowed, "the method must be GET or POST"))
	}
}

// streamSession is a session whose messages all leave on one stream.
type streamSession struct {
	sessions.Session
	name    string           // of the session in URIs
	events  *eventlog.Stream // set before the first message
	owed    owedRefusals
	opened  time.Time
	expires atomic.Int64 // when the last of its callers expires, in nanoseconds since 1970, or neverExpires
}

const neverExpires = 1<<63 - 1

// WriteMessage implements transport.Conn.
func (x *streamSession) WriteMessage(frame []byte) error { return x.events.Message(trimLine(frame)) }

// WriteUpdate implements pubsub.UpdateWriter.
func (x *streamSession) WriteUpdate(frame []byte, rest *pubsub.Rest) error {
	return x.WriteMessage(append(frame, rest.Text()...))
}

// renew is called when a caller uses x: x.expires becomes the time when that caller expires, unless it is later
// already.
func (x *streamSession) renew(who mcp.Caller) {
	until := int64(neverExpires)
	if !who.Expires.IsZero() {
		until = who.Expires.UnixNano()
	}
	for {
		before := x.expires.Load()
		if before >= until || x.expires.CompareAndSwap(before, until) {
			return
		}
	}
}

// stream handles GET: it opens a session, and ends it with the stream.
func (t *Handler) stream(w http.ResponseWriter, r *http.Request, who mcp.Caller) {
	if why := checkOpen(r); why != nil {
		web.Explain(w, r, why)
		return
	}
	fenced, blind := server.Fenced(t.srv)
	if fenced {
		web.Refuse(w, eventlog.CutOff)
		return
	}
	u := t.admit.Client(r, who.Subject)
	defer t.admit.Drop(u)
	if !t.admit.Take(u, limits.Streams, 1) {
		web.Refuse(w, t.admit.TooMany(limits.Streams))
		return
	}
	defer t.admit.Give(u, limits.Streams, 1)
	x := &streamSession{opened: time.Now()}
	if why := t.sessions.Begin(&x.Session, u, x); why != nil {
		web.Refuse(w, why)
		return
	}
	x.name = rand.Text() // 130 bits
	x.renew(who)
	x.events = t.opener.OpenPaced(w, labels.StreamNotifications, u, t.answerTimeout)
	x.owed.events = x.events
	t.open.Store(x.name, x)
	defer t.end(x)
	if x.events.Raw("event: endpoint\ndata: "+endpoint(r, x.name)+"\n\n") != nil {
		return
	}
	x.MCP.Resume()
	x.await(r.Context(), blind)
}

// end ends a session and its stream, which may have ended already.
func (t *Handler) end(x *streamSession) {
	t.open.Delete(x.name)
	x.events.Abort() // a write that is under way does not wait for the client
	t.sessions.Forget(&x.Session)
	x.events.Release()
	x.Done()
}

// checkOpen returns why a GET is refused; nil if it may open a session.
func checkOpen(r *http.Request) *web.Refusal {
	switch {
	case web.IsModern(r):
		return web.NewRefusal(http.StatusBadRequest, onlyLegacy)
	case len(r.Header[web.LastEventHeader]) > 0:
		return web.NewRefusal(http.StatusBadRequest,
			"a stream of HTTP+SSE cannot be resumed: open one without Last-Event-ID")
	case !web.Accepts(r, "text", "event-stream"):
		return web.NewRefusal(http.StatusNotAcceptable, "Accept must list text/event-stream")
	}
	return nil
}

// onlyLegacy is why a request of a revision without sessions is refused.
const onlyLegacy = "HTTP+SSE has only revisions before 2026-07-28: send initialize, or use Streamable HTTP, at " +
	web.Path

// endpoint returns the URI to which messages of a session are sent. It has the path that the client has used, even if a
// mux has cut off a part of the path. The path is absolute, because some clients resolve a relative one against the
// host alone.
func endpoint(r *http.Request, id string) string {
	u, err := url.ParseRequestURI(r.RequestURI)
	if err != nil {
		u = r.URL
	}
	return "/" + strings.TrimLeft(u.EscapedPath(), "/") + "?" + query + "=" + id
}

// await returns when the session must end: its client has left or does not read, all its callers have expired, or it
// was not initialized in time. It also returns when blind is closed, because this replica does not hear the others, and
// when the server is closed and all requests of the session are answered.
func (x *streamSession) await(ctx context.Context, blind <-chan struct{}) {
	next := time.NewTimer(0)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
		case <-x.events.Ended():
		case <-x.MCP.Ended():
		case <-blind:
		case now := <-next.C:
			if left := x.left(now); left > 0 {
				next.Reset(left)
				continue
			}
		}
		return
	}
}

// left returns how long await may wait before it calls left again; 0 if x must end.
func (x *streamSession) left(now time.Time) time.Duration {
	left := time.Hour
	if x.MCP.Revision() == 0 {
		left = initializeTimeout - now.Sub(x.opened)
	}
	if until := x.expires.Load(); until < neverExpires {
		left = min(left, time.Unix(0, until).Sub(now))
	}
	return max(left, 0)
}
