package redisbus_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/mcpgen/mcpgen/bus/redis"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/event/logtest"
	"github.com/mcpgen/mcpgen/mcp/event/storetest"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/task/taskstoretest"
)

// The pages that have a section about Redis.
const (
	deployPage = "../../docs/deploy.md"
	tasksPage  = "../../docs/task-stores.md"

	webhooksPage = "../../docs/webhooks.md"
)

// section returns what a page says about Redis.
func section(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, s, ok := strings.Cut(string(text), "\n## Redis\n")
	if !ok {
		t.Fatalf("%s has no section Redis", page)
	}
	s, _, _ = strings.Cut(s, "\n## ")
	return s
}

// code returns the block of the section in a language.
func code(t *testing.T, page, lang string) string {
	t.Helper()
	m := regexp.MustCompile("(?s)```" + lang + "\n(.*?)```").FindStringSubmatch(section(t, page))
	if m == nil {
		t.Fatalf("the section has no block of %s", lang)
	}
	return m[1]
}

// The programs of the pages are the examples of the package.
func TestPageExample(t *testing.T) {
	for page, file := range map[string]string{
		deployPage: "example_test.go", tasksPage: "tasksexample_test.go", webhooksPage: "webhooksexample_test.go",
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		example := strings.ReplaceAll(string(text), "\n\t", "\n")
		if !strings.Contains(example, "\n"+code(t, page, "go")+"}\n") {
			t.Errorf("%s and %s differ", page, file)
		}
	}
}

// restricted starts a server whose user has what a page names for the prefixes of a test, and no more.
func restricted(t *testing.T, page string) func(t *testing.T) *redis.Client {
	t.Helper()
	rights := strings.Fields(strings.ReplaceAll(code(t, page, "redis"), "{mcp:notes:", "{mcp:test:"))
	b := start(t, append([]string{"--user", "replica", "on", ">secret", "resetchannels", "+ping"}, rights...)...)
	return func(t *testing.T) *redis.Client {
		t.Helper()
		return connect(t, redis.Options{Addr: b.Addr, Username: "replica", Password: "secret"})
	}
}

// A user with what both pages name may do what the store of tasks needs, the suite included.
func TestTasksPageRights(t *testing.T) {
	client := restricted(t, tasksPage)
	taskstoretest.Run(t, func(t *testing.T) task.Store {
		t.Helper()
		store, err := redisbus.NewTasks(client(t), "mcp:test:tasks")
		if err != nil {
			t.Fatal(err)
		}
		return store
	})
}

// A user with what both pages name may do what events and subscriptions need, the suites included.
func TestWebhooksPageRights(t *testing.T) {
	client := restricted(t, webhooksPage)
	logtest.Run(t, func(t *testing.T) event.Log { return newEvents(t, client(t)) })
	storetest.Run(t, func(t *testing.T) event.Store { return newSubscriptions(t, client(t)) })
}

// The user of the page's configuration is allowed what the bus and the store need.
func TestPageConfiguration(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "redis.conf")
	fill := strings.NewReplacer("port 6379\n", "", "/var/lib/redis", dir, "SECRET", "p")
	if err := os.WriteFile(file, []byte(fill.Replace(code(t, deployPage, "redis"))), 0o600); err != nil {
		t.Fatal(err)
	}
	b := start(t, "--include", file)
	client := connect(t, redis.Options{Addr: b.Addr, Username: "notes", Password: "p"})
	bus, err := redisbus.NewBus(client, "mcp:notes")
	if err != nil {
		t.Fatal(err)
	}
	if err := hears(t, bus); err != nil {
		t.Error(err)
	}
	store, err := redisbus.NewSessions(client, "mcp:notes:session:")
	if err != nil {
		t.Fatal(err)
	}
	v, err := store.Save(limit(t), "id", 0, []byte("record"), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Save(limit(t), "id", v, []byte("record"), time.Hour); err != nil {
		t.Error(err)
	}
	if _, _, err := store.Load(limit(t), "id"); err != nil {
		t.Error(err)
	}
	if err := store.Delete(limit(t), "id"); err != nil {
		t.Error(err)
	}
}
