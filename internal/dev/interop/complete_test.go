package interop

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// overHTTP reports whether a transcript is one of HTTP.
func overHTTP(file string) bool { return strings.HasPrefix(filepath.Base(file), "http_") }

// unwritten are methods that no transcript has, by name and then by name, side, transport or revision as far as
// needed, with the reason.
var unwritten = map[string]string{
	"tasks/cancel server":                            clientTasks,
	"tasks/get server":                               clientTasks,
	"tasks/list server":                              clientTasks,
	"tasks/result server":                            clientTasks,
	"notifications/tasks/status":                     "those of clients tell of tasks that ours does not ask for, those of servers are optional",
	"notifications/elicitation/complete server":      "handlers have no way yet to say that a web page is done",
	"ping server":                                    "ours does not ping clients: a write that fails tells it as much",
	"notifications/progress client stdio 2026-07-28": goneProgress,
	"notifications/progress client http 2026-07-28":  goneProgress,
	"notifications/cancelled client http 2026-07-28": "clients hang up instead",
	"notifications/cancelled server http 2026-07-28": "the stream ends instead",
}

const clientTasks = "ours asks clients for no tasks of theirs"

const goneProgress = "clients have nothing left to report on, since servers send no requests"

// TestTranscriptsAreComplete: every method of every revision is in a transcript of each transport, said by each side
// that may say it.
func TestTranscriptsAreComplete(t *testing.T) {
	said := saidInTranscripts(t)
	used := make(map[string]bool)
	for _, m := range protocol.Methods {
		for _, rev := range protocol.Revisions() {
			if rev < m.Since || rev > m.Until {
				continue
			}
			for side, name := range map[protocol.Side]string{protocol.Client: "client", protocol.Server: "server"} {
				for _, transport := range []string{"stdio", "http"} {
					if m.From&side == 0 || said[fmt.Sprint(m.Name, " ", name, " ", transport, " ", rev)] {
						continue
					}
					if !excused(used, m.Name, name, transport, rev.String()) {
						t.Errorf("no transcript over %s has %s by the %s in %s", transport, m.Name, name, rev)
					}
				}
			}
		}
	}
	for what := range unwritten {
		if !used[what] {
			t.Errorf("there is a reason for the absence of %q, which is there", what)
		}
	}
}

// excused looks for a reason.
func excused(used map[string]bool, parts ...string) bool {
	for i := range parts {
		what := strings.Join(parts[:i+1], " ")
		if unwritten[what] != "" {
			used[what] = true
			return true
		}
	}
	return false
}

// saidInTranscripts returns "method side transport revision" of all that is said.
func saidInTranscripts(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "golden/*/testdata/*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	said := make(map[string]bool)
	for _, file := range files {
		transport := "stdio"
		if overHTTP(file) {
			transport = "http"
		} else if strings.HasPrefix(filepath.Base(file), "sse_") {
			continue
		}
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range archive.Files {
			revision, ok := strings.CutSuffix(section.Name, ".wire")
			for line := range strings.Lines(string(section.Data)) {
				side, text := "client", strings.TrimPrefix(line, "-> ")
				if text == line {
					side, text = "server", strings.TrimPrefix(line, "<- ")
				}
				var m struct{ Method string }
				if ok && text != line && json.Unmarshal([]byte(text), &m) == nil {
					said[strings.Join([]string{m.Method, side, transport, revision}, " ")] = true
				}
			}
		}
	}
	return said
}
