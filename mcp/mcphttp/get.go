package mcphttp

import (
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/eventlog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

// notifications handles GET. The response is the notification stream of a session, or the rest of a stream that broke.
func (h *handler) notifications(w http.ResponseWriter, r *http.Request, who mcp.Caller) {
	if why := web.Unambiguous(r); why != nil {
		web.Refuse(w, why)
		return
	}
	if r.Header.Get(web.SessionHeader) == "" {
		w.Header().Set("Allow", "POST")
		web.Explain(w, r, web.NewRefusal(http.StatusMethodNotAllowed,
			"GET needs the Mcp-Session-Id of a session: only revisions before 2026-07-28 have them"))
		return
	}
	if !web.Accepts(r, "text", "event-stream") {
		web.Refuse(w, web.NewRefusal(http.StatusNotAcceptable, "Accept must list text/event-stream"))
		return
	}
	var u *limits.Usage
	if h.replicas.Store != nil {
		u = h.admit.Client(r, who.Subject)
		defer h.admit.Drop(u)
	}
	x, why := h.sessionOf(r, who, u)
	if why == nil && x.Adopted {
		x.Done()
		why = sessions.NoSession
	}
	if why != nil {
		web.Refuse(w, why)
		return
	}
	defer x.Done()
	t := x.Streams()
	from, why := t.Resume(r.Header[web.LastEventHeader])
	if why != nil {
		web.Refuse(w, why)
		return
	}
	if !from.IsNotifications() {
		h.stream(w, r, x, reading{Resumption: from}, who)
		return
	}
	leave, done, why, ok := from.Join(r.Context())
	if !ok {
		if why != nil {
			web.Refuse(w, why)
		}
		return
	}
	defer leave()
	defer done()
	h.stream(w, r, x, reading{Resumption: from, leave: leave}, who)
}

// reading is where a GET continues a stream.
type reading struct {
	eventlog.Resumption
	usage *limits.Usage // the client for which the stream counts

	// Of a notification stream.
	leave func()          // lets the next request become the notification stream
	blind <-chan struct{} // closed when this replica does not hear the others any more
}

// stream answers a GET with the stream that it continues.
func (h *handler) stream(w http.ResponseWriter, r *http.Request, x *sessions.Session, from reading, who mcp.Caller) {
	if from.IsNotifications() {
		fenced, ends := server.Fenced(h.srv)
		if fenced {
			web.Refuse(w, eventlog.CutOff)
			return
		}
		from.blind = ends
	}
	u := h.admit.Client(r, who.Subject)
	defer h.admit.Drop(u)
	if !h.admit.Take(u, limits.Streams, 1) {
		web.Refuse(w, h.admit.TooMany(limits.Streams))
		return
	}
	defer h.admit.Give(u, limits.Streams, 1)
	from.usage = u
	shares := h.replicas.Store != nil && from.IsNotifications()
	if shares {
		again, why := h.replicas.Store.Become(r.Context(), x)
		if why != nil {
			web.Refuse(w, why)
			return
		}
		from.Again = from.Again || again
	}
	x.MCP.Renew(call.Caller(who))
	if h.replicas.Sealed() && from.IsNotifications() {
		x.MCP.Initialized() // another process may have got notifications/initialized
	}
	if shares {
		h.replicas.Store.Apply(x)
	}
	h.follow(w, r, x, from, who)
}

// follow writes the events of a stream of x until the client has left, the credentials of the caller expire, or no more
// events can follow. It also ends when the session or the server ends, and a notification stream when this replica is
// cut off.
func (h *handler) follow(w http.ResponseWriter, r *http.Request, x *sessions.Session, from reading, who mcp.Caller) {
	kind := labels.StreamResponse
	if from.IsNotifications() {
		kind = labels.StreamNotifications
	}
	s := h.opener.Open(w, kind, from.usage)
	defer s.Release()
	missed := from.Attach(s)
	if from.IsNotifications() {
		defer x.UpdateDelivery() // after it is detached
	}
	defer from.Log.Detach(s)
	if from.IsNotifications() {
		x.Announce(missed)
		from.leave()
		if h.replicas.Store != nil {
			h.replicas.Store.Apply(x) // another replica may have become the holder before there was a stream to end
		}
	}
	var expired <-chan time.Time
	if end := who.Expires; !end.IsZero() {
		t := time.NewTimer(time.Until(end))
		defer t.Stop()
		expired = t.C
	}
	select {
	case <-r.Context().Done():
	case <-s.Ended():
	case <-expired:
	case <-x.WhenEnded():
	case <-from.Log.Completed():
	case <-from.blind:
	case <-server.HostOf(h.srv).Stopping():
	}
}
