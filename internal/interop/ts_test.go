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
)

const tsDir = "ts"

// tsReport is what ts/client.mjs prints.
type tsReport struct {
	Revision     string
	ServerInfo   struct{ Name, Title, Version string }
	Capabilities struct {
		Resources struct{ Subscribe, ListChanged bool }
	}
	Resources, Templates, Completions, Tools []string
	Note, Readme, Index, Edited, Updated     string
	Missing                                  struct {
		Code int
		Data struct{ URI string }
	}
	Search struct {
		Matches []struct{ URI, Line string }
	}
	Honored struct{ ResourceSubscriptions []string }
	// AfterUnsubscribe are the updates since alpha is no longer subscribed to.
	AfterUnsubscribe []string
}

// TestTypeScriptClients drives the notes server with version 1 and version 2 of the TypeScript SDK.
func TestTypeScriptClients(t *testing.T) {
	for _, bin := range []string{"node", "npm"} {
		if _, err := exec.LookPath(bin); err != nil {
			absent(t, "the clients of the TypeScript SDK need node 20 and npm: "+err.Error())
		}
	}
	if text, err := installTS(); err != nil {
		absent(t, "npm ci in internal/interop/ts failed: "+err.Error()+"\n"+text)
	}
	tests := []struct {
		era, revision string
		notFound      int
	}{
		{"legacy", "2025-11-25", -32002},
		{"modern", "2026-07-28", -32602},
	}
	for _, tt := range tests {
		t.Run(tt.era, func(t *testing.T) {
			t.Parallel()
			r := runTS(t, tt.era)
			checkTSReads(t, r)
			if r.Revision != tt.revision {
				t.Errorf("agreed on %s, want %s", r.Revision, tt.revision)
			}
			if r.Missing.Code != tt.notFound || r.Missing.Data.URI != "notes:///gamma" {
				t.Errorf("a missing note gives %+v, want code %d", r.Missing, tt.notFound)
			}
			if tt.era == "modern" && !slices.Equal(r.Honored.ResourceSubscriptions, []string{"notes:///alpha"}) {
				t.Errorf("honoured %q", r.Honored.ResourceSubscriptions)
			}
		})
	}
}

// TestLockFile: the lock file pins contents, not the registry that one of us happens to use.
func TestLockFile(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(tsDir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), `"resolved"`) {
		t.Error("ts/package-lock.json names a registry; ts/.npmrc tells npm to leave that out")
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

// runTS runs client.mjs against a server of its own.
func runTS(t *testing.T, era string) tsReport {
	t.Helper()
	if _, err := os.Stat(filepath.Join(tsDir, "client.mjs")); err != nil { // tells go test to run again when it changes
		t.Fatal(err)
	}
	bin, dir := notesServer(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "client.mjs", era, bin, dir)
	cmd.Dir = tsDir
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("client.mjs %s: %v\n%s", era, err, out)
	}
	var r tsReport
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("report: %v\n%s", err, out)
	}
	return r
}

// checkTSReads checks what is the same in both eras.
func checkTSReads(t *testing.T, r tsReport) {
	t.Helper()
	if r.ServerInfo.Name != "notes" || r.ServerInfo.Title != "Team notes" || r.ServerInfo.Version != "v1.0.0" {
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
		{"completions", r.Completions, []string{"alpha"}},
		{"tools", r.Tools, []string{"search"}},
		{"updates after unsubscribe", r.AfterUnsubscribe, []string{"notes:///beta", "notes:///beta"}},
	}
	for _, l := range lists {
		if !slices.Equal(l.got, l.want) {
			t.Errorf("%s %q, want %q", l.name, l.got, l.want)
		}
	}
	if r.Note != alphaText || r.Edited != "edited\n" || r.Updated != "notes:///alpha" || !strings.HasPrefix(r.Readme, "# Team notes\n") {
		t.Errorf("note %q, edited %q, updated %q, readme %q", r.Note, r.Edited, r.Updated, r.Readme)
	}
	if r.Index != "- [alpha](notes:///alpha)\n- [beta](notes:///beta)\n" {
		t.Errorf("index %q", r.Index)
	}
	if m := r.Search.Matches; len(m) != 1 || m[0].URI != "notes:///beta" || m[0].Line != "The second letter." {
		t.Errorf("search %+v", m)
	}
}
