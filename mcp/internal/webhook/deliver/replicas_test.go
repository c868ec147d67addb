package deliver

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/desk"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/egress"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/sign"
)

// Replicas divide the shards, and each event arrives once.
func TestReplicas(t *testing.T) {
	inBubble(t, func(w *world) {
		var engines []*replica
		for range 3 {
			e, _ := w.replica(Options{})
			engines = append(engines, e)
		}
		callbacks := w.crowd(engines, 60)
		time.Sleep(time.Minute)
		total := int64(0)
		for i, e := range engines {
			got := e.Stats()
			if total += got.Shards; got.Shards < event.Shards/3-2 || got.Shards > event.Shards/3+2 {
				w.Errorf("replica %d has %d shards", i, got.Shards)
			}
		}
		if total != event.Shards {
			w.Errorf("%d shards in all", total)
		}
		w.append("db", 20)
		time.Sleep(2 * time.Second)
		for _, c := range callbacks {
			w.all(c, 20, 0)
		}
		w.close(engines[0]) // the others need not wait for its leases
		w.append("db", 10)
		time.Sleep(7 * time.Second)
		for _, c := range callbacks {
			w.all(c, 30, 0)
		}
	})
}

// crowd subscribes callbacks of their own hosts, each by another replica.
func (w *world) crowd(engines []*replica, n int) (out []*callback) {
	w.Helper()
	for i := range n {
		url := fmt.Sprintf("https://h%d.test/", i)
		out = append(out, w.callback(url, nil))
		r := w.request(url, "")
		r.Caller.Subject = fmt.Sprint("user", i)
		if _, err := engines[i%len(engines)].Subscribe(w.Context(), r); err != nil {
			w.Fatal(err)
		}
	}
	time.Sleep(time.Second)
	return out
}

// Replicas are killed at any time, while events are sent and come back. Every event arrives, and repeats are at most
// those that were in flight at a kill.
func TestKills(t *testing.T) {
	inBubble(t, func(w *world) {
		const crowd, kills, events = 12, 10, 400
		var engines []*replica
		var kill []func()
		// The callbacks refuse one message in ten, by chance: none of 4,800 is to be given up for it.
		retries := slices.Repeat([]time.Duration{5 * time.Second}, 12)
		start := func() {
			e, k := w.replica(Options{Retries: retries})
			engines, kill = append(engines, e), append(kill, k)
		}
		for range 3 {
			start()
		}
		callbacks := w.crowd(engines, crowd)
		for _, c := range callbacks {
			c.answer = func(received) (int, time.Duration) {
				if rand.IntN(10) == 0 {
					return http.StatusServiceUnavailable, 10 * time.Millisecond
				}
				return http.StatusOK, time.Duration(rand.IntN(50)) * time.Millisecond
			}
		}
		sent := 0
		for range kills {
			for range events / kills {
				w.append("db", 1)
				sent++
				time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
			}
			i := rand.IntN(len(kill))
			kill[i]()
			engines, kill = slices.Delete(engines, i, i+1), slices.Delete(kill, i, i+1)
			start()
			time.Sleep(time.Duration(rand.IntN(20)) * time.Second)
		}
		time.Sleep(15 * time.Minute)
		for _, c := range callbacks {
			w.all(c, sent, kills*8)
			if _, kinds := w.got(c); len(kinds) != 0 {
				w.Errorf("told %v", kinds)
			}
		}
	})
}

// A replica that is silent and not dead finds that it has lost its shards, and what it writes late is not kept.
func TestLateOwner(t *testing.T) {
	inBubble(t, func(w *world) {
		var logs strings.Builder
		w.logs = slog.NewTextHandler(&logs, nil)
		c := w.callback(here, nil)
		e, _ := w.replica(Options{})
		g := w.subscribe(e, here, "")
		w.append("db", 3)
		time.Sleep(time.Second)
		_, old, _ := w.store.Get(w.Context(), g.ID)
		e.mu.Lock()
		s := e.subs[g.ID]
		e.mu.Unlock()
		late := s.progress()
		leases, _ := w.store.Leases(w.Context())
		for i := range leases {
			leases[i].Owner = "other"
		}
		if taken, err := w.store.Take(w.Context(), leases); err != nil || len(taken) != len(leases) {
			w.Fatal(taken, err)
		}
		newer := old.Clone()
		newer.Fence, newer.At.Seq = late.Fence+1, 9
		if _, err := w.store.Save(w.Context(), []*event.Progress{newer}); err != nil {
			w.Fatal(err)
		}
		w.append("db", 1)
		time.Sleep(4 * time.Second)
		if got := e.Stats(); got.Shards != 0 || got.Subscriptions != 0 {
			w.Errorf("stats %+v", got)
		}
		if _, p, _ := w.store.Get(w.Context(), g.ID); p.At.Seq != 9 {
			w.Errorf("the watermark is back at %d", p.At.Seq)
		}
		synctest.Wait() // the record is written
		if !strings.Contains(logs.String(), `msg="leases of webhooks are lost: another replica delivers`) {
			w.Errorf("logged %s", logs.String())
		}
		w.all(c, 4, 0)
	})
}

