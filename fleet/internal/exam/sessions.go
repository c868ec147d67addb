package exam

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
)

// grace is how long the replicas may take to agree on what a session wants.
const grace = 500 * time.Millisecond

// session is a session of an exam.
type session struct {
	c  *client.Conn
	id string
}

// session opens one, for a client that can answer questions.
func (p *paper) session(c *client.Conn) session {
	c.Capabilities = map[string]any{"elicitation": map[string]any{}}
	id, err := c.Open(p.ctx)
	p.mustf(err, "initialize at %s", c.URL)
	return session{c, id}
}

var revisions = []string{"2025-03-26", "2025-06-18", "2025-11-25"}

// churn subscribes and unsubscribes through one replica while another one has the stream, and a third one writes.
func churn(p *paper) {
	order := p.perm()
	a, b, w := order[0], order[1%len(order)], order[2%len(order)]
	s := p.session(p.conn(b, revisions[p.random.IntN(len(revisions))]))
	inbox, err := p.at(s.c, a).Stream(p.ctx, s.id, "")
	p.mustf(err, "stream at replica %d", a)
	notes := p.own(6)
	p.subscribeAll(s, notes)
	time.Sleep(grace)
	p.eachTold(inbox, w, notes, fmt.Sprintf("stream at replica %d, subscribed at all", a))

	off, control := notes[:2], notes[2]
	for i, n := range off {
		err := p.at(s.c, order[i]).Call(p.ctx, s.id, "resources/unsubscribe", map[string]any{"uri": URI("note", n)}, nil)
		p.mustf(err, "unsubscribe at replica %d", order[i])
	}
	time.Sleep(grace)
	p.noneTold(inbox, off, control)

	err = p.at(s.c, w).Call(p.ctx, s.id, "resources/subscribe", map[string]any{"uri": URI("note", off[0])}, nil)
	p.mustf(err, "subscribe at replica %d", w)
	time.Sleep(grace)
	p.eachTold(inbox, b, off[:1], "subscribed again")

	// The stream moves, and what was unsubscribed stays so.
	next, err := p.at(s.c, b).Stream(p.ctx, s.id, "")
	p.mustf(err, "second stream at replica %d", b)
	for _, n := range append(notes[2:], off[0]) {
		if _, err := next.Await(p.ctx, p.bound(), client.Updated(URI("note", n))); err != nil {
			p.wrongf(verdict.Unheard, URI("note", n), "a stream that moves from replica %d to %d: %v", a, b, err)
		}
	}
	if !p.until(func() bool { _, ended := inbox.Got(nil); return ended != nil }) {
		p.wrongf(verdict.After, "", "the stream at replica %d goes on after the one at replica %d was opened", a, b)
	}
	p.noneTold(next, off[1:], control)
	got, _ := next.Got(client.Updated(URI("note", off[1])))
	if len(got) > 0 {
		p.wrongf(verdict.Late, URI("note", off[1]), "%v at %v, on another stream", got[0], got[0].At)
	}
}

// Streams opens a listen and the stream of a session at a replica. The function that it returns reports those that are
// still open.
func (h *Hall) Streams(ctx context.Context, at int) (mustHaveEnded func()) {
	seen := h.Checker.Client(fmt.Sprint("streams at replica ", at))
	streams := map[string]*client.Inbox{}
	add := func(name string, s *client.Inbox, err error) {
		if err == nil {
			streams[name] = s
		} else if ctx.Err() == nil {
			h.Checker.Report(seen.Violation(verdict.Refused, "", "%s: %v", name, err))
		}
	}
	listen := map[string]any{"resourceSubscriptions": []string{URI("note", 1)}}
	s, err := client.NewConn(h.Replicas[at], client.Modern, seen).Listen(ctx, listen)
	add("a listen", s, err)
	c := client.NewConn(h.Replicas[at], "2025-11-25", seen)
	id, err := c.Open(ctx)
	if err == nil {
		s, err = c.Stream(ctx, id, "")
	}
	add("the stream of a session", s, err)
	return func() {
		for name, s := range streams {
			if _, ended := s.Got(nil); ended == nil && ctx.Err() == nil {
				h.Checker.Report(seen.Violation(verdict.After, "", "%s is open at a replica that hears nobody", name))
			}
			s.Close()
		}
		h.Checker.Remove(seen)
	}
}

// subscribeAll subscribes to all notes at the same time, through all replicas.
func (p *paper) subscribeAll(s session, notes []int64) {
	var wg sync.WaitGroup
	for i, n := range notes {
		at := p.at(s.c, i%len(p.Replicas))
		wg.Go(func() {
			err := at.Call(p.ctx, s.id, "resources/subscribe", map[string]any{"uri": URI("note", n)}, nil)
			if err != nil {
				p.wrongf(verdict.Refused, URI("note", n), "subscribe at replica %d: %v", i%len(p.Replicas), err)
			}
		})
	}
	wg.Wait()
}

// eachTold writes each note once and waits until the stream is told.
func (p *paper) eachTold(inbox *client.Inbox, w int, notes []int64, what string) {
	for _, n := range notes {
		match := client.Updated(URI("note", n))
		before, _ := inbox.Got(match)
		value, err := p.write(w, "note", n)
		p.mustf(err, "write through replica %d", w)
		if !p.more(inbox, match, len(before)) {
			p.wrongf(verdict.Unheard, URI("note", n),
				"%s: not within %v of the commit of %s through replica %d", what, p.bound(),
				value, w)
		}
	}
}

