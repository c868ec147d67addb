package shared

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

// Become makes this process the holder of the notification stream of x. again is true if another process was the holder
// before, so that the client may have missed changes.
func (s *Store) Become(ctx context.Context, x *sessions.Session) (again bool, why *web.Refusal) {
	var before string
	err := s.change(ctx, x, func(r *record) error {
		before = r.holder
		if before == s.of.ids.replica {
			return errSame
		}
		r.holder = s.of.ids.replica
		return nil
	})
	if err != nil {
		return false, s.refusalOf(err)
	}
	if _, _, age := recordOf(x).get(); age > freshFor { // a signal of a change came before this was the holder
		s.suspect(x, 0)
	}
	if before == s.of.ids.replica {
		return false, nil
	}
	s.signal(x)
	return before != "" && !failpoint.On("session-move-silent"), nil
}

// Apply makes the subscriptions of x those in the record, if this process is the holder. Otherwise it removes them and
// ends the notification stream of x, because another process has a newer one.
func (s *Store) Apply(x *sessions.Session) {
	recordOf(x).applying.Lock()
	defer recordOf(x).applying.Unlock()
	r, _, _ := recordOf(x).get()
	if r.holder == s.of.ids.replica {
		server.SetSubscriptions(s.of.srv, x.MCP, r.uris)
		return
	}
	server.SetSubscriptions(s.of.srv, x.MCP, nil)
	if !failpoint.On("session-old-stream-stays") {
		s.yield(x)
	}
}

// yield ends the notification stream of x.
func (s *Store) yield(x *sessions.Session) {
	if t := x.HasStreams(); t != nil {
		t.Notifications.BreakOff()
	}
}

// signal tells the other processes that the record of x has changed.
func (s *Store) signal(x *sessions.Session) { server.SignalSession(s.of.srv, recordOf(x).key.Text()) }

// resyncSpread is the time over which the reading of all records is spread after signals may have been lost.
const resyncSpread = 2 * time.Second

// suspect notes that the record of x may have changed. If this process is the holder, it reads the record again, after
// a random time of at most spread. Other processes read it when they need it.
func (s *Store) suspect(x *sessions.Session, spread time.Duration) {
	recordOf(x).doubt()
	r, _, _ := recordOf(x).get()
	if r.holder != s.of.ids.replica || recordOf(x).reloading.Add(1) > 1 {
		return
	}
	var in time.Duration
	if spread > 0 {
		in = rand.N(spread) //nolint:gosec // not a secret
	}
	time.AfterFunc(in, func() { s.follows(x) })
}

// maxReloads is how often the holder tries to read a record before it ends the notification stream.
const maxReloads = 6

// follows reads the record of x, and again as long as there are signs of further changes. If that fails too often, it
// ends the stream of the client. The client then opens another one.
func (s *Store) follows(x *sessions.Session) {
	for failed := 0; ; {
		reasons := recordOf(x).reloading.Load()
		switch err := s.reload(context.Background(), x, -1); {
		case errors.Is(err, errEnded) || x.Over():
			return // what has ended needs no further reload
		case err == nil:
			s.Apply(x)
			if failpoint.On("session-reload-lost-wakeup") {
				reasons = recordOf(x).reloading.Load()
			}
			if recordOf(x).reloading.CompareAndSwap(reasons, 0) {
				return
			}
			failed = 0
		case failed == maxReloads:
			s.yield(x)
			recordOf(x).reloading.Store(0)
			return
		default:
			failed++
			time.Sleep(100 * time.Millisecond << failed)
		}
	}
}
