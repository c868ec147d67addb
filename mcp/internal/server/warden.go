package server

import (
	"context"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// warden decides before each update of a guarded resource whether its subscriber may still hear of it.
// Whoever may not is not told, and the subscription ends without a word: to the client the resource has gone, like
// everything that it may not see.
type warden struct {
	c   *conn
	uri string
	// who is the caller of the listen; nil in a legacy session, where whoever has sent the last request counts.
	who *httpExchange
	rev protocol.Revision
}

// wardenOf is the warden of a subscription to uri; nil if r is open to everybody.
func (w *worker) wardenOf(r *Resource, uri string) *warden {
	if r.Guard == nil || !r.Guard.Access.restricted() {
		return nil
	}
	d := &warden{c: w.c, uri: uri, rev: w.rev}
	w.c.legacy.guarded.Store(true)
	if x, ok := w.responder.(*httpExchange); ok && isModern(w.rev) {
		d.who = x
	}
	return d
}

// caller returns whose right it is.
func (d *warden) caller() *httpExchange {
	if d.who != nil {
		return d.who
	}
	if last := d.c.legacy.latest.Load(); last != nil {
		return last
	}
	return &httpExchange{caller: d.c.legacy.caller}
}

// permits asks everything that was asked when the subscription began. It may run code of the user, for which it waits
// as long as policyTimeout and the conn allow.
func (d *warden) permits() bool {
	s := d.c.s
	p := new(pathCall)
	i := s.route(d.uri, &p.vars)
	if i < 0 {
		return false
	}
	g := s.features.Resources[i].Guard
	x := d.caller()
	if g.scopes(&x.caller) != nil {
		return false
	}
	if !g.asks() {
		return true
	}
	p.Vars = &p.vars
	p.conn, p.base, p.responder, p.about, p.rev = d.c, d.c.ctx, x, d.uri, d.rev
	defer p.end(context.Canceled)
	verdict := make(chan bool, 1)
	go func() {
		allowed := false
		defer func() { verdict <- allowed }() // also if a policy ends the goroutine
		allowed = g.policies(&p.Call, true, nil) == nil
	}()
	t := time.NewTimer(policyTimeout)
	defer t.Stop()
	select {
	case allowed := <-verdict:
		return allowed
	case <-d.c.ended:
	case <-t.C:
		d.c.log.Error("mcp: a policy takes too long: the subscription ends", "uri", d.uri, "after", policyTimeout)
	}
	return false
}

// speaks makes the caller of x the one whose rights count for the updates of the session.
func (c *conn) speaks(x *httpExchange) {
	old := c.legacy.latest.Swap(x)
	switch {
	case c.legacy.lapsed.Load() && !x.caller.expired():
		c.legacy.lapsed.Store(false)
		c.streams.remind()
	case old != nil && c.legacy.guarded.Load() && !x.caller.sameRights(&old.caller):
		c.streams.remindOf(func(u *sub) bool { return u.warden != nil })
	}
}

// sameRights reports whether access says the same about c and o.
func (c *Caller) sameRights(o *Caller) bool {
	return c.Subject == o.Subject && slices.Equal(c.Scopes, o.Scopes) && slices.Equal(c.Roles, o.Roles)
}

// lapsed reports whether the caller of a session has to prove again who it is. Until it has, its updates wait.
func (d *warden) lapsed() bool {
	if d.who != nil || !d.caller().caller.expired() {
		return false
	}
	d.c.legacy.lapsed.Store(true)
	return d.caller().caller.expired() // if not, it has come too late to see the mark
}

// lets is permits for the update of u, which ends if it may not be told.
func (d *warden) lets(u *sub) bool {
	if d.lapsed() {
		return false
	}
	allowed := d.permits()
	if !allowed {
		d.c.streams.refused(u)
	}
	return allowed
}

// refused takes u out of its stream, because its client may not hear of it. If the stream has begun, that has gone
// from the lists of the client, which are told to have changed.
func (t *streams) refused(u *sub) {
	t.out.mu.Lock()
	ends, lists := !u.gone, u.stream.lists
	if ends {
		t.endURILocked(u.stream, u)
	}
	if !ends || u.stream.held {
		lists = nil
	}
	t.out.mu.Unlock()
	if ends {
		t.hub.leave(u)
	}
	for _, l := range lists {
		if l.topic.kind == listOfResources {
			l.mark()
		}
	}
}

// refuse is refused for the sub of a listen that has not been acknowledged.
func (t *streams) refuse(s *stream, uri string) {
	if u := t.subOf(s, uri); u != nil {
		t.refused(u)
	}
}
