package interop

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/internal/dev/interop/validator"
)

var sectionRevision = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)

// probes are requests that clients send although there are none such, by server, method and revision, with the reason.
var probes = map[string]string{
	"jobs tasks/get 2024-11-05":  noTasks,
	"jobs tasks/get 2025-03-26":  noTasks,
	"jobs tasks/get 2025-06-18":  noTasks,
	"jobs tasks/list 2026-07-28": "the extension has no list, and the server says so",
}

const noTasks = "tasks begin with 2025-11-25, and the server says so"

// TestTranscripts validates every message that a server writes in the golden transcripts.
func TestTranscripts(t *testing.T) {
	t.Attr("requirements", "msg-jsonrpc")
	schemas, used := openValidator(t), map[string]bool{}
	schemas.ForAll("com.example/search/count") // of golden/search
	files, err := filepath.Glob(filepath.Join(root, "golden/*/testdata/*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts in golden/*/testdata: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range archive.Files {
			if !strings.HasSuffix(section.Name, ".wire") {
				continue
			}
			t.Run(filepath.Base(file)+"/"+section.Name, func(t *testing.T) {
				revision := sectionRevision.FindString(section.Name)
				if revision == "" {
					revision = "2025-11-25"
				}
				s := schemas.Session(revision)
				assumeDeclared(s, archive)
				var strict func(string) bool
				if overHTTP(file) {
					server := filepath.Base(filepath.Dir(filepath.Dir(file)))
					strict = func(msg string) bool { return !isProbe(used, server, revision, msg) }
				}
				validateTranscript(t, s, string(section.Data), strict)
			})
		}
	}
	for what := range probes {
		if !used[what] {
			t.Errorf("no client sends %s, for which there is a reason", what)
		}
	}
}

// assumeDeclared tells the validator what the server declares anywhere in a file, since some sections do without
// asking.
func assumeDeclared(s *validator.Session, archive *txtar.Archive) {
	for _, section := range archive.Files {
		for line := range strings.Lines(string(section.Data)) {
			if msg, ok := strings.CutPrefix(line, "<- "); ok {
				s.Assume([]byte(strings.TrimSpace(msg)))
			}
		}
	}
}

// isProbe reports whether a message is one of probes.
func isProbe(used map[string]bool, server, revision, msg string) bool {
	var m struct{ Method string }
	_ = json.Unmarshal([]byte(msg), &m) // text that is no message has no method
	what := server + " " + m.Method + " " + revision
	used[what] = true
	return probes[what] != ""
}

// validateTranscript reads lines "-> message of the client" and "<- message of the server"; others are comments.
// Strict, which may be nil, tells which messages of the client have no mistakes either.
func validateTranscript(t *testing.T, s *validator.Session, text string, strict func(msg string) bool) {
	t.Helper()
	asked, judged := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if msg, ok := strings.CutPrefix(line, "-> "); ok {
			asked++
			if err := s.CheckClient([]byte(msg)); err != nil && strict != nil && strict(msg) {
				t.Error(err)
			}
		}
		if msg, ok := strings.CutPrefix(line, "<- "); ok {
			judged++
			if err := s.FromServer([]byte(msg)); err != nil {
				t.Error(err)
			}
		}
	}
	if judged == 0 && asked > 0 {
		t.Error("no message of a server in this section")
	}
}

