package server

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestStaleOutputSaysWhatToDo changes the signature of every annotated method of golden/notes in a way
// that its callers would not notice, and compiles that with the committed output.
func TestStaleOutputSaysWhatToDo(t *testing.T) {
	source, err := filepath.Abs("../../golden/notes/notes.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	method := regexp.MustCompile(`(func \(n \*Notes\) (Index|Note|CompleteName|WatchNote)\([^)]*)\)`)
	if n := len(method.FindAll(text, -1)); n != 4 {
		t.Fatalf("%d methods found", n)
	}
	changed := filepath.Join(t.TempDir(), "notes.go")
	if err := os.WriteFile(changed, method.ReplaceAll(text, []byte("$1, _ ...int)")), 0o600); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{source: changed}})
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(filepath.Dir(changed), "overlay.json")
	if err := os.WriteFile(config, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", os.DevNull, "-overlay", config,
		"../../golden/notes").CombinedOutput()
	if err == nil {
		t.Fatal("the stale output compiles")
	}
	for _, want := range []string{"methods_of_Notes_changed__run_go_generate (wrong type for method ",
		"have ", "want "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the compiler does not say %q:\n%s", want, out)
		}
	}
}
