package eventlog

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

// MaxReplicaName is how long the name of a process may be.
const MaxReplicaName = 32

// Resumption is the stream of a session that a GET continues, and what its client has of it already.
type Resumption struct {
	Log   *Log
	after uint64 // number of the last event that the client has, if known is set
	known bool   // the client has named that event
	Again bool   // the client says that it had a notification stream before

	order uint64 // number of the request for a notification stream that has joined; the newest one gets the stream
}

// IsNotifications reports whether it is the notification stream.
func (r *Resumption) IsNotifications() bool { return r.Log.over == nil }

// Resume returns what a GET continues. ids are the values of its Last-Event-ID. The id of a notification that this
// process has not sent yet says only that the client had a notification stream before.
func (t *Streams) Resume(ids []string) (Resumption, *web.Refusal) {
	if len(ids) == 0 {
		return Resumption{Log: &t.Notifications}, nil
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
	case !ok || log == nil || log != &t.Notifications && number > log.last.Load():
		return Resumption{}, web.NewRefusal(http.StatusBadRequest, "Last-Event-ID names no event of this session")
	case number > log.last.Load():
		return Resumption{Log: log, Again: true}, nil
	}
	return Resumption{Log: log, after: number, known: true, Again: true}, nil
}

// resumeElsewhere is Resume for the id of an event of another process, whose events are not here. The notification
// stream can be continued, because changes are announced again. A response can only be resumed at the other process.
func (t *Streams) resumeElsewhere(id string) (Resumption, *web.Refusal) {
	replica, rest, _ := strings.Cut(id, ".")
	stream, _, ok := parseEventID(rest)
	switch {
	case !ok || replica == "" || len(replica) > MaxReplicaName:
		return Resumption{}, web.NewRefusal(http.StatusBadRequest, "Last-Event-ID names no event of this session")
	case stream != 0:
		return Resumption{}, web.NewRefusal(http.StatusServiceUnavailable, "another replica has the events of this stream")
	}
	return Resumption{Log: &t.Notifications, Again: true}, nil
}

// Join waits until r may become the notification stream. If ok is true, the caller must call leave once r is attached,
// or will not be attached, and then done once the stream does not count any more. If ok is false, there is a newer
// request, and why refuses this one; if why is nil, ctx has ended.
func (r *Resumption) Join(ctx context.Context) (leave, done func(), why *web.Refusal, ok bool) {
	t := r.Log.of
	r.order = t.orders.Add(1)
	if why, ok = t.queue(ctx, r.order); !ok {
		return nil, nil, why, false
	}
	left := make(chan struct{})
	t.left = left
	return sync.OnceFunc(func() { <-t.joining }), func() { close(left) }, nil, true
}

// queue lets one request at a time become the notification stream. It ends the present stream, and waits until that
// stream does not count any more. The newest request wins: ok is false if there is a newer one, or, with a nil refusal,
// if ctx has ended. If ok is true, the caller must take its element out of t.joining.
func (t *Streams) queue(ctx context.Context, order uint64) (why *web.Refusal, ok bool) {
	t.Notifications.Interrupt() // whoever has t.joining may wait for a write
	select {
	case t.joining <- struct{}{}:
	case <-ctx.Done():
		return nil, false
	}
	if order < t.order.Load() {
		why = web.NewRefusal(http.StatusConflict, "a newer stream of the session has taken the place of this one")
	} else if t.vacate(ctx) {
		return nil, true
	}
	<-t.joining
	return why, false
}

// vacate ends the present notification stream, if there is one, and waits until its request is done. The request may be
// on its way out while the log has no stream any more. vacate returns false if ctx ends first.
func (t *Streams) vacate(ctx context.Context) bool {
	t.Notifications.BreakOff()
	if t.left == nil {
		return true
	}
	select {
	case <-t.left:
		return true
	case <-ctx.Done():
		return false
	}
}

// Attach makes s the response to which the events are written. missed says, for a notification stream, that the client
// may have missed changes that were written to an earlier stream, whatever Last-Event-ID says.
func (r *Resumption) Attach(s *Stream) (missed bool) {
	if !r.IsNotifications() {
		r.Log.Attach(s, r.after)
		return false
	}
	r.Log.of.order.Store(r.order)
	missed = r.Again || r.Log.hasBegun()
	if r.known {
		r.Log.Attach(s, r.after)
	} else {
		r.Log.attachUnsent(s)
	}
	return missed
}

// parseEventID returns the stream and the number of an event id.
func parseEventID(id string) (stream int, number uint64, ok bool) {
	name, text, ok := strings.Cut(id, "-")
	if !ok || !isNumeral(name) || strings.Trim(text, "0123456789") != "" {
		return 0, 0, false
	}
	stream, err := strconv.Atoi(name)
	if err != nil {
		return 0, 0, false
	}
	number, err = strconv.ParseUint(text, 10, 63)
	return stream, number, err == nil && number > 0
}

// isNumeral reports whether s is a number as this package writes it.
func isNumeral(s string) bool {
	return s == "0" || s != "" && s[0] != '0' && strings.Trim(s, "0123456789") == ""
}

// CutOff refuses a stream while this replica does not hear the others.
var CutOff = web.NewRefusal(http.StatusServiceUnavailable,
	"this replica of the server is cut off from the others: try again")
