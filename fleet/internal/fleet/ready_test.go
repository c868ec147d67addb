package fleet_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/exam"
	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
	"github.com/mcpgen/mcpgen/internal/dev/cut"
)

const (
	// soon is how long anything may take that happens at all.
	soon = time.Minute
	// silence is longer than what replicas that are built with [fleet.Brief] need to notice that one is silent.
	silence = 8 * time.Second
	note    = "note:///1"
)

// TestMain runs the tests in the folder of the module, as its programs run.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "ready")
	if err != nil {
		panic(err)
	}
	build = sync.OnceValues(func() (string, error) {
		return fleet.BuildReplica(context.Background(), dir, fleet.Variant{Name: "replica", Changes: fleet.Brief()})
	})
	m.Run()
	_ = os.RemoveAll(dir)
}

// build builds the program of the replicas.
var build func() (string, error)

// crew is a fleet that knows how many replicas it should have.
type crew struct {
	*fleet.Fleet
	t       *testing.T
	program string
	checker *verdict.Checker
	machine *exam.Hall // measures how long the machine stands still
}

func start(t *testing.T, replicas int, leaf bool) *crew {
	t.Helper()
	bin, err := build()
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.Start(t.Context(), fleet.Config{
		Dir: t.TempDir(), Program: bin, Engine: fleet.NATS, Replicas: replicas, Tasks: fleet.SQLite, Leaf: leaf,
		Flags: []string{"-replicas", fmt.Sprint(replicas)},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	machine := new(exam.Hall)
	go machine.Measure(t.Context())
	return &crew{f, t, bin, verdict.New(time.Now), machine}
}

// why returns why each of some replicas is not ready.
func (c *crew) why(some ...*fleet.Replica) (out []string) {
	c.t.Helper()
	for _, r := range some {
		why, err := r.Unready(c.t.Context())
		for begun := time.Now(); err != nil && time.Since(begun) < soon; why, err = r.Unready(c.t.Context()) {
			time.Sleep(100 * time.Millisecond) // it starts, or the machine is busy
		}
		if err != nil {
			c.t.Fatalf("replica %d: %v", r.Index, err)
		}
		out = append(out, why)
	}
	return out
}

// only waits until replica i says a reason, which its metric has under a label too, and goes on to say it. The others
// are ready all the time, unless the machine stands still: then all is watched for as long once more.
func (c *crew) only(i int, label, reason string) {
	c.t.Helper()
	var since time.Time
	still := c.machine.Stalled()
	for begun := time.Now(); since.IsZero() || time.Since(since) < silence; time.Sleep(100 * time.Millisecond) {
		all := c.why(c.Replicas...)
		says := strings.Contains(all[i], reason)
		switch {
		case says && since.IsZero():
			since = time.Now()
		case !says && !since.IsZero(), !says && time.Since(begun) > soon:
			c.t.Fatalf("%v after the fault: %q, want of replica %d: %s", time.Since(begun), all, i, reason)
		}
		others := slices.ContainsFunc(slices.Delete(all, i, i+1), func(why string) bool { return why != "" })
		switch {
		case others && c.machine.IsDisturbed(still) && time.Since(begun) < soon:
			still, since = c.machine.Stalled(), time.Time{}
		case others:
			c.t.Fatalf("%v after the fault of replica %d, of the others: %q", time.Since(begun), i, all)
		}
	}
	c.metric(i, fmt.Sprintf("mcp_replica_unready{reason=%q}", label), 1)
}

// metric waits for a value of a metric.
func (c *crew) metric(i int, name string, want float64) {
	c.t.Helper()
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		got, err := c.Replicas[i].Metric(c.t.Context(), name)
		if err == nil && got == want {
			return
		}
		if time.Since(begun) > soon {
			c.t.Fatalf("replica %d: %s is %v, %v, want %v", i, name, got, err, want)
		}
	}
}

// losses says why the process of a replica has told everything, and how often.
func (c *crew) losses(i int) (out string) {
	c.t.Helper()
	for _, why := range []string{"frame_lost", "silent", "half_heard", "started", "bus"} {
		n, err := c.Replicas[i].Metric(c.t.Context(), fmt.Sprintf("mcp_replica_resyncs_total{reason=%q}", why))
		if err == nil && n > 0 {
			out += fmt.Sprintf(" %s %v", why, n)
		}
	}
	return out
}

// ready waits until all replicas are.
func (c *crew) ready() {
	c.t.Helper()
	for i, r := range c.Replicas {
		if err := r.AwaitReady(c.t.Context(), soon); err != nil {
			c.t.Fatalf("replica %d: %v", i, err)
		}
	}
}

// again starts the process of a replica anew.
func (c *crew) again(i int, clock string, env ...string) {
	c.t.Helper()
	c.Replicas[i].Stop(soon)
	c.Replicas[i].Use(c.program, clock, env...)
	if err := c.Replicas[i].Start(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
}

// conn returns a client of one replica.
func (c *crew) conn(i int) *client.Conn {
	return client.NewConn(c.Replicas[i].URL, client.Modern, c.checker.Client(fmt.Sprint("client of replica ", i)))
}

// call changes a note through a replica, which it must take.
func (c *crew) call(i int, value string) { c.callIn(c.conn(i), "", value) }

// callIn is call in a session, or without one.
func (c *crew) callIn(conn *client.Conn, session, value string) {
	c.t.Helper()
	args := map[string]any{"kind": "note", "number": 1, "value": value}
	if _, err := conn.Tool(c.t.Context(), session, "edit", args); err != nil {
		c.t.Errorf("a call at %s in session %q: %v", conn.URL, session, err)
	}
}

// follow opens a listen at a replica.
func (c *crew) follow(i int) *client.Inbox {
	c.t.Helper()
	inbox, err := c.conn(i).Listen(c.t.Context(), map[string]any{"resourceSubscriptions": []string{note}})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(inbox.Close)
	return inbox
}

// A wrong key, a clock that is ahead, and a part of a broker that has split make those replicas unready that have them,
// and no other one. A dead replica makes nobody unready, and without a broker calls go on.
func TestReadiness(t *testing.T) {
	c := start(t, 3, true)
	const last = 2 // its broker can be parted from the other one

	c.again(1, "", "MCP_KEYS=the key of another fleet")
	c.only(1, "apart", "compare Options.Keys")
	c.again(1, "90s")
	c.only(1, "clock", "its clock is more than 30 seconds off")
	c.again(1, "")
	c.ready()

	c.Replicas[0].Kill()
	still, begun := c.machine.Stalled(), time.Now()
	for since := begun; time.Since(since) < silence; time.Sleep(100 * time.Millisecond) {
		if all := c.why(c.Replicas[1:]...); all[0] != "" || all[1] != "" {
			if !c.machine.IsDisturbed(still) || time.Since(begun) > soon {
				t.Fatalf("%v after the death of another replica: %q", time.Since(begun), all)
			}
			still, since = c.machine.Stalled(), time.Now()
		}
	}
	c.metric(1, "mcp_replicas_missing", 1)
	if err := c.Replicas[0].Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.ready()

	c.Link.Cut(cut.Out)
	c.Link.Cut(cut.In)
	c.only(last, "few", "fewer than half of Options.Replicas")
	c.call(last, "split")
	c.Link.Heal(true)
	c.ready()

	old := c.conn(0)
	old.Revision = "2025-11-25"
	session, err := old.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Broker.Kill(); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); slices.Contains(c.why(c.Replicas[:last]...), ""); time.Sleep(100 * time.Millisecond) {
		if time.Since(begun) > soon {
			t.Fatalf("ready without a broker: %q", c.why(c.Replicas...))
		}
		for i := range c.Replicas {
			c.call(i, fmt.Sprint("without a broker ", i))
		}
		c.callIn(old, session, "without a broker, in a session")
	}
	for i := range c.Replicas {
		c.call(i, fmt.Sprint("not ready ", i))
	}
	if err := c.Broker.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.ready()
}

// A rolling restart of ten replicas costs each stream at most one read of what it subscribes to, and the death of one
// of them one more. A new process tells its clients once, 3 seconds after it has connected. If the machine stands
// still, it hears of the others only after that, or loses one, and tells once more: then each part is repeated.
func TestReadsOfRestarts(t *testing.T) {
	c := start(t, 10, false)
	time.Sleep(silence) // what comes from the start is over
	for _, part := range []func() []string{c.restartAll, c.killOne} {
		for try := range exam.Tries {
			still := c.machine.Stalled()
			found := part()
			if len(found) == 0 {
				break
			}
			if last := try == exam.Tries-1; last || !c.machine.IsDisturbed(still) {
				t.Error(strings.Join(found, "\n"))
				break
			}
			t.Logf("again, since the machine stood still for %v:\n%s", c.machine.Stalled()-still, strings.Join(found, "\n"))
		}
	}
}

// restartAll restarts one replica after the other, and returns which streams were told more than once.
func (c *crew) restartAll() []string {
	c.t.Helper()
	last := len(c.Replicas) - 1
	witness := c.follow(last)
	var moved []*client.Inbox
	for i, r := range c.Replicas {
		c.again(i, "")
		if err := r.AwaitReady(c.t.Context(), soon); err != nil {
			c.t.Fatal(err)
		}
		moved = append(moved, c.follow(i)) // where the client of the old process goes
	}
	var found []string
	if got, _ := witness.Got(client.Updated(note)); len(got) > 1 {
		found = append(found, fmt.Sprintf("the stream that has seen %d restarts was told %d times", last, len(got)))
	}
	return append(found, c.toldTwice(moved, "restart of all")...)
}

// killOne kills a replica and starts it again, and returns which streams were told more than once.
func (c *crew) killOne() []string {
	c.t.Helper()
	var streams []*client.Inbox
	for i := range c.Replicas {
		streams = append(streams, c.follow(i))
	}
	c.Replicas[0].Kill()
	if err := c.Replicas[0].Start(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	c.ready()
	return c.toldTwice(streams, "death of one")
}

// toldTwice waits until a fault is noticed, and returns which streams of the replicas were told more than once, and
// why.
func (c *crew) toldTwice(streams []*client.Inbox, what string) (found []string) {
	c.t.Helper()
	time.Sleep(2 * silence)
	sum := 0
	for i, s := range streams {
		got, ended := s.Got(client.Updated(note))
		if ended != nil {
			continue // its replica has ended
		}
		if sum += len(got); len(got) > 1 {
			found = append(found, fmt.Sprintf("%s: the stream of replica %d was told %d times; its replica told of%s", what, i,
				len(got), c.losses(i)))
		}
	}
	c.t.Logf("%s: %.2f reads for each stream", what, float64(sum)/float64(len(streams)))
	return found
}
