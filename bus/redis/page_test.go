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
)

// section returns what docs/deploy.md says about Redis.
func section(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, s, ok := strings.Cut(string(text), "\n## Redis\n")
	if !ok {
		t.Fatal("docs/deploy.md has no section Redis")
	}
	s, _, _ = strings.Cut(s, "\n## ")
	return s
}

// code returns the block of the section in a language.
func code(t *testing.T, lang string) string {
	t.Helper()
	m := regexp.MustCompile("(?s)```" + lang + "\n(.*?)```").FindStringSubmatch(section(t))
	if m == nil {
		t.Fatalf("the section has no block of %s", lang)
	}
	return m[1]
}

// The program of the page is the example of the package.
func TestPageExample(t *testing.T) {
	text, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	example := strings.ReplaceAll(string(text), "\n\t", "\n")
	if !strings.Contains(example, "\n"+code(t, "go")+"}\n") {
		t.Error("docs/deploy.md and the example of this package differ")
	}
}

// The user of the page's configuration is allowed what the bus and the store need.
func TestPageConfiguration(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "redis.conf")
	fill := strings.NewReplacer("port 6379\n", "", "/var/lib/redis", dir, "SECRET", "p")
	if err := os.WriteFile(file, []byte(fill.Replace(code(t, "redis"))), 0o600); err != nil {
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
