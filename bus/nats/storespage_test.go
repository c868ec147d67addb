package natsbus_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// The programs of pages are examples of the package.
func TestStorePages(t *testing.T) {
	for _, page := range []struct{ page, file string }{
		{"task-stores.md", "tasksexample_test.go"}, {"webhooks.md", "webhooksexample_test.go"},
	} {
		text, err := os.ReadFile(page.file)
		if err != nil {
			t.Fatal(err)
		}
		example := strings.ReplaceAll(string(text), "\n\t", "\n")
		if !strings.Contains(example, "\n"+codeOf(t, sectionOf(t, "../../docs/"+page.page, "NATS"), "go")+"}\n") {
			t.Errorf("docs/%s and the example of this package differ", page.page)
		}
	}
}

// configured returns the JetStream of a server with the configuration of a section, as the user of that.
func configured(t *testing.T, section string) jetstream.JetStream {
	t.Helper()
	fill := strings.NewReplacer("port: 4222\n", "", "SECRET", "p", "/var/lib/nats", t.TempDir())
	b := start(t, fill.Replace(codeOf(t, section, "nats")))
	js, err := jetstream.New(connect(t, b.Addr, nats.UserInfo("notes", "p")))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// The user of the page's configuration is allowed what events and subscriptions need.
func TestWebhooksPageConfiguration(t *testing.T) {
	js := configured(t, sectionOf(t, "../../docs/webhooks.md", "NATS"))
	log, err := natsbus.NewEvents(js, "mcp-notes", natsbus.EventsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	hooks, err := natsbus.NewSubscriptions(js, "mcp-notes-hooks", natsbus.SubscriptionsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for most := range 2 {
		e := &event.Entry{ID: fmt.Sprint(most), Time: time.Now(), Kept: time.Now(), Data: []byte("{}")}
		if err := log.Append(limit(t), "incident.opened", e, event.Retention{Most: most + 1}); err != nil {
			t.Error(err)
		}
	}
	if p, err := log.Read(limit(t), "incident.opened", 0, 10); err != nil || len(p.Entries) == 0 {
		t.Errorf("Read returned %d entries and %v", len(p.Entries), err)
	}
	now := time.Now()
	s, p := &event.Subscription{ID: "A", Principal: "p", Expires: now}, &event.Progress{}
	put(t, hooks, s, p)
	s.State = event.Ended
	put(t, hooks, s, nil)
	if refused, err := hooks.Save(limit(t), []*event.Progress{p}); err != nil || len(refused) > 0 {
		t.Errorf("Save returned %v and %v", refused, err)
	}
	if taken, err := hooks.Take(limit(t), []event.Lease{{Name: "shard/00", Owner: "a"}}); err != nil || len(taken) != 1 {
		t.Errorf("Take returned %v and %v", taken, err)
	}
	if n, err := hooks.Expire(limit(t), now, 10); err != nil || n != 1 {
		t.Errorf("Expire returned %d and %v", n, err)
	}
}

// The user of the page's configuration is allowed what the store needs.
func TestTasksPageConfiguration(t *testing.T) {
	js := configured(t, sectionOf(t, "../../docs/task-stores.md", "NATS"))
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
