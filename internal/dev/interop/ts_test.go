package interop

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/interop/httpfixture"
)

const (
	tsDir = "ts"
	// nodePatience bounds a run of Node.js. Several start at once, and reading a library alone takes seconds on a busy
	// machine.
	nodePatience = 2 * time.Minute
)

// tsReport is what ts/client.mjs prints.
type tsReport struct {
	Revision     string
	ServerInfo   struct{ Name, Title, Version string }
	Capabilities struct {
		Resources struct{ Subscribe, ListChanged bool }
	}
	Resources, Templates, Completions, Tools []string
	Prompts, Messages, Tones                 []string
	Note, Readme, Index, Edited, Updated     string
	Missing                                  struct {
		Code int
		Data struct{ URI string }
	}
	Search struct {
		Matches []struct{ URI, Line string }
	}
	Honored struct{ ResourceSubscriptions []string }
	Booked  struct{ Name, Class string }
	Paid    bool
	Advice  string
	// AfterUnsubscribe are the updates since alpha is no longer subscribed to.
	AfterUnsubscribe []string
}

// tsClients are the versions of the SDK, each with the newest and the oldest revision that it speaks.
var tsClients = []struct {
	sdk, revision string
	notFound      int
}{
	{"v1", "2025-11-25", -32002},
	{"v1", "2024-11-05", -32002},
	{"v2", "2026-07-28", -32602},
	{"v2", "2024-11-05", -32602}, // so its callers see -32002 of the wire
}

// TestTypeScriptClients drives the notes server over stdio, and several servers over HTTP, with version 1 and
// version 2 of the TypeScript SDK.
func TestTypeScriptClients(t *testing.T) {
	needTS(t)
	for _, tt := range tsClients {
		t.Run(tt.sdk+" "+tt.revision+" stdio", func(t *testing.T) {
			t.Parallel()
			bin, dir := notesServer(t)
			checkTS(t, runTS(t, tt.sdk, tt.revision, dir, bin), tt.revision, tt.notFound)
		})
		t.Run(tt.sdk+" "+tt.revision+" http", func(t *testing.T) {
			t.Parallel()
			s := httpfixture.Start(t, openValidator(t), tt.revision)
			r := runTS(t, tt.sdk, tt.revision, s.Dir, s.Notes, s.Desk, s.Ask)
			checkTS(t, r, tt.revision, tt.notFound)
			checkTSPrompts(t, r, tt.revision)
			if b := r.Booked; tt.revision >= "2025-06-18" && (b.Name != "Ada" || b.Class != "first") {
				t.Errorf("booked %+v", b)
			}
			if tt.revision >= "2025-11-25" && (!r.Paid || r.Advice != "Old. (1 folders)") {
				t.Errorf("paid %t, advice %q", r.Paid, r.Advice)
			}
		})
	}
}

// needTS skips or fails a test whose clients are not installed and cannot be.
func needTS(t *testing.T) {
	t.Helper()
	for _, bin := range []string{"node", "npm"} {
		if _, err := exec.LookPath(bin); err != nil {
			absent(t, "the clients of the TypeScript SDK need node 20 and npm: "+err.Error())
		}
	}
	if text, err := installTS(); err != nil {
		absent(t, "the clients of the TypeScript SDK are missing, run make setup: "+err.Error()+"\n"+text)
	}
}

// checkTS checks what a client saw of the notes.
func checkTS(t *testing.T, r tsReport, revision string, notFound int) {
	t.Helper()
	checkTSReads(t, r, revision)
	if r.Revision != revision {
		t.Errorf("agreed on %s, want %s", r.Revision, revision)
	}
	if r.Missing.Code != notFound || r.Missing.Data.URI != "notes:///gamma" {
		t.Errorf("a missing note gives %+v, want code %d", r.Missing, notFound)
	}
	if revision == "2026-07-28" && !slices.Equal(r.Honored.ResourceSubscriptions, []string{"notes:///alpha"}) {
		t.Errorf("honoured %q", r.Honored.ResourceSubscriptions)
	}
}

