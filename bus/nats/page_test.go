package natsbus_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/bus/nats"
)

// section returns what docs/deploy.md says about NATS.
func section(t *testing.T) string {
	t.Helper()
	return sectionOf(t, "../../docs/deploy.md", "NATS")
}

// sectionOf returns a section of a page.
func sectionOf(t *testing.T, page, title string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, s, ok := strings.Cut(string(text), "\n## "+title+"\n")
	if !ok {
		t.Fatalf("%s has no section %s", page, title)
	}
	s, _, _ = strings.Cut(s, "\n## ")
	return s
}

// code returns the block of the section in a language.
func code(t *testing.T, lang string) string {
	t.Helper()
	return codeOf(t, section(t), lang)
}

// codeOf returns the first block of a section in a language.
func codeOf(t *testing.T, section, lang string) string {
	t.Helper()
	m := regexp.MustCompile("(?s)```" + lang + "\n(.*?)```").FindStringSubmatch(section)
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
	fill := strings.NewReplacer("port: 4222\n", "", "SECRET", "p", "/var/lib/nats", t.TempDir())
	conn := connect(t, start(t, fill.Replace(code(t, "nats"))).Addr, nats.UserInfo("notes", "p"))
	bus, err := natsbus.NewBus(conn, "mcp.notes")
	if err != nil {
		t.Fatal(err)
	}
	if err := hears(t, bus); err != nil {
		t.Error(err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	store, err := natsbus.NewSessions(js, "mcp-notes-sessions", natsbus.SessionsOptions{})
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
