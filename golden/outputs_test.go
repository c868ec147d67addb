package golden

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestOutputs generates the sources of each archive in outputs. Each line of its want section must be in the output,
// and what stands behind "not:" must not; all white space is one space.
func TestOutputs(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("outputs", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			proves(t, ar)
			dir, last := tempModule(t, "", "example.com/m"), len(ar.Files)-1
			for _, f := range ar.Files[:last] {
				write(t, filepath.Join(dir, f.Name), string(f.Data))
			}
			out := strings.Join(strings.Fields(string(outputIn(t, dir, "."))), " ")
			for want := range strings.Lines(string(ar.Files[last].Data)) {
				text, not := strings.CutPrefix(strings.TrimSpace(want), "not: ")
				if strings.Contains(out, text) == not {
					t.Errorf("%q is in the output: %v\n%s", text, !not, out)
				}
			}
		})
	}
}
