// Package feedrun is the proof that events arrive: replicas share a file or a NATS server, are killed while they commit
// and deliver, and callbacks count what comes. Every event that was committed arrives where it belongs, nothing else
// does, nobody is told of a gap, and repeats are those that were on their way at a kill.
package feedrun

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/feed"
	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
	"github.com/mcpgen/mcpgen/internal/dev/freeport"
	"github.com/mcpgen/mcpgen/internal/dev/proc"
)

// Config says how much a run does.
type Config struct {
	// Dir is for the state and the logs, and Program a replica.
	Dir, Program string
	Seed         uint64
	Replicas     int
	// Subscriptions have Subscriptions/3 different keys, so that an event that is not for all matches three of them.
	Subscriptions int
	// Events are committed in all, and one of a hundred is for all.
	Events, Kills int
	// Lease is that of the replicas; 0 is the default of webhooks. A shorter one needs a machine that has nothing else to
	// do: a replica that cannot renew its leases loses them, and what was on its way is repeated.
	Lease time.Duration
	NATS  string // as feed.Config has it
	Out   io.Writer
}

// Short and Long are the runs.
func Short(c Config) Config {
	c.Replicas, c.Subscriptions, c.Events, c.Kills = 3, 100, 2_000, 3
	c.Lease = 4 * time.Second
	return c
}

// Long is a run of some tens of minutes.
func Long(c Config) Config {
	c.Replicas, c.Subscriptions, c.Events, c.Kills = 3, 1_000, 101_000, 100
	return c
}

const (
	perPrincipal = 20               // subscriptions
	batch        = 50               // events of a call
	writers      = 3                // that commit
	patience     = 10 * time.Second // of a call
	backlog      = 40_000           // deliveries that may be missing while more is committed
	stuck        = 90 * time.Second // without an arrival
)

// run is a run.
type run struct {
	Config

	keys   int
	judge  *Judge
	hooks  *callbacks
	random *rand.Rand
	conn   *client.Conn // to no replica yet

	mu    sync.Mutex
	procs []*proc.Process
	addrs []string
	next  int // number of the next event
	kills int // until now
}

// Run goes through a run. The error says what was broken.
func Run(ctx context.Context, c Config) error {
	r := &run{Config: c, keys: max(1, c.Subscriptions/3), next: 1, random: client.NewRandom(c.Seed, 1),
		conn: client.NewConn("", client.Modern, verdict.New(time.Now).Client("feed"))}
	r.judge = newJudge(r.keys)
	hooks, err := startCallbacks(ctx, r.judge)
	if err != nil {
		return err
	}
	r.hooks = hooks
	defer hooks.http.Close() //nolint:errcheck // the end
	r.procs, r.addrs = make([]*proc.Process, c.Replicas), make([]string, c.Replicas)
	defer func() {
		for _, p := range r.procs {
			if p != nil {
				p.Kill()
			}
		}
	}()
	for i := range c.Replicas {
		if err := r.start(ctx, i); err != nil {
			return err
		}
	}
	if err := r.subscribeAll(ctx); err != nil {
		return err
	}
	begun := time.Now()
	if err := r.play(ctx); err != nil {
		return err
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	return r.verdict(time.Since(begun))
}

// start starts a replica, and waits until it serves.
func (r *run) start(ctx context.Context, i int) error {
	addr, err := freeport.Find(ctx)
	if err != nil {
		return err
	}
	p, err := proc.Start(r.log(i), []string{"MCP_KEYS=a key of all replicas of the feed"}, r.Program,
		"-http", addr, "-dir", r.Dir, "-keys", fmt.Sprint(r.keys), "-lease", fmt.Sprint(r.Lease),
		"-nats", r.NATS)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.procs[i], r.addrs[i] = p, addr
	r.mu.Unlock()
	return proc.AwaitReady(ctx, p, addr, time.Minute)
}

// log returns the file with what a replica logs.
func (r *run) log(i int) string { return filepath.Join(r.Dir, fmt.Sprintf("feed%d.log", i)) }

func principalOf(i, all int) string { return fmt.Sprint("p", i%(all/perPrincipal+1)) }

func (r *run) subscribeAll(ctx context.Context) error {
	for i := range r.Subscriptions {
		principal, f := principalOf(i, r.Subscriptions), feed.Filter{Key: i % r.keys}
		var granted struct{ ID string }
		err := r.call(ctx, principal, "events/subscribe", map[string]any{
			"name": feed.Name, "arguments": f,
			"delivery": map[string]any{"mode": "webhook", "url": r.hooks.url(principal), "secret": secretText},
		}, &granted)
		if err != nil {
			return err
		}
		r.judge.subscribed(granted.ID, principal, f)
	}
	return nil
}

// call sends a request to one of the replicas.
func (r *run) call(ctx context.Context, principal, method string, params map[string]any, out any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r.mu.Lock()
	addr := r.addrs[r.random.IntN(len(r.addrs))] // one of them may be dead
	r.mu.Unlock()
	c := r.conn.At("http://" + addr + "/mcp")
	c.User = principal
	return c.Call(ctx, "", method, params, out)
}

// play commits and kills.
func (r *run) play(ctx context.Context) error {
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for ctx.Err() == nil && r.commit(ctx) {
				for r.ahead() && ctx.Err() == nil {
					time.Sleep(10 * time.Millisecond)
				}
			}
		})
	}
	err := r.killAll(ctx)
	wg.Wait()
	return errors.Join(err, ctx.Err())
}

