package exam

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
)

// levels sets the log level of a session at one replica, and lets all log something.
func levels(p *paper) {
	s := p.session(p.conn(-1, revisions[p.random.IntN(len(revisions))]))
	for i, level := range []string{"warning", "debug", "error"} {
		at := p.perm()[0]
		p.mustf(p.at(s.c, at).Call(p.ctx, s.id, "logging/setLevel", map[string]any{"level": level}, nil),
			"set the level at replica %d", at)
		time.Sleep(grace)
		for _, logs := range p.perm() {
			inbox, err := p.at(s.c, logs).Begin(p.ctx, s.id, "say", map[string]any{"key": p.key("say")}, 10+i)
			p.mustf(err, "call at replica %d", logs)
			_, err = inbox.Await(p.ctx, p.bound(), client.Is(""))
			p.mustf(err, "response of replica %d", logs)
			had := map[string]bool{}
			got, _ := inbox.Got(client.Is("notifications/message"))
			for _, m := range got {
				had[m.Level] = true
			}
			if !had["error"] || had["info"] != (level == "debug") {
				p.wrongf(verdict.Wrong, "", "replica %d logs %v, and the level that was set at replica %d is %s", logs, had, at,
					level)
			}
			inbox.Close()
		}
	}
}

// listKinds are the notifications of the lists that change in this fleet.
var listKinds = []string{"notifications/resources/list_changed", "notifications/tools/list_changed"}

// moved opens the stream of a session at one replica after the other, half of the times behind the last event. Nobody
// knows what it has missed, so all its lists are announced.
func moved(p *paper) {
	p.lists.Lock() // a list that changes is announced too
	defer p.lists.Unlock()
	time.Sleep(grace)
	for n := range 4 {
		s := p.session(p.conn(-1, revisions[p.random.IntN(len(revisions))]))
		last := ""
		for i, at := range p.perm() {
			inbox, err := p.at(s.c, at).Stream(p.ctx, s.id, last)
			p.mustf(err, "stream at replica %d", at)
			if i == 0 { // there is nothing that it can have missed
				p.pause(grace)
				continue
			}
			for _, kind := range listKinds {
				m, err := inbox.Await(p.ctx, p.bound(), client.Is(kind))
				if err != nil {
					p.wrongf(verdict.Unheard, kind, "a stream that moves to replica %d, behind event %q: %v", at, last, err)
					return
				}
				if n%2 == 1 {
					last = m.Event
				}
			}
		}
	}
}

// sealed uses a session of a fleet without a store at all replicas, and deletes it at one of them. Then it is gone at
// all.
func sealed(p *paper) {
	for _, home := range p.perm() {
		s := p.session(p.conn(home, revisions[p.random.IntN(len(revisions))]))
		for i := range p.Replicas {
			c := p.at(s.c, i)
			p.mustf(c.Call(p.ctx, s.id, "ping", map[string]any{}, nil), "ping at replica %d", i)
			err := c.Call(p.ctx, s.id, "resources/subscribe", map[string]any{"uri": URI("note", 1)}, nil)
			if want := i != home; isNotFound(err) != want {
				p.wrongf(verdict.Wrong, "", "replica %d is asked to subscribe in a session of replica %d: %v", i, home, err)
			}
		}
		at := p.perm()[0]
		p.mustf(p.at(s.c, at).End(p.ctx, s.id), "DELETE at replica %d", at)
		for i := range p.Replicas {
			if !p.until(func() bool { return p.notFound(p.at(s.c, i), s.id) }) {
				p.wrongf(verdict.Wrong, "", "replica %d knows a session after DELETE at replica %d", i, at)
				return
			}
		}
	}
}

// notFound reports whether a replica says that it does not know a session.
func (p *paper) notFound(c *client.Conn, id string) bool {
	return isNotFound(c.Call(p.ctx, id, "ping", map[string]any{}, nil))
}

func isNotFound(err error) bool {
	status, ok := errors.AsType[*client.StatusError](err)
	return ok && status.Code == http.StatusNotFound
}

// closes writes through a replica that is asked to end before the commits. It is not started again before the others
// have told of each.
func closes(p *paper) {
	for _, one := range p.perm()[:2] {
		notes := p.own(4)
		var uris []string
		for _, n := range notes {
			uris = append(uris, URI("note", n))
		}
		var told []*client.Inbox
		for _, i := range p.perm() {
			if i == one {
				continue
			}
			inbox, err := p.conn(i, client.Modern).Listen(p.ctx, map[string]any{"resourceSubscriptions": uris})
			p.mustf(err, "listen at replica %d", i)
			told = append(told, inbox)
		}
		var all sync.WaitGroup
		for k, n := range notes {
			all.Go(func() {
				args := map[string]any{"kind": "note", "number": n, "value": p.key("closing"), "wait": 300 + 5*k}
				if _, err := p.conn(one, client.Modern).Tool(p.ctx, "", "edit", args); err != nil {
					p.wrongf(verdict.Refused, URI("note", n), "write through replica %d, which ends meanwhile: %v", one, err)
				}
			})
		}
		time.Sleep(150 * time.Millisecond)
		p.Stop(one)
		all.Wait()
		for i, inbox := range told {
			for _, uri := range uris {
				if _, err := inbox.Await(p.ctx, p.bound(), client.Updated(uri)); err != nil {
					p.wrongf(verdict.Unheard, uri, "listen %d, written through replica %d while it closed: %v", i, one, err)
					break
				}
			}
			inbox.Close()
		}
		p.mustf(p.Start(p.ctx, one), "start replica %d again", one)
	}
}

// follower is a stream that is told of lists.
type follower struct {
	what  string
	inbox *client.Inbox
	had   map[string]int
}

// followers opens a listen and a session at each replica.
func (p *paper) followers() (all []*follower) {
	for i := range p.Replicas {
		inbox, err := p.conn(i, client.Modern).Listen(p.ctx, map[string]any{
			"resourcesListChanged": true, "toolsListChanged": true,
		})
		p.mustf(err, "listen at replica %d", i)
		all = append(all, &follower{fmt.Sprint("listen at replica ", i), inbox, map[string]int{}})
		s := p.session(p.conn(p.perm()[0], "2025-11-25"))
		inbox, err = p.at(s.c, i).Stream(p.ctx, s.id, "")
		p.mustf(err, "stream at replica %d", i)
		all = append(all, &follower{fmt.Sprint("session at replica ", i), inbox, map[string]int{}})
	}
	return all
}
