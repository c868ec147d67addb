package deliver

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/lease"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/rights"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// readers is how many goroutines read for subscriptions. A read that takes longer than soon, as with a policy that
// does, has another goroutine step in. There are at most mostSlow such reads, and while a principal has slowEach of
// them, its other subscriptions wait.
const (
	readers  = 8
	soon     = 100 * time.Millisecond
	mostSlow = 128
	slowEach = 4
)

// patience is how long the store and the log may take for a call.
const patience = 10 * time.Second

// lateness is how long what has expired stays: others have other clocks.
const lateness = 10 * time.Minute

// sweep is how often it is asked for principals that get no events.
const sweep = time.Hour

// Engine delivers events. It is safe for concurrent use.
type Engine struct {
	o        Options
	store    event.Store
	host     event.Host
	log      *slog.Logger
	sparse   safelog.Sparse
	life     context.Context    // of what runs
	stop     context.CancelFunc // ends it
	loops    sync.WaitGroup
	attempts sync.WaitGroup
	saver    chan struct{} // something is to be saved
	waker    chan struct{} // a name is woken
	poller   chan struct{} // the store has changed
	loader   chan struct{} // shards were taken over

	lessor *lease.Lessor
	rights *rights.Book[*sub]

	mu     sync.Mutex
	some   *sync.Cond // the queue is not empty, or the engine is closed
	closed bool
	subs   map[string]*sub
	names  map[string]*name
	shards map[int]*shard  // of this replica
	after  uint64          // the version up to which changes of loaded shards are known
	loads  int             // counts the times that shards were loaded
	woken  map[string]bool // names to look at; true if somebody has said that there is more
	queue  []*sub
	slow   map[string]int // reads that take long, by principal
	slowly int            // all of them
	timers timers
	alarm  *time.Timer // for the first of timers
	dirty  map[*sub]struct{}
	budget budget
	swept  time.Time // when all principals were asked for
	stats  stats.Webhooks
}

// New returns an engine that delivers nothing before Start.
func New(o Options) *Engine {
	e := &Engine{
		o: o.withDefaults(), store: o.Store,
		saver: make(chan struct{}, 1), waker: make(chan struct{}, 1), poller: make(chan struct{}, 1),
		loader: make(chan struct{}, 1),
		subs:   map[string]*sub{}, names: map[string]*name{}, shards: map[int]*shard{},
		woken: map[string]bool{}, dirty: map[*sub]struct{}{}, slow: map[string]int{},
	}
	e.budget = newBudget(e.o)
	e.lessor = lease.New(e.store, rand.Text(), e.o.Lease, e)
	e.some = sync.NewCond(&e.mu)
	e.stats.Failures = map[string]int64{}
	e.life, e.stop = context.WithCancel(context.Background())
	e.rights = rights.New(rights.Options[*sub]{
		Ask: o.Principal, For: e.o.RightsFor, Gone: o.Erase, Again: func(all []*sub) { push(e, all) }, Life: e.life,
		Waits: func(s *sub) bool {
			e.mu.Lock()
			defer e.mu.Unlock()
			return !s.gone
		},
		Failed: func(subject string, err error) {
			e.complain("the rights of a principal are not known, and nothing is delivered to it", err, "principal", subject)
		},
	})
	return e
}

// Start begins to deliver. It is called once.
func (e *Engine) Start(h event.Host) {
	e.host, e.log = h, safelog.New(h.Logger())
	e.mu.Lock()
	e.alarm = time.AfterFunc(time.Hour, e.ring)
	e.mu.Unlock()
	for range readers {
		e.loops.Go(e.read)
	}
	for _, loop := range []func(){e.save, e.wake, e.turn, e.load, e.poll, e.tidy} {
		e.loops.Go(loop)
	}
}