// ahead reports whether enough is committed until the next kill, or until more has arrived.
func (r *run) ahead() bool {
	missing, _ := r.judge.Missing()
	r.mu.Lock()
	defer r.mu.Unlock()
	return missing > backlog || r.kills < r.Kills && r.shareLocked() >= r.part(r.kills+1)
}

// part returns the share of the events that are committed before a kill.
func (r *run) part(kill int) float64 { return float64(kill) / float64(r.Kills+1) }

// commit commits the next events, and goes on until it has the word of a replica. It is false if all are committed.
func (r *run) commit(ctx context.Context) bool {
	r.mu.Lock()
	from := r.next
	n := min(batch, r.Events+1-from)
	r.next += max(n, 0)
	r.mu.Unlock()
	if n <= 0 {
		return false
	}
	for ctx.Err() == nil {
		var result json.RawMessage
		err := r.call(ctx, "writer", "tools/call", map[string]any{
			"name": "commit", "arguments": map[string]any{"from": from, "count": n},
		}, &result)
		if err == nil && bytes.Contains(result, []byte(`"committed"`)) {
			r.judge.Committed(from, n)
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

// killAll kills replicas while events are committed, and takes rights away in the middle.
func (r *run) killAll(ctx context.Context) error {
	var ends sync.WaitGroup
	var revoked, gone error
	for k := range r.Kills {
		for r.share() < r.part(k+1) && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		if k == r.Kills/2 {
			ends.Go(func() { revoked = r.end(ctx, feed.Revoked, 1) })
			ends.Go(func() { gone = r.end(ctx, feed.Gone, 2) })
		}
		i := r.pick(r.Replicas)
		sleep(ctx, time.Duration(r.pick(300))*time.Millisecond)
		from := time.Now()
		r.procs[i].Kill() // only this goroutine starts others
		r.judge.Killed(from, time.Now())
		r.mu.Lock()
		r.kills++
		r.mu.Unlock()
		sleep(ctx, time.Duration(r.pick(1000))*time.Millisecond)
		if err := r.start(ctx, i); err != nil {
			return err
		}
	}
	ends.Wait()
	return errors.Join(revoked, gone, ctx.Err())
}

// pick returns a random number below n.
func (r *run) pick(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.random.IntN(n)
}

func (r *run) share() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shareLocked()
}

// shareLocked is the part of the events that are committed, or about to be.
func (r *run) shareLocked() float64 { return float64(r.next-1) / float64(r.Events) }

// end takes the rights of a principal away. What is committed when every replica must know it is not for it any more.
func (r *run) end(ctx context.Context, word string, of int) error {
	principal := principalOf(of, r.Subscriptions)
	r.judge.Ends(principal)
	if err := os.WriteFile(filepath.Join(r.Dir, word+principal), nil, 0o600); err != nil {
		return err
	}
	sleep(ctx, feed.RightsFor+3*time.Second)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.judge.Ended(principal, r.next)
	return nil
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// settle waits until everything has arrived, or nothing does.
func (r *run) settle(ctx context.Context) error {
	last, since := -1, time.Now()
	for ctx.Err() == nil {
		missing, arrived := r.judge.Missing()
		if arrived != last {
			last, since = arrived, time.Now()
		}
		if missing == 0 || time.Since(since) > stuck {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	sleep(ctx, 2*time.Second) // for repeats
	return ctx.Err()
}

// excuse tells the judge when replicas have lost their leases, as they say in their logs, and returns how often.
func (r *run) excuse() (lost int, err error) {
	for i := range r.Replicas {
		text, err := os.ReadFile(r.log(i))
		if err != nil {
			return 0, err
		}
		for line := range strings.Lines(string(text)) {
			if !strings.Contains(line, "leases of webhooks are lost") {
				continue
			}
			word, _, _ := strings.Cut(strings.TrimPrefix(line, "time="), " ")
			at, err := time.Parse(time.RFC3339Nano, word)
			if err != nil {
				return 0, err
			}
			r.judge.Killed(at, at.Add(time.Millisecond))
			lost++
		}
	}
	return lost, nil
}

// verdict says what has happened.
func (r *run) verdict(took time.Duration) error {
	lost, err := r.excuse()
	if err != nil {
		return err
	}
	broken, repeats := r.judge.Judge()
	_, arrived := r.judge.Missing()
	fmt.Fprintf(r.Out, "events: seed %d: %d committed for %d subscriptions, %d arrived, %d repeats after %d kills "+
		"and %d times that leases were lost, in %v; %d violations\n",
		r.Seed, r.Events, r.Subscriptions, arrived, repeats, r.Kills, lost, took.Round(time.Second), len(broken))
	for _, line := range broken[:min(len(broken), 20)] {
		fmt.Fprintln(r.Out, "  "+line)
	}
	if len(broken) > 0 {
		return fmt.Errorf("events: %d violations", len(broken))
	}
	return nil
}
