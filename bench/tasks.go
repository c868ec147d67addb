package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/proc"
	"github.com/mcpgen/mcpgen/bench/internal/report"
	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// listeners is how many are told of the changes of one task.
const listeners = 100

// tasks measures tasks of a server that has as many as it keeps: a new one makes room of an old one.
func tasks(dir string, rounds int, length time.Duration) ([]table, []string, error) {
	w, err := proc.StartWeb(filepath.Join(dir, "web"), work.Jobs)
	if err != nil {
		return nil, nil, err
	}
	defer w.Stop()
	if err := fillTasks(w); err != nil {
		return nil, nil, err
	}
	var trips, cpu []report.Row
	add := func(op work.Op, slice func() (proc.Slice, error)) error {
		all := map[string][]proc.Slice{}
		for range rounds {
			s, err := slice()
			if err != nil {
				return fmt.Errorf("%s %s: %w", op.Name, op.Era, err)
			}
			all[work.Ours] = append(all[work.Ours], s)
		}
		trip, used := newRow(op, report.Target{}), newRow(op, report.Target{})
		fill(&trip, &used, all)
		trips, cpu = append(trips, trip), append(cpu, used)
		return nil
	}
	for _, op := range []work.Op{work.CreateTask(work.Legacy, "quick"), work.CreateTask(work.Modern, "quick"),
		work.ListTasks()} {
		c, err := w.Crowd(1, op, true)
		defer c.Close()
		if err != nil {
			return nil, nil, err
		}
		if err := add(op, func() (proc.Slice, error) { return c.Run(length) }); err != nil {
			return nil, nil, err
		}
	}
	a, err := listenToTask(w)
	if err != nil {
		return nil, nil, err
	}
	defer a.Close()
	op := work.Op{Name: fmt.Sprintf("change of a task to %d listeners", listeners), Era: work.Modern}
	if err := add(op, func() (proc.Slice, error) { return a.Publish(updates, 0) }); err != nil {
		return nil, nil, err
	}
	servers := []string{work.Ours}
	return []table{
		{"HTTP, a server with 10,000 tasks: round trip, or time to the last listener, p50 / p95 / p99", servers, trips},
		{"HTTP, a server with 10,000 tasks: CPU time for each request, or listener and change", servers, cpu},
	}, nil, nil
}

// fillTasks makes as many tasks as the server keeps.
func fillTasks(w *proc.Web) error {
	c, err := w.Dial()
	if err != nil {
		return err
	}
	defer c.Close()
	op := work.CreateTask(work.Modern, "quick")
	for range work.Tasks {
		if _, err := c.Ask(op); err != nil {
			return err
		}
	}
	return nil
}

// listenToTask makes a task that goes on, and clients that hear of its changes.
func listenToTask(w *proc.Web) (*proc.Audience, error) {
	c, err := w.Dial()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	created, err := c.Ask(work.CreateTask(work.Modern, "steady"))
	if err != nil {
		return nil, err
	}
	_, rest, _ := bytes.Cut(created, []byte(`"taskId":"`))
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	a, err := w.Listeners(listeners, work.ListenTask(string(id)), `"statusMessage":"step `)
	if err != nil {
		return nil, err
	}
	time.Sleep(time.Second) // the present state, which comes first
	_, err = a.Publish(warmUp, 0)
	return a, err
}
