package task_test

import (
	"context"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// What a server does with a store: it creates a task, takes it over from an owner that has died, and ends it. What the
// former owner writes afterwards is refused.
func ExampleStore() {
	var store task.Store = new(task.Memory)
	ctx, now := context.Background(), time.Now()
	r := &task.Record{
		ID: "A1", Principal: "ann", Status: task.Working, Tool: "count",
		Created: now, Updated: now, Expires: now.Add(time.Hour),
	}
	r.Lease("one", now.Add(30*time.Second))
	if err := store.Create(ctx, r, task.Limits{PerPrincipal: 100, Total: 10_000}); err != nil {
		fmt.Println(err)
		return
	}
	later := now.Add(time.Minute)
	taken, err := store.Claim(ctx, "two", later, later.Add(30*time.Second))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(taken.Owner, taken.Fence)
	taken.Status, taken.Result = task.Completed, []byte(`{"content":[]}`)
	fmt.Println(store.Swap(ctx, taken))
	r.Message = "nearly done"
	fmt.Println(store.Swap(ctx, r))
	// Output:
	// two 2
	// <nil>
	// task: the record has changed
}
