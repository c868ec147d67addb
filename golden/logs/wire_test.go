package logs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/golden/logs"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

const app = `09:00:00 INFO started
09:00:01 DEBUG config read
09:00:02 WARN disk is 91% full
09:00:03 ERROR cannot save
	save.go:12
	main.go:7
09:00:04 INFO retried
`

var nine = time.Date(2026, 7, 28, 9, 0, 0, 0, time.UTC)

// newServer serves a directory with two log files, and things that are none.
func newServer(t *testing.T) (*logs.LogsServer, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"app.log": app, "web.log": "GET / 200\nGET /x 404\n",
		"secret.txt": "key\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(dir, name), nine, nine); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "old.log"), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := logs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	srv, err := logs.NewLogsServer(logs.LogsImpl{Logs: l}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return srv, dir
}

// add appends a line to a log file.
func add(t *testing.T, dir, name, line string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(line + "\n"); err != nil {
		t.Fatal(err)
	}
}

// What clients get that know tools only.
func TestWireTools(t *testing.T) {
	start := func(t *testing.T) mcptest.Server {
		srv, _ := newServer(t)
		return srv
	}
	transcript.Run(t, "tools", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.Do(protocol.MethodToolsList, nil)
		for _, params := range []string{
			`{"name":"list_resources"}`,
			`{"name":"read_resource","arguments":{"uri":"file:///logs/app.log?level=warn"}}`,
			`{"name":"read_resource","arguments":{"uri":"file:///logs/app.log?limit=0"}}`,
			`{"name":"read_resource","arguments":{"uri":"file:///logs/secret.txt"}}`,
			`{"name":"read_resource","arguments":{"path":"app.log"}}`,
		} {
			c.Do(protocol.MethodToolsCall, json.RawMessage(params))
		}
	})
}

// The whole of what the server answers, in each revision.
func TestWire(t *testing.T) {
	var dir string
	start := func(t *testing.T) mcptest.Server {
		var srv *logs.LogsServer
		srv, dir = newServer(t)
		return srv
	}
	transcript.Run(t, "wire", start, func(c *mcptest.Client, rev protocol.Revision) {
		if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
			c.Do(protocol.MethodServerDiscover, nil)
		}
		c.List()
		c.Templates()
		c.Read("file:///logs/app.log")
		c.Read("file:///logs/app.log?level=warn")
		c.Read("file:///logs/app.log?limit=1&level=error")
		c.Read("file:///logs/web.log?limit=1")
		c.Complete("file:///logs/{name}{?level,limit}", "name", "a")
		c.Complete("file:///logs/{name}{?level,limit}", "level", "")
		sub := c.Subscribe("file:///logs/app.log?level=error")
		add(t, dir, "app.log", "09:00:05 ERROR cannot save again")
		c.Read(sub.Next())
		sub.Close()
		for _, uri := range []string{
			"file:///logs/app.log?level=loud", "file:///logs/app.log?limit=0", "file:///logs/app.log?limit=1.5",
			"file:///logs/none.log", "file:///logs/old.log", "file:///logs/secret.txt", "file:///logs/..%2fapp.log",
			"file:///logs/",
		} {
			c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"`+uri+`"}`))
		}
	})
}

// A subscription hears of entries that its URI shows, whatever else is appended before.
func TestAppendedLines(t *testing.T) {
	for _, rev := range mcp.Revisions() {
		srv, dir := newServer(t)
		c := mcptest.New(t, srv, mcptest.WithRevision(rev))
		all, bad := c.Subscribe("file:///logs/app.log"), c.Subscribe("file:///logs/app.log?level=error&limit=1")
		add(t, dir, "app.log", "09:00:05 INFO still here")
		all.Next()
		if n := bad.Pending(); n != 0 {
			t.Errorf("%v: %d updates for an entry that is not shown", rev, n)
		}
		add(t, dir, "app.log", "09:00:06 ERROR gave up")
		all.Next()
		if text := c.Read(bad.Next()); text != "09:00:06 ERROR gave up\n" {
			t.Errorf("%v: got %q", rev, text)
		}
		if err := os.Rename(filepath.Join(dir, "app.log"), filepath.Join(dir, "app.1.log")); err != nil {
			t.Fatal(err)
		}
		bad.Next()
	}
}

// A URI is written as short as possible, and comes apart into the same values.
func TestURI(t *testing.T) {
	if uri := logs.TailURI("app.log", logs.Debug, 100); uri != "file:///logs/app.log" {
		t.Errorf("got %s", uri)
	}
	v, err := logs.ParseTailURI(logs.TailURI("a b.log", logs.Warn, 7))
	if v != (logs.TailVars{Name: "a b.log", Level: logs.Warn, Limit: 7}) || err != nil {
		t.Errorf("got %+v, %v", v, err)
	}
}