// gated is a store that has polls wait at its gate while that is shut, and the answers to loads while they are late.
type gated struct {
	event.Store

	shut, late atomic.Bool
	gate       chan struct{}
}

func (g *gated) Changed(ctx context.Context, shards []int, after uint64, limit int) ([]event.Stored, error) {
	if after > 0 && g.shut.Load() {
		<-g.gate
	}
	found, err := g.Store.Changed(ctx, shards, after, limit)
	if after == 0 && g.late.Load() {
		<-g.gate
	}
	return found, err
}

// refreshElsewhere refreshes a subscription at a replica that delivers nothing.
func (w *world) refreshElsewhere(service string, secret byte) {
	w.Helper()
	d := desk.New(desk.Options{
		Store: &w.store, Post: w.post, Check: egress.New(egress.Options{}).Check, Keys: host{w},
		Changed: func(...event.Stored) {},
	})
	r := w.request(here, service)
	r.Secret = secretOf(secret)
	if _, err := d.Subscribe(w.Context(), r); err != nil {
		w.Fatal(err)
	}
}

// A refresh counts anew also if nobody delivers at the time.
func TestRefreshBeforeRestart(t *testing.T) {
	inBubble(t, func(w *world) {
		w.callback(here, always(http.StatusInternalServerError, 0))
		e, kill := w.replica(Options{})
		w.subscribe(e, here, "")
		w.append("db", 200)
		time.Sleep(45 * time.Minute)
		if got := e.Stats().Suspended; got != 1 {
			w.Fatalf("%d suspended", got)
		}
		kill()
		w.refreshElsewhere("", 1)
		again, _ := w.replica(Options{})
		time.Sleep(time.Minute)
		if got := again.Stats(); got.Suspended != 0 || got.Failures["http_5xx"] == 0 {
			w.Errorf("stats %+v", got)
		}
	})
}

// A change is not overlooked if its shard comes while the changes of others are read, or if it comes while its shard is
// loaded.
func TestChangeWhileShardsMove(t *testing.T) {
	for _, polls := range []bool{true, false} {
		inBubble(t, func(w *world) {
			c := w.callback(here, nil)
			two, _ := sign.ParseSecret(secretOf(2))
			c.secrets = append(c.secrets, two)
			store := &gated{Store: &w.store, gate: make(chan struct{})}
			e, _ := w.replica(Options{Store: store})
			moved, _, _ := w.store.Get(w.Context(), w.subscribe(e, here, "db").ID)
			other, _, _ := w.store.Get(w.Context(), w.subscribe(e, here, "web").ID)
			e.shards.Leave(w.Context(), []int{moved.Shard})
			store.shut.Store(polls)
			store.late.Store(!polls)
			time.Sleep(3 * time.Second)
			if got := e.Stats(); got.ShardsTaken != event.Shards+1 || moved.Shard == other.Shard {
				w.Fatalf("stats %+v", got)
			}
			w.refreshElsewhere("db", 2)
			w.refreshElsewhere("web", 2)
			time.Sleep(2 * time.Second)
			store.shut.Store(false)
			close(store.gate)
			time.Sleep(2 * time.Second)
			w.append("db", 1)
			time.Sleep(time.Second)
			if got := w.messages(c); len(got) != 1 || !got[0].signed[1] {
				w.Errorf("polls are late: %v: %+v", polls, got)
			}
		})
	}
}

// While the store is away nothing is lost, and no more than a window is sent that is not written.
func TestStoreAway(t *testing.T) {
	inBubble(t, func(w *world) {
		c := w.callback(here, nil)
		e, _ := w.replica(Options{Lease: time.Hour})
		w.subscribe(e, here, "")
		m, _ := e.o.Store.(mortal)
		m.dead.Store(true)
		e.Engine.o.Post = w.post //nolint:staticcheck // the desk has one too
		w.append("db", 100)
		time.Sleep(time.Minute)
		w.all(c, 8, 0)
		m.dead.Store(false)
		time.Sleep(time.Minute)
		w.all(c, 100, 0)
	})
}

// slow is a store in which looking for changes takes long.
type slow struct {
	event.Store

	takes time.Duration
}

func (s slow) Changed(ctx context.Context, shards []int, after uint64, limit int) ([]event.Stored, error) {
	time.Sleep(s.takes)
	return s.Store.Changed(ctx, shards, after, limit)
}

// A replica that needs longer than a lease to load its shards keeps them meanwhile.
func TestSlowLoad(t *testing.T) {
	inBubble(t, func(w *world) {
		var engines []*replica
		for range 2 {
			e, _ := w.replica(Options{Lease: 5 * time.Second, Store: slow{&w.store, 8 * time.Second}})
			engines = append(engines, e)
		}
		time.Sleep(20 * time.Second)
		callbacks := w.crowd(engines, 20)
		time.Sleep(20 * time.Second)
		w.append("db", 5)
		time.Sleep(time.Second)
		for _, c := range callbacks {
			w.all(c, 5, 0)
		}
		one, other := engines[0].Stats(), engines[1].Stats()
		if taken := one.ShardsTaken + other.ShardsTaken; taken != event.Shards*3/2 {
			w.Errorf("shards were taken %d times: %+v %+v", taken, one, other)
		}
	})
}
