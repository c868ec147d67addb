package attack

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"sync"
	"time"
)

// crowd is how many hostile clients open their connections at the same time.
const crowd = 64

// enter puts the clients of a group in place: they have sent what they send, and read what they read.
func (r *run) enter(ctx context.Context, g *Clients) {
	n := g.N
	if r.config.Full && g.Full > 0 {
		n = g.Full
	}
	if r.lines != nil {
		r.placeLines(g, n)
		return
	}
	r.openSessions(ctx, g, n)
	if g.Drops && r.own {
		r.drops.start(ctx, r.proc)
	}
	work, done := make(chan int), make(chan placed, n)
	var group sync.WaitGroup
	workers := min(crowd, n)
	if g.AtOnce {
		workers = n
	}
	for range workers {
		group.Go(func() {
			for i := range work {
				if c := r.placeOne(ctx, g, i); c.conn != nil {
					done <- c
				}
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		work <- i
	}
	close(work)
	group.Wait()
	close(done)
	for c := range done {
		r.conns = append(r.conns, c)
	}
	r.tasks = r.made
}

// from is the address of client i of a group.
func (g *Clients) from(i int) string {
	return fmt.Sprintf("127.0.0.%d", max(g.First, 1)+i%max(g.Addresses, 1))
}

// openSessions opens the sessions of a group.
func (r *run) openSessions(ctx context.Context, g *Clients, n int) {
	if g.Opens == 0 || r.to.transport != Sessions && r.to.transport != Events {
		return
	}
	k := g.Opens
	if k == OneEach {
		k = n
	}
	r.closeStreams(false)
	r.session = make([]address, k)
	if r.to.transport == Events {
		r.openStreams(ctx, g)
		return
	}
	// One connection for each address, which the clients of the address share.
	var group sync.WaitGroup
	for from := range max(g.Addresses, 1) {
		group.Go(func() {
			var c *conn
			for i := from; i < k && ctx.Err() == nil; i += max(g.Addresses, 1) {
				var err error
				if c == nil {
					if c, err = r.dial(ctx, g.from(from)); err != nil {
						r.result.note("no connection", "")
						continue
					}
				}
				if r.session[i], err = r.as(g, i).open(c, r.row.revision()); err != nil {
					r.result.note("no session", err.Error())
					_ = c.Close()
					c = nil
				}
			}
			if c != nil {
				_ = c.Close()
			}
		})
	}
	group.Wait()
}

// as is the way of client i of a group, with its subject.
func (r *run) as(g *Clients, i int) *way {
	w := *r.way
	if g.Subject != "" {
		w.to.header = g.caller(i)
	}
	return &w
}

// openStreams is openSessions over HTTP+SSE.
func (r *run) openStreams(ctx context.Context, g *Clients) {
	var group sync.WaitGroup
	for from := range crowd {
		group.Go(func() {
			for i := from; i < len(r.session) && ctx.Err() == nil; i += crowd {
				var err error
				r.session[i], err = r.as(g, i).openEvents(ctx, g.from(i), r.row.revision(), g.Small)
				if err != nil {
					r.result.note("no session", err.Error())
				}
			}
		})
	}
	group.Wait()
}

// closeStreams closes the streams of sessions of HTTP+SSE, or breaks them.
func (r *run) closeStreams(breaks bool) {
	for i := range r.session {
		switch e := r.session[i].events; {
		case e == nil:
		case breaks:
			e.reset()
		default:
			_ = e.Close()
		}
	}
}

// dropAfter is how long a client waits that drops its connection, so that the server has read what was sent last. How
// long the server takes to begin is not a matter of time: see drops.
const dropAfter = 50 * time.Millisecond

// stall is how long a client tries to write to a server that does not read.
const stall = 2 * time.Second

// placeOne puts client i in place. Its connection is nil if it has none.
func (r *run) placeOne(ctx context.Context, g *Clients, i int) (p placed) {
	if g.Flood == NoHandshake {
		return r.placePlain(ctx, g, i)
	}
	c, err := r.dialWindow(ctx, g.from(i), g.window())
	if err != nil {
		r.result.note("no connection", "")
		return placed{}
	}
	if g.Small {
		c.limit()
	}
	to := r.toOf(g, i)
	p = placed{conn: c, then: g.Then, to: to, from: g.from(i)}
	if g.Flood != NoFlood {
		c.flood(g, &to, i)
		return p
	}
	if g.Leaves {
		defer func() {
			_ = c.Close()
			p.conn = nil
		}()
	}
	begins := func() {}
	if g.Drops {
		r.drops.sent.Add(1)
		begins = sync.OnceFunc(func() { r.drops.await(ctx, r, c) })
		defer func() {
			begins()
			time.Sleep(dropAfter)
			c.reset()
			p.conn = nil
		}()
	}
	r.converse(ctx, g, i, &p, begins)
	return p
}

// converse has client i send its messages and read the responses. begins is called before what is ahead of one.
func (r *run) converse(ctx context.Context, g *Clients, i int, p *placed, begins func()) {
	times := max(g.Times, 1)
	for k := range times {
		for j := range g.Send {
			n := (i*times+k)*len(g.Send) + j
			if !p.send(g.Send[j].text(&p.to, n), stall) {
				return
			}
			if a := g.Send[j].Ahead; a != "" {
				begins()
				time.Sleep(dropAfter)
				p.send(a, stall)
			}
			p.asked = &g.Send[j]
			id := g.Send[j].reads(n)
			if g.Read == Nothing {
				p.left = append(p.left, id)
				continue
			}
			again := ""
			if g.Until != "" {
				again = g.Send[j].text(&p.to, n)
			}
			kind, message := r.heard(ctx, g, p, id, again)
			if p.answer = message; g.Keeps {
				r.keep(message)
			}
			if kind == "closed" || kind == "late" {
				return
			}
		}
	}
}

// toOf is where client i of a group sends its messages, and as whom.
func (r *run) toOf(g *Clients, i int) address {
	to := r.to
	switch {
	case g.Modern:
		to.transport = Modern
	case len(r.session) > 0:
		to = r.session[i%len(r.session)]
	}
	if g.Subject != "" {
		to.header = g.caller(i)
	}
	to.tasks = r.tasks
	return to
}

// caller are the headers of client i with a subject.
func (g *Clients) caller(i int) []string {
	return []string{"Authorization: Bearer " + expand(g.Subject, i%max(g.Addresses, 1))}
}

// window is how much of each response the server may send over HTTP/2 before a client has read; nil for the most.
func (g *Clients) window() *uint32 {
	var n uint32
	switch {
	case g.Closed:
	case g.Small:
		n = 64<<10 - 1
	default:
		return nil
	}
	return &n
}

var taskID = regexp.MustCompile(`"taskId":"([^"]+)"`)

// keep remembers the task of a reply.
func (r *run) keep(message string) {
	if m := taskID.FindStringSubmatch(message); m != nil {
		r.kept.Lock()
		defer r.kept.Unlock()
		r.made = append(r.made, m[1])
	}
}

// reply reads the response to a request, wherever it comes.
func (p *placed) reply(id string, how Reading) (kind, message string) {
	if p.to.events != nil {
		return p.to.events.reply(p.conn, id, how)
	}
	kind, _, message = p.read(how)
	return kind, message
}

// placeLines sends on the pipe of stdio what the clients of a group send.
func (r *run) placeLines(g *Clients, n int) {
	for i := range n * max(g.Times, 1) {
		for j := range g.Send {
			m := &g.Send[j]
			if g.Read == Reply && m.ID == "" {
				to := r.toOf(g, i)
				kind, text := r.lines.call(m, &to, r.patience)
				if r.result.note(kind, text); g.Keeps {
					r.keep(text)
				}
				continue
			}
			if !r.lines.send(m.text(&r.to, i), r.patience) {
				r.result.note("late", "")
				return
			}
		}
	}
}

// leave ends the hostile clients.
func (r *run) leave(ctx context.Context) {
	var group sync.WaitGroup
	deletes, breaks := false, false
	for _, p := range r.conns {
		deletes = deletes || p.then == Delete && p.to.events == nil
		breaks = breaks || p.then == Reset
		group.Go(func() {
			defer p.Close()
			_ = p.SetDeadline(time.Now().Add(r.patience))
			switch p.then {
			case Close, Delete:
			case Reset:
				p.reset()
			case HalfClose:
				p.closeWrite()
				r.drain(p)
			case Drain:
				r.drain(p)
			case Await:
				if p.to.events != nil {
					_ = p.Close() // it has its response, and may send more
				}
				r.awaitClosed()
			case Answer:
				r.answerQuestion(ctx, p)
			}
		})
	}
	group.Wait()
	r.conns = nil
	r.closeStreams(breaks)
	for i := range r.session {
		if !deletes {
			break
		}
		if c, err := r.dial(ctx, honestAddress); err == nil {
			r.exchange(c, &r.session[i], Message{Method: "DELETE"}, Head)
			_ = c.Close()
		}
	}
}

// awaitClosed waits until the server has closed all hostile connections. What a client reads would change what the
// server does, so that the descriptors of the process are counted.
func (r *run) awaitClosed() {
	r.closed.Do(func() {
		for late := time.Now().Add(r.patience); ; time.Sleep(20 * time.Millisecond) {
			now, err := r.proc.State(context.Background())
			if err != nil || now.Descriptors <= r.result.Before.Descriptors {
				return
			}
			if time.Now().After(late) {
				r.result.note("not closed", "")
				return
			}
		}
	})
}

// drain reads the responses that a client has not read.
func (r *run) drain(p placed) {
	for _, id := range p.left {
		kind, message := p.reply(id, Reply)
		r.result.note(kind, message)
		if kind == "closed" || kind == "late" {
			return
		}
	}
}

// mode returns the permissions of the socket, if there is one.
func (r *run) mode() string {
	if r.to.transport != Unix {
		return ""
	}
	info, err := os.Stat(r.proc.Address)
	if err != nil {
		return err.Error()
	}
	return info.Mode().Perm().String()
}