// signal wakes the one who waits for c.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// wait waits for a signal, at most for a time unless it is 0. It is false at the end of the engine.
func (e *Engine) wait(c chan struct{}, most time.Duration) bool {
	var after <-chan time.Time
	if most > 0 {
		t := time.NewTimer(most)
		defer t.Stop()
		after = t.C
	}
	select {
	case <-c:
	case <-after:
	case <-e.life.Done():
		return false
	}
	return e.life.Err() == nil
}

// tidy does what is to be done now and then.
func (e *Engine) tidy() {
	for e.wait(nil, 30*time.Second) {
		now := time.Now()
		e.mu.Lock()
		hopeless, expired := tidyLocked(e, now)
		e.mu.Unlock()
		signal(e.saver)
		forget(e.host, expired)
		for s, why := range hopeless {
			e.end(s, why)
		}
		ctx, cancel := context.WithTimeout(e.life, patience)
		if _, err := e.store.Expire(ctx, now.Add(-lateness), 1000); err != nil {
			e.complain("the store of subscriptions fails", err)
		}
		cancel()
	}
}

// tidyLocked looks at all subscriptions. It returns those that have failed for too long, and the ids of those that have
// expired and are dropped.
func tidyLocked(e *Engine, now time.Time) (hopeless map[*sub]*event.Error, expired []string) {
	hopeless = map[*sub]*event.Error{}
	for id, s := range e.subs {
		if s.def.Expired(now.Add(-lateness)) {
			expired = append(expired, id)
			e.dropLocked(s)
			continue
		}
		s.stir() // what was said and not heard
		e.pushLocked(s)
		if s.p.At != s.saved {
			e.dirtyLocked(s)
		}
		failing := s.suspended() && !s.p.FailedSince.IsZero() && now.Sub(s.p.FailedSince) > e.o.GiveUp
		if failing && s.def.Expires.IsZero() && s.def.State == event.Live {
			hopeless[s] = &event.Error{
				Kind: event.CallbackEndpoint, Message: "the callback has failed for too long", Reason: lastError(s.p.LastError),
			}
		}
	}
	e.budget.tidy(now)
	e.rights.Tidy()
	if now.Sub(e.swept) >= sweep {
		e.swept = now
		for _, s := range e.subs {
			e.rights.Await(s.def.Principal, s)
		}
	}
	return hopeless, expired
}

func lastError(word string) string {
	if word == "" {
		return "timeout"
	}
	return word
}

// turn keeps the share of this replica.
func (e *Engine) turn() {
	for {
		if err := e.lessor.Turn(e.life); err != nil {
			e.complain("the store of subscriptions fails", err)
		}
		if !e.wait(nil, e.o.Lease/4) {
			return
		}
	}
}

// complain logs an error of the store or the log.
func (e *Engine) complain(what string, err error, of ...any) {
	if e.life.Err() == nil {
		e.sparse.Log(e.log, slog.LevelError, what, append(of, "err", err)...)
	}
}

// Close ends what runs, and gives the leases back. It returns at the latest when ctx ends.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	was := e.closed
	e.closed = true
	if e.alarm != nil {
		e.alarm.Stop()
	}
	e.some.Broadcast()
	e.mu.Unlock()
	if was || e.host == nil {
		return nil
	}
	err := await(ctx, &e.attempts)
	e.stop()
	err = errors.Join(err, await(ctx, &e.loops), await(ctx, e.rights.Close()))
	if err == nil {
		e.saveAll(ctx)
		err = e.lessor.GiveBack(ctx)
	}
	return err
}

// await waits for a group, until ctx ends.
func await(ctx context.Context, g *sync.WaitGroup) error {
	done := make(chan struct{})
	go func() { g.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stats returns the numbers of this replica.
func (e *Engine) Stats() stats.Webhooks {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := e.stats
	out.Subscriptions, out.Shards = int64(len(e.subs)), int64(len(e.shards))
	out.InFlight = int64(e.budget.all.taken)
	for _, s := range e.subs {
		if s.suspended() {
			out.Suspended++
		}
	}
	out.Failures = maps.Clone(e.stats.Failures)
	return out
}
