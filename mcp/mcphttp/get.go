package mcphttp

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// notifications handles GET: the stream for what belongs to no request, or the rest of one that broke.
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
	if h.shared != nil {
		u = h.admit.Client(r, who.Subject)
		defer h.admit.Drop(u)
	}
	x, why := h.sessionOf(r, who, u)
	if why == nil && x.adopted {
		x.done()
		why = noSession
	}
	if why != nil {
		web.Refuse(w, why)
		return
	}
	defer x.done()
	t := x.streams()
	from, why := t.resume(r.Header[web.LastEventHeader])
	if why != nil {
		web.Refuse(w, why)
		return
	}
	if from.log != &t.notifications {
		h.stream(w, r, x, from, who)
		return
	}
	from.order = t.orders.Add(1)
	if why, ok := t.queue(r.Context(), from.order); !ok {
		if why != nil {
			web.Refuse(w, why)
		}
		return
	}
	from.leave = sync.OnceFunc(func() { <-t.joining })
	defer from.leave()
	left := make(chan struct{})
	defer close(left)
	from.left = left
	h.stream(w, r, x, from, who)
}

// queue lets one request at a time become the notification stream, the newest last: it ends the stream that there is,
// and waits until that is counted no more. The caller makes room in t.joining. It is false if there is a newer request,
// or, without a refusal, if ctx has ended.
func (t *sessionStreams) queue(ctx context.Context, order uint64) (why *web.Refusal, ok bool) {
	t.notifications.interrupt() // whoever has t.joining may wait for a write
	select {
	case t.joining <- struct{}{}:
	case <-ctx.Done():
		return nil, false
	}
	if order < t.order.Load() {
		why = web.NewRefusal(http.StatusConflict, "a newer stream of the session has taken the place of this one")
	} else if t.notifications.vacate(ctx) {
		return nil, true
	}
	<-t.joining
	return why, false
}

// cutOff refuses a stream while this replica does not hear the others.
var cutOff = web.NewRefusal(http.StatusServiceUnavailable,
	"this replica of the server is cut off from the others: try again")

// stream answers a GET with what it continues.
func (h *handler) stream(w http.ResponseWriter, r *http.Request, x *session, from resumption, who mcp.Caller) {
	if from.log.over == nil {
		fenced, ends := server.Fenced(h.srv)
		if fenced {
			web.Refuse(w, cutOff)
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
	shares := x.shared() != nil && from.log.over == nil
	if shares {
		again, err := h.shared.become(r.Context(), x)
		if err != nil {
			web.Refuse(w, h.shared.refusalOf(err))
			return
		}
		from.again = from.again || again
	}
	x.mcp.Renew(server.Caller(who))
	if h.ids.on() && from.log.over == nil {
		x.mcp.Initialized() // another process may have been told
	}
	if shares {
		h.shared.apply(x)
	}
	h.follow(w, r, x, from, who)
}

// resumption is what a GET continues.
type resumption struct {
	log   *eventLog
	after uint64        // the last event that the client has
	known bool          // the client has said so
	again bool          // the client says that it had a notification stream before
	usage *limits.Usage // whom the stream counts for

	// Of a notification stream.
	order uint64          // the newest counts
	leave func()          // lets the next one begin
	left  <-chan struct{} // closed when it is not counted any more
	blind <-chan struct{} // closed when this replica does not hear the others any more
}

// resume returns what a GET continues, given its Last-Event-ID. A notification that this session has never sent
// is as good as none.
func (t *sessionStreams) resume(ids []string) (resumption, *web.Refusal) {
	if len(ids) == 0 {
		return resumption{log: &t.notifications}, nil
	}
	id, own := strings.CutPrefix(ids[0], t.prefix)
	if !own && failpoint.On("session-event-of-another-replica") {
		_, id, own = strings.Cut(id, ".")
	}
	if !own {
		return t.resumeElsewhere(id)
	}
	stream, number, ok := parseEventID(id)
	log := t.find(stream)
	switch {
	case !ok || log == nil || log != &t.notifications && number > log.last.Load():
		return resumption{}, web.NewRefusal(http.StatusBadRequest, "Last-Event-ID names no event of this session")
	case number > log.last.Load():
		return resumption{log: log, again: true}, nil
	}
	return resumption{log: log, after: number, known: true, again: true}, nil
}

// resumeElsewhere is resume for the id of an event that another process may have sent. What it has kept is not here:
// the changes that it has announced are announced again, but a response can only be resumed there.
func (t *sessionStreams) resumeElsewhere(id string) (resumption, *web.Refusal) {
	replica, rest, _ := strings.Cut(id, ".")
	stream, _, ok := parseEventID(rest)
	switch {
	case !ok || replica == "" || len(replica) > maxReplicaName:
		return resumption{}, web.NewRefusal(http.StatusBadRequest, "Last-Event-ID names no event of this session")
	case stream != 0:
		return resumption{}, web.NewRefusal(http.StatusServiceUnavailable, "another replica has the events of this stream")
	}
	return resumption{log: &t.notifications, again: true}, nil
}

// follow writes the events of a log until the client has gone, who expires or nothing follows.
func (h *handler) follow(w http.ResponseWriter, r *http.Request, x *session, from resumption, who mcp.Caller) {
	kind := stats.StreamResponse
	if from.log.over == nil {
		kind = stats.StreamNotifications
	}
	s := h.opener.open(w, kind, from.usage)
	defer s.release()
	if from.log.over == nil {
		s.left = from.left
		x.attachNotifications(s, from)
		from.leave()
		defer x.updateDelivery() // after it is detached
		if x.shared() != nil {
			h.shared.apply(x) // another replica may have become the holder before there was a stream to end
		}
	} else {
		from.log.attach(s, from.after)
	}
	defer from.log.detach(s)
	var expired <-chan time.Time
	if end := who.Expires; !end.IsZero() {
		t := time.NewTimer(time.Until(end))
		defer t.Stop()
		expired = t.C
	}
	select {
	case <-r.Context().Done():
	case <-s.gone:
	case <-expired:
	case <-x.whenEnded():
	case <-from.log.over:
	case <-from.blind:
	case <-h.srv.Stopping():
	}
}

// attachNotifications makes s the notification stream. If there was one before, its client may have missed any of the
// changes that were written to it, whatever it says: then all that it has subscribed to may have changed, and each
// list.
func (x *session) attachNotifications(s *stream, from resumption) {
	t := from.log.of
	t.order.Store(from.order)
	again := from.again || from.log.hasBegun()
	if from.known {
		from.log.attach(s, from.after)
	} else {
		from.log.attachUnsent(s)
	}
	if x.primes() {
		from.log.prime()
	}
	if again {
		x.mcp.Resync()
	}
	x.updateDelivery()
}
