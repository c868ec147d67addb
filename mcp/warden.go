package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// warden decides before each update of a guarded resource whether its subscriber may still hear of it.
// Whoever may not is not told, and the subscription ends without a word: to the client the resource has gone, like
// everything that it may not see.
type warden struct {
	c   *conn
	uri string
	// who is the caller of the listen; nil in a legacy session, where whoever has sent the last request counts.
	who *lane
	rev protocol.Revision
}

// wardenOf is the warden of a subscription to uri; nil if r is open to everybody.
func (w *worker) wardenOf(r *Resource, uri string) *warden {
	if r.Guard == nil || !r.Guard.Access.restricted() {
		return nil
	}
	d := &warden{c: w.c, uri: uri, rev: w.rev}
	if isModern(w.rev) {
		d.who = w.lane
	}
	return d
}

// caller returns whose right it is.
func (d *warden) caller() *lane {
	if d.who != nil {
		return d.who
	}
	if last := d.c.latest.Load(); last != nil {
		return last
	}
	return &lane{caller: d.c.caller}
}

// permits asks everything that was asked when the subscription began. It may run code of the user.
func (d *warden) permits() bool {
	s := d.c.s
	p := new(pathCall)
	i := s.route(d.uri, &p.vars)
	if i < 0 {
		return false
	}
	g := s.features.Resources[i].Guard
	l := d.caller()
	if g.scopes(&l.caller) != nil {
		return false
	}
	if !g.asks() {
		return true
	}
	p.Vars = &p.vars
	p.conn, p.base, p.lane, p.about, p.rev = d.c, d.c.ctx, l, d.uri, d.rev
	defer p.end(context.Canceled)
	return g.policies(&p.Call, true) == nil
}

// lets is permits for the update of u, which ends if it may not be told, or if a policy ends the goroutine.
func (d *warden) lets(u *sub) (allowed bool) {
	defer func() {
		if !allowed {
			d.c.streams.refused(u)
		}
	}()
	return d.permits()
}

// refused takes u out of its stream, because its client may not hear of it.
func (t *streams) refused(u *sub) {
	t.out.mu.Lock()
	ends := !u.gone
	if ends {
		t.endURILocked(u.stream, u)
	}
	t.out.mu.Unlock()
	if ends {
		t.hub.leave(u)
	}
}

// refuse is refused for the sub of a listen that has not been acknowledged.
func (t *streams) refuse(s *stream, uri string) {
	if u := t.subOf(s, uri); u != nil {
		t.refused(u)
	}
}
