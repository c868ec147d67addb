package jobs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/fleet"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
	"github.com/mcpgen/mcpgen/fleet/serve"
)

// patience is how long anything may take that happens at all.
const patience = time.Minute

// legacy is the older of the two revisions with tasks.
const legacy = "2025-11-25"

var unhurried = flag.Bool("unhurried", false, "leases of tasks as in a release, which takes longer")

// TestMain runs the tests in the folder of the module, as its programs run.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "jobs")
	if err != nil {
		panic(err)
	}
	build = sync.OnceValues(func() (string, error) {
		v := fleet.Variant{Name: "replica"}
		if !*unhurried {
			v.Changes = fleet.Hurried()
		}
		return fleet.BuildReplica(context.Background(), dir, v)
	})
	m.Run()
	_ = os.RemoveAll(dir)
}

// build builds the program of the replicas.
var build func() (string, error)

// way is a way to run replicas.
type way struct {
	name, engine, tasks string
	flags               []string
	stored              bool // sessions are in a store
	faults              bool // processes end
}

var ways = []way{
	{"NATS", fleet.NATS, fleet.InBroker, nil, true, true},
	{"Redis", fleet.Redis, fleet.InBroker, nil, true, false},
	{"SQLite and a bus", fleet.NATS, fleet.SQLite, nil, true, false},
	{"SQLite, a bus and sealed ids", fleet.NATS, fleet.SQLite, []string{"-own-sessions"}, false, false},
	{"NATS without a bus", fleet.NATS, fleet.InBroker, []string{"-no-bus"}, false, false},
	{"SQLite without a bus", fleet.None, fleet.SQLite, nil, false, true},
}

// bus reports whether the replicas hear each other.
func (w *way) bus() bool { return w.engine != fleet.None && !slices.Contains(w.flags, "-no-bus") }

// replicas are three processes that serve, and what their jobs have written.
type replicas struct {
	*fleet.Fleet
	t     *testing.T
	way   way
	state *serve.State
	seen  *verdict.Client
}

func start(t *testing.T, w way) *replicas {
	t.Helper()
	bin, err := build()
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.Start(t.Context(), fleet.Config{
		Dir: t.TempDir(), Program: bin, Engine: w.engine, Replicas: 3, Tasks: w.tasks,
		Flags: append([]string{"-grace", "1s"}, w.flags...),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	state, err := serve.Open(t.Context(), f.State(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = state.Close()
		for i := 0; t.Failed() && i < 3; i++ {
			t.Logf("replica %d: %s", i, f.Log(i))
		}
	})
	return &replicas{f, t, w, state, verdict.New(time.Now).Client("client")}
}

// conn returns a client of one replica.
func (r *replicas) conn(i int) *client.TaskConn {
	return client.NewTaskConn("http://"+r.Replicas[i].Addr()+"/mcp", client.Modern, r.seen)
}

// session returns clients of all replicas, of one session of a user that the first has begun.
func (r *replicas) session(user string) (all [3]*client.TaskConn) {
	r.t.Helper()
	first := client.NewTaskConn("http://"+r.Replicas[0].Addr()+"/mcp", legacy, r.seen)
	first.User = user
	id, err := first.Open(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	first.Session = id
	for i := range all {
		all[i] = first.At("http://" + r.Replicas[i].Addr() + "/mcp")
	}
	return all
}

func (r *replicas) create(c *client.TaskConn, j client.Job) string {
	r.t.Helper()
	id, err := c.Create(r.t.Context(), j)
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

// known asks for a task once, which must be known.
func (r *replicas) known(c *client.TaskConn, id string) client.Task {
	r.t.Helper()
	now, err := c.Get(r.t.Context(), id)
	if err != nil || now.ID != id {
		r.t.Fatalf("%s: %+v, %v", id, now, err)
	}
	return now
}

// becomes asks for a task until it has a status.
func (r *replicas) becomes(c *client.TaskConn, id, status string) client.Task {
	r.t.Helper()
	var now client.Task
	r.until(func() error {
		var err error
		if now, err = c.Get(r.t.Context(), id); err == nil && now.Status != status {
			err = fmt.Errorf("%s is %s, want %s", id, now.Status, status)
		}
		return err
	})
	return now
}

// until waits until something is as it should be.
func (r *replicas) until(f func() error) {
	r.t.Helper()
	end := time.Now().Add(patience)
	for {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			r.t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// runs waits until a job has begun so often, and returns the runs.
func (r *replicas) runs(key string, n int) (began []serve.JobRun) {
	r.t.Helper()
	r.until(func() (err error) {
		if began, _, err = r.state.JobRuns(r.t.Context(), key); err == nil && len(began) < n {
			err = fmt.Errorf("%s began %d times, want %d", key, len(began), n)
		}
		return err
	})
	return began
}

// stops waits until the context of the handler of a job has ended early.
func (r *replicas) stops(key string) {
	r.t.Helper()
	r.until(func() error {
		_, ended, err := r.state.JobRuns(r.t.Context(), key)
		if err == nil && len(ended) == 0 {
			err = errors.New("the context of the handler of " + key + " does not end")
		}
		return err
	})
}

// told is what a stream says about tasks.
type told struct {
	r   *replicas
	all chan client.Task
}

// listen follows tasks on a listen.
func (r *replicas) listen(c *client.TaskConn, ids ...string) *told {
	r.t.Helper()
	s := &told{r, make(chan client.Task, 1_000)}
	granted := make(chan []string, 1)
	go func() {
		defer close(s.all)
		_ = c.Listen(r.t.Context(), ids, func(ids []string) { granted <- ids }, s.take)
	}()
	select {
	case got := <-granted:
		if !slices.Equal(got, ids) {
			r.t.Fatalf("granted %v, want %v", got, ids)
		}
	case <-s.all:
		r.t.Fatal("no listen")
	}
	return s
}

// statuses opens the stream of a session.
func (r *replicas) statuses(c *client.TaskConn) *told {
	r.t.Helper()
	s := &told{r, make(chan client.Task, 1_000)}
	begun := make(chan struct{})
	go func() {
		defer close(s.all)
		if err := c.Statuses(r.t.Context(), func() { close(begun) }, s.take); err != nil && r.t.Context().Err() == nil {
			r.t.Log("the stream of the session: ", err)
		}
	}()
	select {
	case <-begun:
	case <-s.all:
		r.t.Fatal("no stream")
	}
	return s
}

func (s *told) take(now client.Task) bool {
	select {
	case s.all <- now:
		return true
	default:
		return false
	}
}

// until waits until a status of a task is told.
func (s *told) until(id, status string) client.Task {
	s.r.t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		select {
		case now, open := <-s.all:
			if !open {
				s.r.t.Fatalf("the stream has ended before %s of %s", status, id)
			}
			if now.ID == id && now.Status == status {
				return now
			}
		case <-late.C:
			s.r.t.Fatalf("%s of %s was not told", status, id)
		}
	}
}
