package mcpevent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

func revocable(in *incident) *atomic.Bool {
	var revoked atomic.Bool
	in.Guard = &mcprt.Guard{Access: mcprt.Access{Policies: []mcprt.Policy{func(*mcprt.Call) error {
		if revoked.Load() {
			return errors.New("no more")
		}
		return nil
	}}}}
	return &revoked
}

func TestStreamEnds(t *testing.T) {
	t.Attr("requirements", "event-stream-end event-recheck")
	in := incidents()
	revoked := revocable(in)
	srv := serverOf(t, nil, in)
	c := mcptest.New(t, srv)
	s := open(t, c, `"x1"`, "", "")
	s.want("active", "")
	commit(t, in, "a", "api", 1)
	s.want("event", `"a"`)
	revoked.Store(true)
	commit(t, in, "b", "api", 1)
	s.want("terminated", `"error":{"code":-32023`)
	s.want("result", `"resultType":"complete"`)
	revoked.Store(false)
	s = open(t, c, `"x2"`, "", "")
	s.want("active", "")
	go func() { _ = srv.Close() }()
	s.want("result", "")
}

func TestStreamEndsMeanwhile(t *testing.T) {
	in := incidents()
	revoked := revocable(in)
	match := in.Match
	in.Match = func(f wanted, e *opened) bool {
		revoked.Store(e.ID == "b")
		return match(f, e)
	}
	c := mcptest.New(t, serverOf(t, nil, in))
	s := open(t, c, `"x1"`, "", "")
	s.want("active", "")
	commit(t, in, "a", "api", 1)
	s.want("event", `"a"`)
	commit(t, in, "b", "api", 1)
	s.want("terminated", `"error":{"code":-32023`)
	s.want("result", `"resultType":"complete"`)
}

func TestStreamUndecided(t *testing.T) {
	for name, fail := range map[string]func() error{
		"panic": func() error { panic("the database is away") },
		"late":  func() error { return fmt.Errorf("database: %w", context.DeadlineExceeded) },
	} {
		t.Run(name, inBubble(func(t *testing.T) {
			in := incidents()
			var fails atomic.Int32
			in.Guard = &mcprt.Guard{Access: mcprt.Access{Policies: []mcprt.Policy{func(*mcprt.Call) error {
				if fails.Add(-1) == 0 {
					return fail()
				}
				return nil
			}}}}
			c := mcptest.New(t, serverOf(t, nil, in))
			s := open(t, c, `"x1"`, "", "")
			s.want("active", "")
			synctest.Wait() // the policy is asked no more
			fails.Store(1)
			commit(t, in, "a", "api", 1)
			s.want("error", `"code":-32603`)
			fails.Store(2) // between the two events
			for _, id := range []string{"b", "c"} {
				commit(t, in, id, "api", 1)
			}
			for _, id := range []string{"a", "b", "c"} {
				kind, text := s.next()
				for ; kind == "error"; kind, text = s.next() { // again, while one was collected
				}
				if kind != "event" || !strings.Contains(text, `"eventId":"`+id) {
					t.Fatalf("got %s %s, want the event %s", kind, text, id)
				}
			}
		}))
	}
}

func TestStreamSlowPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := incidents()
		var slow atomic.Bool
		in.Guard = &mcprt.Guard{Access: mcprt.Access{Policies: []mcprt.Policy{func(c *mcprt.Call) error {
			if slow.CompareAndSwap(true, false) {
				<-c.Done()
				return c.Err()
			}
			return nil
		}}}}
		s := open(t, mcptest.New(t, serverOf(t, nil, in)), `"x1"`, "", "")
		s.want("active", "")
		slow.Store(true)
		commit(t, in, "a", "api", 1)
		s.want("error", `"code":-32603`)
		s.want("event", `"eventId":"a"`)
	})
}