// checkTSPrompts checks what a client saw of the prompts.
func checkTSPrompts(t *testing.T, r tsReport, revision string) {
	t.Helper()
	prompts, tones := []string{"welcome", "review", "evidence", "desk-report"}, []string{"friendly"}
	if revision == "2024-11-05" { // has no audio, nor a capability for completions
		prompts, tones = []string{"welcome", "review", "desk-report"}, nil
	}
	if !slices.Equal(r.Prompts, prompts) || !slices.Equal(r.Tones, tones) {
		t.Errorf("prompts %q, want %q; tones %q, want %q", r.Prompts, prompts, r.Tones, tones)
	}
	if m := r.Messages; len(m) != 3 || m[0] != "user text Write a friendly answer to this ticket." ||
		m[1] != "user resource tickets:///OPS/1" {
		t.Errorf("messages of a prompt %q", m)
	}
}

// TestLockFile: the lock file pins contents, not the registry that one of us happens to use.
func TestLockFile(t *testing.T) {
	for _, dir := range []string{tsDir, sseDir, "webhooks"} {
		text, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), `"resolved"`) {
			t.Errorf("%s/package-lock.json names a registry; %[1]s/.npmrc tells npm to leave that out", dir)
		}
	}
}

// installTS runs npm ci once per checkout.
var installTS = sync.OnceValues(func() (string, error) {
	if _, err := os.Stat(filepath.Join(tsDir, "node_modules")); err == nil {
		return "", nil
	}
	cmd := exec.Command("npm", "ci", "--no-progress")
	cmd.Dir = tsDir
	out, err := cmd.CombinedOutput()
	return string(out), err
})

// runTS runs client.mjs, which explains the arguments.
func runTS(t *testing.T, args ...string) tsReport {
	t.Helper()
	if _, err := os.Stat(filepath.Join(tsDir, "client.mjs")); err != nil { // tells go test to run again when it changes
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), nodePatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{"client.mjs"}, args...)...)
	cmd.Dir = tsDir
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("client.mjs %q: %v\n%s", args, err, out)
	}
	var r tsReport
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("report: %v\n%s", err, out)
	}
	return r
}

// checkTSReads checks what is nearly the same in all revisions.
func checkTSReads(t *testing.T, r tsReport, revision string) {
	t.Helper()
	completions, title := []string{"alpha"}, "Team notes"
	if revision < "2025-06-18" {
		title = "" // servers have a name only
	}
	if revision == "2024-11-05" {
		completions = nil
	}
	if r.ServerInfo.Name != "notes" || r.ServerInfo.Title != title || r.ServerInfo.Version != "1.0.0" {
		t.Errorf("server info %+v", r.ServerInfo)
	}
	if c := r.Capabilities.Resources; !c.Subscribe || !c.ListChanged {
		t.Errorf("capabilities of resources %+v", c)
	}
	lists := []struct {
		name      string
		got, want []string
	}{
		{"resources", r.Resources, []string{"docs:///readme", "notebook:///index", "notes:///alpha", "notes:///beta"}},
		{"templates", r.Templates, []string{"notes:///{name}"}},
		{"completions", r.Completions, completions},
		{"tools", r.Tools, []string{"search"}},
		{"updates after unsubscribe", r.AfterUnsubscribe, []string{"notes:///beta", "notes:///beta"}},
	}
	for _, l := range lists {
		if !slices.Equal(l.got, l.want) {
			t.Errorf("%s %q, want %q", l.name, l.got, l.want)
		}
	}
	if r.Note != alphaText || r.Edited != "edited\n" || r.Updated != "notes:///alpha" ||
		!strings.HasPrefix(r.Readme, "# Team notes\n") {
		t.Errorf("note %q, edited %q, updated %q, readme %q", r.Note, r.Edited, r.Updated, r.Readme)
	}
	if r.Index != "- [alpha](notes:///alpha)\n- [beta](notes:///beta)\n" {
		t.Errorf("index %q", r.Index)
	}
	if m := r.Search.Matches; len(m) != 1 || m[0].URI != "notes:///beta" || m[0].Line != "The second letter." {
		t.Errorf("search %+v", m)
	}
}
