package deliver

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/lease"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/rights"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// readers is how many goroutines read events for subscriptions.
const readers = 8

// lateness is how long an expired subscription is kept, because the clocks of other replicas may be behind.
const lateness = 10 * time.Minute

// sweep is how often the program is asked for the rights of all principals, also of those that get no events.
const sweep = time.Hour

// Engine delivers events. It is safe for concurrent use.
type Engine struct {
	o        Options
	run      *running
	attempts sync.WaitGroup

	source source
	lessor *lease.Lessor
	loader *loader

	mu     sync.Mutex
	subs   map[string]*sub
	queue  *queue
	names  *names
	shards *shards
	saver  *saver
	slow   *slowReads
	budget budget
	swept  time.Time // when the program was last asked for the rights of all principals
	stats  stats.Webhooks
}

// New returns an engine that delivers nothing before Start.
func New(o Options) *Engine {
	o = o.withDefaults()
	e := &Engine{o: o, run: newRunning(), subs: map[string]*sub{}, budget: newBudget(o)}
	e.stats.Failures = map[string]int64{}
	e.queue = newQueue(&e.mu)
	e.names = newNames(&e.mu, e.run, e.queue)
	e.slow = newSlowReads(&e.mu, e.queue)
	e.slow.more = func() { e.run.loops.Go(e.read) }
	e.saver = newSaver(&e.mu, e.run, o.Store, e.queue)
	e.saver.dropLocked = e.dropLocked
	e.shards = newShards(&e.mu)
	e.shards.save, e.shards.left = e.saver.all, e.sweep
	e.loader = newLoader(&e.mu, e.run, o, e.shards)
	e.loader.apply, e.loader.tick = e.Apply, e.names.tick
	e.lessor = lease.New(o.Store, rand.Text(), o.Lease, e.shards)
	e.source = source{e.run, rights.New(rights.Options[*sub]{
		Ask: o.Principal, For: o.RightsFor, Gone: o.Erase, Again: e.queue.stir, Life: e.run.life,
		Waits: func(s *sub) bool {
			e.mu.Lock()
			defer e.mu.Unlock()
			return !s.gone
		},
		Failed: func(subject string, err error) {
			e.run.complain("the rights of a principal are not known, and nothing is delivered to it", err, "principal", subject)
		},
	})}
	return e
}

// Start begins to deliver. It is called once.
func (e *Engine) Start(h event.Host) {
	e.mu.Lock()
	e.queue.startLocked()
	e.mu.Unlock()
	loops := slices.Repeat([]func(){e.read}, readers)
	e.run.start(h, append(loops, e.saver.loop, e.names.loop, e.turn, e.loader.load, e.loader.poll, e.tidy)...)
}

// Wake says that there may be new events of a name. It does not block.
func (e *Engine) Wake(name string) { e.names.wake(name) }

// tidy removes what has expired, at intervals.
func (e *Engine) tidy() {
	for e.run.wait(nil, 30*time.Second) {
		now := time.Now()
		e.mu.Lock()
		hopeless, expired := e.tidyLocked(now)
		e.mu.Unlock()
		signal(e.saver.wanted)
		e.run.forget(expired)
		for s, why := range hopeless {
			e.end(s, why)
		}
		ctx, cancel := context.WithTimeout(e.run.life, patience)
		if _, err := e.o.Store.Expire(ctx, now.Add(-lateness), 1000); err != nil {
			e.run.complain("the store of subscriptions fails", err)
		}
		cancel()
	}
}

// tidyLocked looks for subscriptions to end: hopeless are those whose callbacks have failed for too long, and expired
// are the ids of those that it has dropped.
func (e *Engine) tidyLocked(now time.Time) (hopeless map[*sub]*event.Error, expired []string) {
	hopeless = map[*sub]*event.Error{}
	for id, s := range e.subs {
		if s.def.Expired(now.Add(-lateness)) {
			expired = append(expired, id)
			e.dropLocked(s)
			continue
		}
		s.stir() // in case a signal was lost
		e.queue.pushLocked(s)
		if s.p.At != s.saved {
			e.saver.dirtyLocked(s)
		}
		failing := s.suspended() && !s.p.FailedSince.IsZero() && now.Sub(s.p.FailedSince) > e.o.GiveUp
		if failing && s.def.Expires.IsZero() && s.def.State == event.Live {
			hopeless[s] = &event.Error{
				Kind: event.CallbackEndpoint, Message: "the callback has failed for too long", Reason: lastError(s.p.LastError),
			}
		}
	}
	e.budget.tidy(now)
	e.source.rights.Tidy()
	if now.Sub(e.swept) >= sweep {
		e.swept = now
		for _, s := range e.subs {
			e.source.rights.Await(s.def.Principal, s)
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

// turn renews the leases of this replica, and takes or gives up shards.
func (e *Engine) turn() {
	for {
		if err := e.lessor.Turn(e.run.life); err != nil {
			e.run.complain("the store of subscriptions fails", err)
		}
		if !e.run.wait(nil, e.o.Lease/4) {
			return
		}
	}
}

// Close ends the goroutines of the engine, after the attempts under way. Then it saves progress and gives the leases
// back, unless ctx has ended before. It returns at the latest when ctx ends.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	was := e.queue.closeLocked()
	e.mu.Unlock()
	if was || e.run.host == nil {
		return nil
	}
	err := await(ctx, &e.attempts)
	e.run.stop()
	err = errors.Join(err, await(ctx, &e.run.loops), await(ctx, e.source.rights.Close()))
	if err == nil {
		e.saver.all(ctx)
		err = e.lessor.GiveBack(ctx)
	}
	return err
}

// Stats returns the numbers of this replica.
func (e *Engine) Stats() stats.Webhooks {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := e.stats
	out.Subscriptions, out.Shards, out.ShardsTaken = int64(len(e.subs)), int64(len(e.shards.held)), e.shards.taken
	out.InFlight = int64(e.budget.all.taken)
	for _, s := range e.subs {
		if s.suspended() {
			out.Suspended++
		}
	}
	out.Failures = maps.Clone(e.stats.Failures)
	return out
}
