package protocolgen

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReleasedSchemasStay runs mcpgen without files whose package the record has: each is an error that names what is
// missing, and nothing of the record is lost in silence.
func TestReleasedSchemasStay(t *testing.T) {
	for name, tt := range map[string]struct{ gone, want string }{
		"a revision": {
			"2025-03-26.json",
			"schema/2025-03-26.json is gone, and schema/api.json has what its revision gave, which stays: bring the file back",
		},
		"an extension": {
			"ext/ui/*",
			"schema/ext/ui is gone, and schema/api.json has what the package of io.modelcontextprotocol/ui gave, which stays: " +
				`bring the folder back, or take "io.modelcontextprotocol/ui" out of "extensions" of schema/api.json if nobody ` +
				"has that package",
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder, err := filepath.Abs("../../schema")
			if err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(folder, tt.gone))
			if err != nil || len(files) == 0 {
				t.Fatal(files, err)
			}
			without := map[string]string{}
			for _, f := range files {
				without[f] = ""
			}
			data, err := json.Marshal(map[string]any{"Replace": without})
			if err != nil {
				t.Fatal(err)
			}
			overlay := filepath.Join(t.TempDir(), "overlay.json")
			if err := os.WriteFile(overlay, data, 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "go", "run", "-overlay", overlay, "./cmd/mcpgen", "protocol",
				"-check")
			cmd.Dir = filepath.Dir(folder)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), tt.want) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
