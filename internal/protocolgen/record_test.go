package protocolgen

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/dev/overlay"
)

// TestReleasedSchemasStay runs mcpgen without files whose package the record has: each is an error that names what is
// missing, and nothing of the record is lost in silence. All are gone at once, because the program is built for that.
func TestReleasedSchemasStay(t *testing.T) {
	folder, err := filepath.Abs("../../schema")
	if err != nil {
		t.Fatal(err)
	}
	without := map[string][]byte{}
	for _, gone := range []string{"2025-03-26.json", "ext/ui/*"} {
		files, err := filepath.Glob(filepath.Join(folder, gone))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, f := range files {
			without[f] = nil
		}
	}
	flag, err := overlay.Write(t.TempDir(), without)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", flag, "./cmd/mcpgen", "protocol", "-check")
	cmd.Dir = filepath.Dir(folder)
	out, err := cmd.CombinedOutput()
	for _, want := range []string{
		"schema/2025-03-26.json is gone, and schema/api.json has what its revision gave, which stays: bring the file back",
		"schema/ext/ui is gone, and schema/api.json has what the package of io.modelcontextprotocol/ui gave, which stays: " +
			`bring the folder back, or take "io.modelcontextprotocol/ui" out of "extensions" of schema/api.json if nobody ` +
			"has that package",
	} {
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %s", err, out)
		}
	}
}
