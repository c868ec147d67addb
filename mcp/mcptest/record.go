package mcptest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
)

// Record runs script in each revision of the protocol and compares the messages with testdata/NAME.txtar, which has one
// section for each revision: "-> " and a message to the server, or "<- " and a message from it. start returns a new
// server. Each run is a bubble of package synctest, in which timers fire only when all goroutines wait. The client
// sends a message only then too, so that the answers to earlier messages are recorded first. script must wait for
// messages that a timer causes, so that the order of messages is the same in every run. Sealed cursors and states,
// random ids and references to slog records are recorded as fixed words.
//
// If the test binary has a flag -update and it is set, Record writes the file instead:
//
//	var _ = flag.Bool("update", false, "write the files of testdata again")
func Record(t *testing.T, name string, start func(t *testing.T) Server,
	script func(c *Client, rev protocol.Revision), opts ...Option,
) {
	t.Helper()
	comment := "Messages of " + t.Name() + "; -> to the server, <- from it."
	Compare(t, name, comment, func(t *testing.T, rev protocol.Revision) func() string {
		settles := func(c *Client) { c.settle = synctest.Wait }
		c := New(t, start(t), append(opts, WithRevision(rev), WithTimeout(time.Hour), settles)...)
		script(c, rev)
		c.settle()
		text := strings.Join(c.Transcript(), "\n") + "\n" // what follows is the end of the test
		return func() string { return text }
	})
}

// Compare is [Record] for conversations with another client. play runs the conversation of one revision, in a bubble of
// package synctest, and returns a function that returns its text after the bubble has ended. The file begins with
// comment.
func Compare(t *testing.T, name, comment string, play func(t *testing.T, rev protocol.Revision) func() string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txtar")
	update := updating()
	old, err := os.ReadFile(file)
	if err != nil && !update {
		t.Fatalf("mcptest: %v; %s", err, howToUpdate())
	}
	want := sections(strings.ReplaceAll(string(old), "\r\n", "\n"))
	var out strings.Builder
	out.WriteString(comment + " Rewrite with go test -update.\n\n")
	for _, rev := range mcp.Revisions() {
		section := rev.String() + ".wire"
		ran := false
		t.Run(name+" "+rev.String(), func(t *testing.T) {
			ran = true
			var record func() string
			synctest.Test(t, func(t *testing.T) { record = play(t, rev) })
			text := mask(record())
			fmt.Fprintf(&out, "-- %s --\n%s", section, text)
			if !update && text != want[section] {
				t.Errorf("mcptest: %s: section %s differs; %s\n%s", file, section, howToUpdate(), difference(want[section], text))
			}
		})
		if text := want[section]; !ran && text != "" { // the flag -run has left it out
			fmt.Fprintf(&out, "-- %s --\n%s", section, text)
		}
	}
	if !update {
		return
	}
	if err := os.MkdirAll("testdata", 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// updating reports whether the test binary was run with -update.
func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

func howToUpdate() string {
	if flag.Lookup("update") == nil {
		return `to write it, declare a flag: var _ = flag.Bool("update", false, "write the files of testdata again")`
	}
	return "go test -update writes it again"
}

// sections returns the parts of a file in txtar format, by name.
func sections(text string) map[string]string {
	parts := map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
		if head, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(head, " --\n") {
			name = strings.TrimSuffix(head, " --\n")
			continue
		}
		if name != "" {
			parts[name] += line
		}
	}
	return parts
}

// masked replaces what differs from run to run: sealed cursors and states, random ids and references to slog records.
var masked = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{regexp.MustCompile(`"(nextCursor|cursor)":"[A-Za-z0-9_-]{20,}"`), `"$1":"SEALED"`},
	{regexp.MustCompile(`"requestState":"[A-Za-z0-9_-]{20,}"`), `"requestState":"SEALED"`},
	{regexp.MustCompile(`"elicitationId":"[A-Z0-9]{20,}"`), `"elicitationId":"RANDOM"`},
	{regexp.MustCompile(`"[0-9A-V]{10}[A-Z2-7]{26}"`), `"TASK"`},
	{regexp.MustCompile(`Mcp-Name: [0-9A-V]{10}[A-Z2-7]{26}\b`), `Mcp-Name: TASK`},
	{regexp.MustCompile(`\(ref [0-9a-f]+\)`), `(ref 0000)`},
}

func mask(text string) string {
	for _, m := range masked {
		text = m.pattern.ReplaceAllString(text, m.text)
	}
	return text
}
