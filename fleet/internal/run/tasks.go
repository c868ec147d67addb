package run

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
)

// tasksSettle is the default of [Config.TasksSettle].
const tasksSettle = 40 * time.Second

// taskClients starts the clients that create tasks.
func (r *Run) taskClients(ctx context.Context) {
	r.long = &client.TaskClient{
		Conn: client.NewTaskConn(r.fleet.URL(), client.Modern, r.checker.Client("long tasks")), Judge: r.checker.Tasks(),
		Name: "long",
	}
	r.long.Conn.User = "long"
	for i := range r.Tasks {
		name := fmt.Sprintf("tasks-%d", i)
		c := client.NewTaskConn(r.fleet.URL(), []string{client.Modern, "2025-11-25"}[i%2], r.checker.Client(name))
		c.User = name
		t := &client.TaskClient{
			Conn: c, Judge: r.checker.Tasks(), Name: name,
			Random: client.NewRandom(r.Seed, uint64(2_000+i)), Hold: func() bool { return !r.writing.Load() },
			Pause: 250 * time.Millisecond,
		}
		go t.Run(ctx)
	}
}

// JudgeTasks waits until all tasks have ended, and judges them.
func (r *Run) JudgeTasks(ctx context.Context) error {
	begun := time.Now()
	if err := r.awaitTasks(ctx); err != nil {
		return err
	}
	r.sayf("tasks: %d confirmed, %v; settled in %v", r.checker.Totals().Tasks, r.checker.Tasks().Ends(),
		time.Since(begun).Round(100*time.Millisecond))
	return nil
}

// judgeTasks judges the tasks until now, all of which should have ended.
func (r *Run) judgeTasks(ctx context.Context) error {
	judge := r.checker.Tasks()
	// Those that were never confirmed may still run: what they do counts as long as somebody looks.
	runs, err := r.state.Runs(ctx)
	if err != nil {
		return err
	}
	judge.Judge(runs, func(key string) bool { return strings.HasPrefix(key, "job_once ") })
	forgotten, err := r.state.Forgotten(ctx)
	if err != nil {
		return err
	}
	judge.Forgotten(forgotten)
	return nil
}
