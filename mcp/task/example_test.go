package task_test

import (
	"context"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// What a server does with a store: it creates a task, takes it over from an owner that has died, and ends it. An owner
// that lives changes its record often. So one that has not changed since a version that this replica knew a while ago
// is that of a dead owner. What the former owner writes afterwards is refused.
func ExampleStore() {
	var store task.Store = new(task.Memory)
	ctx, now := context.Background(), time.Now()
	limits := task.Limits{PerPrincipal: 100, Total: 10_000, Bytes: 256 << 20}
	r := &task.Record{Head: task.Head{
		ID: "A1", Principal: "ann", Status: task.Working, Tool: "count",
		Created: now, Updated: now, Expires: now.Add(time.Hour),
	}}
	r.Lease("one", now.Add(30*time.Second))
	if err := store.Create(ctx, r, limits); err != nil {
		fmt.Println(err)
		return
	}
	c := task.Claim{Owner: "two", Now: now, Until: now.Add(30 * time.Second)}
	_, latest, err := store.Claim(ctx, c)
	fmt.Println(err)
	c.Still = latest // 30 seconds later by the clock of this replica
	taken, _, err := store.Claim(ctx, c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(taken.Owner, taken.Fence)
	taken.Status = task.Completed
	fmt.Println(store.Swap(ctx, taken, &task.Body{Result: []byte(`{"content":[]}`)}, limits))
	r.Message = "nearly done"
	fmt.Println(store.Swap(ctx, &r.Head, nil, limits))
	// Output:
	// task: no such task
	// two 2
	// <nil>
	// task: the record has changed
}
