package natsbus_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// tasksSection returns what docs/task-stores.md says about NATS.
func tasksSection(t *testing.T) string { return sectionOf(t, "../../docs/task-stores.md", "NATS") }

// The program of the page is the example of the package.
func TestTasksPageExample(t *testing.T) {
	text, err := os.ReadFile("tasksexample_test.go")
	if err != nil {
		t.Fatal(err)
	}
	example := strings.ReplaceAll(string(text), "\n\t", "\n")
	if !strings.Contains(example, "\n"+codeOf(t, tasksSection(t), "go")+"}\n") {
		t.Error("docs/task-stores.md and the example of this package differ")
	}
}

// The user of the page's configuration is allowed what the store needs.
func TestTasksPageConfiguration(t *testing.T) {
	fill := strings.NewReplacer("port: 4222\n", "", "SECRET", "p", "/var/lib/nats", t.TempDir())
	conn := connect(t, start(t, fill.Replace(codeOf(t, tasksSection(t), "nats"))).Addr, nats.UserInfo("notes", "p"))
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	store, err := natsbus.NewTasks(js, "mcp-notes-tasks", natsbus.TasksOptions{})
	if err != nil {
		t.Fatal(err)
	}
	now := task.Time(time.Now())
	r := &task.Record{Head: task.Head{ID: "A", Principal: "p", Status: task.Working, LeaseUntil: now,
		Expires: now.Add(time.Second)}}
	limits := task.Limits{PerPrincipal: 2, Total: 1}
	if err := store.Create(limit(t), r, limits); err != nil {
		t.Fatal(err)
	}
	h, _, err := store.Claim(limit(t), task.Claim{Owner: "a", Now: now, Until: now.Add(time.Second)})
	if err != nil {
		t.Fatal(err)
	}
	h.Status = task.Completed
	if err := store.Swap(limit(t), h, &task.Body{Checkpoint: make([]byte, 1<<20)}, limits); err != nil {
		t.Fatal(err)
	}
	if r, err := store.Get(limit(t), "A"); err != nil || len(r.Checkpoint) != 1<<20 {
		t.Errorf("Get returned %v", err)
	}
	if list, err := store.List(limit(t), "p", "", 2); err != nil || len(list) != 1 {
		t.Errorf("List returned %d and %v", len(list), err)
	}
	r.ID, r.Version = "B", 0
	if err := store.Create(limit(t), r, limits); err != nil { // what has ended makes room
		t.Fatal(err)
	}
	if n, err := store.Expire(limit(t), now.Add(time.Second), 2); n != 1 || err != nil {
		t.Errorf("Expire returned %d and %v", n, err)
	}
}
