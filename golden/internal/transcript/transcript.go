// Package transcript compares what a golden server and its client say to each other with a committed
// record, one section for each revision of the protocol.
package transcript

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

var update = flag.Bool("update", false, "rewrite the golden transcripts")

// Script is what a client says in one revision. It must wait for everything that it causes, so that the order of
// messages is the same on every run.
type Script func(c *mcptest.Client, rev protocol.Revision)

// Start returns a fresh server for each revision.
type Start func(t *testing.T) mcptest.Server

// Run plays script in every revision and compares the messages with testdata/NAME.txtar; opts are for all clients.
func Run(t *testing.T, name string, start Start, script Script, opts ...mcptest.Option) {
	t.Helper()
	compare(t, name, "Messages of "+t.Name()+"; -> to the server, <- from it.", func(t *testing.T, rev protocol.Revision) func() string {
		c := mcptest.New(t, start(t), append(opts, mcptest.Revision(rev), mcptest.Timeout(time.Hour))...)
		script(c, rev)
		text := strings.Join(c.Transcript(), "\n") + "\n" // what follows is the end of the test
		return func() string { return text }
	})
}

// RunHTTP is Run over Streamable HTTP. testdata/http_NAME.txtar has each request followed by all of its response, so
// that it does not matter which of two streams is faster. start must return a generated server.
func RunHTTP(t *testing.T, name string, start Start, script Script, opts ...mcptest.Option) {
	t.Helper()
	compare(t, "http_"+name, "Requests of "+t.Name()+", each with its response; -> to the server, <- from it.", func(t *testing.T, rev protocol.Revision) func() string {
		srv, ok := start(t).(mcphttp.Server)
		if !ok {
			t.Fatal("no generated server")
		}
		w := newWeb(srv, rev)
		script(mcptest.New(t, w, append(opts, mcptest.Revision(rev), mcptest.Timeout(time.Hour))...), rev)
		return w.text // with the end of the session
	})
}

// Both is Run and RunHTTP.
func Both(t *testing.T, name string, start Start, script Script, opts ...mcptest.Option) {
	t.Helper()
	Run(t, name, start, script, opts...)
	RunHTTP(t, name, start, script, opts...)
}

// compare plays every revision and compares the records with a file, or writes it. play returns what gives the record
// when the connection has ended.
func compare(t *testing.T, name, comment string, play func(t *testing.T, rev protocol.Revision) func() string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txtar")
	want := read(t, file)
	got := &txtar.Archive{Comment: []byte(comment + " Rewrite with go test -update.\n\n")}
	for _, rev := range mcp.Revisions() {
		section := rev.String() + ".wire"
		t.Run(name+" "+rev.String(), func(t *testing.T) {
			var record func() string
			// In a bubble no timer fires before everything else has been done, so that an answer comes before
			// an update that waits for company, on a loaded machine too.
			synctest.Test(t, func(t *testing.T) { record = play(t, rev) })
			text := mask(record())
			got.Files = append(got.Files, txtar.File{Name: section, Data: []byte(text)})
			if !*update && text != want[section] {
				t.Errorf("%s: section %s differs; go test -update rewrites it\n%s", file, section, firstDifference(want[section], text))
			}
		})
	}
	if *update {
		if err := os.MkdirAll("testdata", 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, txtar.Format(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// read returns the sections of a committed record.
func read(t *testing.T, file string) map[string]string {
	t.Helper()
	sections := map[string]string{}
	data, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse(data).Files {
		sections[f.Name] = string(f.Data)
	}
	return sections
}

// masked is what differs from run to run: sealed cursors and states, ids by chance and references to the log.
var masked = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{regexp.MustCompile(`"(nextCursor|cursor)":"[A-Za-z0-9_-]{20,}"`), `"$1":"SEALED"`},
	{regexp.MustCompile(`"requestState":"[A-Za-z0-9_-]{20,}"`), `"requestState":"SEALED"`},
	{regexp.MustCompile(`"elicitationId":"[A-Z0-9]{20,}"`), `"elicitationId":"RANDOM"`},
	{regexp.MustCompile(`\(ref [0-9a-f]+\)`), `(ref 0000)`},
}

func mask(text string) string {
	for _, m := range masked {
		text = m.pattern.ReplaceAllString(text, m.text)
	}
	return text
}

// firstDifference shows the first line that is not equal.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		if i >= len(w) || i >= len(g) || w[i] != g[i] {
			return "want " + line(w, i) + "\ngot  " + line(g, i)
		}
	}
	return ""
}

func line(lines []string, i int) string {
	if i >= len(lines) {
		return "(end)"
	}
	return lines[i]
}