// claim is the _meta member that revision 2026-07-28 wants in the params of every request.
const claim = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// asks are requests that every revision knows. %META% stands for claim or nothing.
var asks = []string{
	`"method":"resources/list","params":{%META%}`,
	`"method":"resources/templates/list","params":{%META%}`,
	`"method":"resources/read","params":{"uri":"notes:///alpha"%,META%}`,
	`"method":"resources/read","params":{"uri":"docs:///readme"%,META%}`,
	`"method":"resources/read","params":{"uri":"notes:///gamma"%,META%}`,
	`"method":"resources/read","params":{%META%}`,
	`"method":"resources/list","params":{"cursor":"nonsense"%,META%}`,
	`"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"notes:///{name}"},"argument":{"name":"name","value":""}%,META%}`,
	`"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"no:///{name}"},"argument":{"name":"name","value":""}%,META%}`,
	`"method":"tools/list","params":{%META%}`,
	`"method":"tools/call","params":{"name":"search","arguments":{"query":"letter"}%,META%}`,
	`"method":"tools/call","params":{"name":"search","arguments":{"query":1}%,META%}`,
	`"method":"tools/call","params":{"name":"nothing"%,META%}`,
	`"method":"no/such","params":{%META%}`,
}

// TestEveryRevision sends raw requests to the notes server in each revision and validates what it answers.
func TestEveryRevision(t *testing.T) {
	t.Attr("requirements", "init-negotiated")
	schemas := openValidator(t)
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(revision, func(t *testing.T) {
			lines := []string{
				`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`,
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
				`{"jsonrpc":"2.0","id":"ping","method":"ping"}`,
				`{"jsonrpc":"2.0","id":"sub","method":"resources/subscribe","params":{"uri":"notes:///alpha"}}`,
				`{"jsonrpc":"2.0","id":"not","method":"resources/subscribe","params":{"uri":"notebook:///index"}}`,
				`{"jsonrpc":"2.0","id":"end","method":"resources/unsubscribe","params":{"uri":"notes:///alpha"}}`,
			}
			converse(t, schemas.Session(revision), append(lines, numbered("")...))
		})
	}
	t.Run("2026-07-28", func(t *testing.T) {
		lines := []string{
			`{"jsonrpc":"2.0","id":"open","method":"server/discover","params":{` + claim + `}}`,
			`{"jsonrpc":"2.0","id":"old","method":"tools/list","params":{` + strings.Replace(claim, "2026-07-28", "1999-01-01", 1) + `}}`,
			`{"jsonrpc":"2.0","id":"bare","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
			`{"jsonrpc":"2.0","id":"gone","method":"resources/subscribe","params":{"uri":"notes:///alpha",` + claim + `}}`,
		}
		converse(t, schemas.Session("2026-07-28"), append(lines, numbered(claim)...))
	})
	t.Run("both eras in one process", func(t *testing.T) {
		lines := []string{
			`{"jsonrpc":"2.0","id":"probe","method":"server/discover","params":{` + claim + `}}`,
			`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			`{"jsonrpc":"2.0","id":"modern","method":"resources/read","params":{"uri":"notes:///beta",` + claim + `}}`,
		}
		converse(t, schemas.Session("2025-06-18"), append(lines, numbered("")...))
	})
}

// numbered writes asks as requests with the given _meta member, which may be empty.
func numbered(meta string) []string {
	after := meta
	if meta != "" {
		after = "," + meta
	}
	lines := make([]string, len(asks))
	for i, ask := range asks {
		ask = strings.NewReplacer("%META%", meta, "%,META%", after).Replace(ask)
		lines[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i, ask)
	}
	return lines
}

// TestListenEnds: the end of a listen is told by its result and then, since this is stdio, by notifications/cancelled.
func TestListenEnds(t *testing.T) {
	t.Attr("requirements", "cancel-listen listen-end")
	schemas := openValidator(t)
	s := startRaw(t, schemas.Session("2026-07-28"))
	s.send(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["notes:///alpha"],"promptsListChanged":true},` + claim + `}}`)
	ack, _ := s.next()
	if !strings.Contains(ack, `"notifications/subscriptions/acknowledged"`) ||
		strings.Contains(ack, "promptsListChanged") {
		t.Errorf("a listen is answered with %s", ack)
	}
	rest := s.end()
	if len(rest) != 2 || !strings.Contains(rest[0], `"result"`) ||
		!strings.Contains(rest[1], `"notifications/cancelled"`) {
		t.Errorf("a listen ends with %q", rest)
	}
}
