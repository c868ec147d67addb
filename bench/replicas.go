package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/proc"
	"github.com/mcpgen/mcpgen/bench/internal/report"
	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/internal/dev/broker"
	"github.com/mcpgen/mcpgen/internal/dev/freeport"
)

// commits is how many a slice has.
const commits = 20

// replicas measures the time from a call that commits a value to the update that a client of the same process gets, and
// one of another process that hears of it through NATS. Both have the same program, that of fleet: its commit is one of
// SQLite, and updates wait 10 ms for more of the same resource.
func replicas(dir string, rounds int, _ time.Duration) ([]table, []string, error) {
	ctx := context.Background()
	program, err := buildReplica(dir, "replica")
	if err != nil {
		return nil, nil, err
	}
	data := filepath.Join(dir, "nats")
	if err := os.Mkdir(data, 0o777); err != nil {
		return nil, nil, err
	}
	nats, err := broker.StartNATS(ctx, data, "")
	if err != nil {
		return nil, []string{"replicas: " + err.Error()}, nil
	}
	defer nats.Kill() //nolint:errcheck // the end
	var links []*link
	for _, n := range []struct {
		name      string
		processes int
		args      []string
	}{{"one process", 1, nil}, {"two, through NATS", 2, []string{"-nats", "nats://" + nats.Addr}}} {
		l, err := newLink(ctx, dir, program, n.processes, n.args)
		defer l.close()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", n.name, err)
		}
		l.row = report.NewRow(n.name, report.Target{})
		links = append(links, l)
	}
	for range rounds {
		for _, l := range links {
			if err := l.slice(l.commit); err != nil {
				return nil, nil, err
			}
		}
	}
	var rows []report.Row
	for _, l := range links {
		rows = append(rows, l.finished())
	}
	return []table{{"Replicas: from a call that commits to the update of a client, p50 / p99", []string{work.Ours}, rows}},
		nil, nil
}

// buildReplica builds a program of module fleet.
func buildReplica(dir, name string) (program string, err error) {
	program = filepath.Join(dir, name)
	build := exec.Command("go", "build", "-trimpath", "-o", program, "./cmd/"+name)
	build.Dir, build.Env = filepath.Join("..", "fleet"), append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	return program, run(build)
}

// timed is a row of the times of commits, and what ends with its processes.
type timed struct {
	row   report.Row
	times []float64 // of all slices
	ends  []func()
}

// slice measures some commits.
func (t *timed) slice(commit func() (time.Duration, error)) error {
	var times []float64
	for range commits {
		took, err := commit()
		if err != nil {
			return fmt.Errorf("%s: %w", t.row.Name, err)
		}
		times = append(times, float64(took))
	}
	t.row.Cost[work.Ours] = append(t.row.Cost[work.Ours], report.Median(times))
	t.times = append(t.times, times...)
	return nil
}

// finished returns the row with its text.
func (t *timed) finished() report.Row {
	t.row.Text[work.Ours] = tail(t.times)
	return t.row
}

func (t *timed) close() {
	for _, end := range slices.Backward(t.ends) {
		end()
	}
}

// tail writes the p50 and the p99 of times, which it sorts.
func tail(times []float64) string {
	slices.Sort(times)
	return report.Duration(report.Median(times)) + " / " + report.Duration(times[len(times)*99/100])
}

// link is a client that commits, and another that hears of it.
type link struct {
	timed

	writer, listener *proc.Conn
	n                int
}

// newLink starts processes, and a client of the first and one of the last.
func newLink(ctx context.Context, dir, program string, processes int, args []string) (*link, error) {
	l := new(link)
	state := filepath.Join(dir, fmt.Sprintf("state-%d.sqlite", processes))
	for i := range processes {
		addr, err := freeport.Find(ctx)
		if err != nil {
			return l, err
		}
		w, err := proc.StartAt(addr, []string{"MCP_KEYS=a key of the bench, for all of its replicas"}, program,
			append([]string{"-db", state, "-http", addr}, args...)...)
		if err != nil {
			return l, err
		}
		l.ends = append(l.ends, w.Kill)
		c, err := w.Dial()
		if err == nil {
			err = c.Open(work.Legacy)
		}
		if err != nil {
			return l, err
		}
		l.ends = append(l.ends, c.Close)
		if i == 0 {
			l.writer = c
		}
		if i < processes-1 {
			continue
		}
		if l.listener, err = listenerAt(w); err != nil {
			return l, err
		}
		l.ends = append(l.ends, l.listener.Close)
	}
	time.Sleep(time.Second) // the replicas get to know each other
	for range commits {
		if _, err := l.commit(); err != nil {
			return l, err
		}
	}
	return l, nil
}

// listenerAt opens the stream of a client that has subscribed.
func listenerAt(w *proc.Web) (*proc.Conn, error) {
	c, err := w.Dial()
	if err != nil {
		return nil, err
	}
	if err = c.Open(work.Legacy); err == nil {
		_, err = c.Ask(work.SubscribeAccount())
	}
	if err == nil {
		err = c.Stream(work.Legacy, "")
	}
	return c, err
}

// commit commits a value and waits for the update.
func (l *link) commit() (time.Duration, error) {
	l.n++
	begin := time.Now()
	done := make(chan error, 1)
	go func() {
		_, err := l.writer.Ask(work.CommitAccount(l.n))
		done <- err
	}()
	err := l.listener.Await(work.Account)
	took := time.Since(begin)
	if failed := <-done; failed != nil {
		err = failed
	}
	return took, err
}