// noneTold writes notes that nobody subscribes to, and then one that somebody does, through each replica.
func (p *paper) noneTold(inbox *client.Inbox, off []int64, control int64) {
	for w := range p.Replicas {
		before := map[int64]int{}
		for _, n := range off {
			got, _ := inbox.Got(client.Updated(URI("note", n)))
			before[n] = len(got)
			_, err := p.write(w, "note", n)
			p.mustf(err, "write through replica %d", w)
		}
		p.eachTold(inbox, w, []int64{control}, "one that is still subscribed")
		time.Sleep(200 * time.Millisecond)
		for _, n := range off {
			if got, _ := inbox.Got(client.Updated(URI("note", n))); len(got) > before[n] {
				p.wrongf(verdict.Late, URI("note", n),
					"written through replica %d, %v after the answer to the unsubscribe", w, grace)
			}
		}
	}
}

// until waits until something holds, for as long as an update may take.
func (p *paper) until(holds func() bool) bool { return p.untilWithin(1, holds) }

// untilWithin is until for something that may take so many times as long.
func (p *paper) untilWithin(times int, holds func() bool) bool {
	for begun := time.Now(); time.Since(begun) < time.Duration(times)*p.bound() &&
		p.ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return holds()
}

// ends deletes a session on one replica, after which no replica may know it.
func ends(p *paper) {
	for _, at := range p.perm() {
		s := p.session(p.conn(-1, "2025-11-25"))
		stream := p.perm()[0]
		inbox, err := p.at(s.c, stream).Stream(p.ctx, s.id, "")
		p.mustf(err, "stream at replica %d", stream)
		p.mustf(p.at(s.c, at).End(p.ctx, s.id), "DELETE at replica %d", at)
		if !p.until(func() bool { _, ended := inbox.Got(nil); return ended != nil }) {
			p.wrongf(verdict.After, "", "the stream at replica %d goes on after DELETE at replica %d", stream, at)
		}
		for i := range p.Replicas {
			if !p.until(func() bool { return p.notFound(p.at(s.c, i), s.id) }) {
				p.wrongf(verdict.Wrong, "", "replica %d knows a session after DELETE at replica %d", i, at)
			}
		}
	}
}

// strangers uses the session of somebody else.
func strangers(p *paper) {
	s := p.session(p.conn(-1, "2025-11-25"))
	for i := range p.Replicas {
		c := *p.at(s.c, i)
		p.mustf(c.Call(p.ctx, s.id, "ping", map[string]any{}, nil), "ping at replica %d", i)
		c.User = "stranger"
		if !p.notFound(&c, s.id) {
			p.wrongf(verdict.Wrong, "", "replica %d lets somebody else use a session", i)
		}
		if inbox, err := c.Stream(p.ctx, s.id, ""); err == nil {
			inbox.Close()
			p.wrongf(verdict.Wrong, "", "replica %d gives somebody else the stream of a session", i)
		}
	}
}

// rights takes away what allows to read a secret, and gives it again.
func rights(p *paper) {
	for _, a := range p.perm() {
		order := p.perm()
		b, w := order[0], order[1%len(order)]
		id := 1 + p.places.Add(1)%24
		uri := URI("secret", id)
		writer := p.conn(w, client.Modern)
		grant := func(revoked bool) {
			_, err := writer.Tool(p.ctx, "", "grant", map[string]any{"id": id, "subject": p.user, "revoked": revoked})
			p.mustf(err, "grant")
		}
		tell := func() {
			_, err := p.write(w, "secret", id)
			p.mustf(err, "write %s", uri)
		}
		grant(false)
		listen, err := p.conn(a, client.Modern).Listen(p.ctx, map[string]any{"resourceSubscriptions": []string{uri}})
		p.mustf(err, "listen at replica %d", a)
		s := p.session(p.conn(b, "2025-11-25"))
		stream, err := p.at(s.c, a).Stream(p.ctx, s.id, "")
		p.mustf(err, "stream at replica %d", a)
		p.mustf(p.at(s.c, b).Call(p.ctx, s.id, "resources/subscribe", map[string]any{"uri": uri}, nil), "subscribe")
		time.Sleep(grace)
		streams := map[string]*client.Inbox{"listen": listen, "session": stream}
		had := map[string]int{}
		count := func() {
			for name, inbox := range streams {
				got, _ := inbox.Got(client.Updated(uri))
				had[name] = len(got)
			}
		}
		count()
		tell()
		for name, inbox := range streams {
			if !p.more(inbox, client.Updated(uri), had[name]) {
				p.wrongf(verdict.Unheard, uri, "%s at replica %d, written through replica %d", name, a, w)
			}
		}
		grant(true)
		time.Sleep(200 * time.Millisecond)
		count()
		tell()
		time.Sleep(grace)
		for name, inbox := range streams {
			if got, _ := inbox.Got(client.Updated(uri)); len(got) > had[name] {
				p.wrongf(verdict.Foreign, uri, "%s at replica %d was told after its right was taken away", name, a)
			}
		}
		if text, err := p.conn(b, client.Modern).Read(p.ctx, "", uri); err == nil {
			p.wrongf(verdict.Wrong, uri, "replica %d lets it be read without the right: %s", b, text)
		}
		listen.Close()
		stream.Close()
	}
}
