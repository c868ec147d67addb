package golden

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/output"
)

// serverLine is a server directive.
var serverLine = regexp.MustCompile(`(?m)^(//mcp:server .*)$`)

// TestSplitCompiles generates examples that have most of what is generated with their output in parts, which must
// compile.
func TestSplitCompiles(t *testing.T) {
	dir := tempModule(t, "", otherModule)
	var patterns []string
	for _, name := range []string{"board", "forms", "plain", "shapes", "twins", "vault"} {
		copyReversed(t, name, filepath.Join(dir, name))
		patterns = append(patterns, "./"+name)
		files, err := filepath.Glob(filepath.Join(dir, name, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			write(t, file, serverLine.ReplaceAllString(read(t, file), "$1 split"))
		}
	}
	r := generate(t, dir, patterns...)
	if _, err := r.Write(output.Disk{}); err != nil {
		t.Fatal(err)
	}
	outputs := map[string][]byte{}
	for _, pattern := range patterns {
		if parts, err := filepath.Glob(filepath.Join(dir, pattern, "*_"+load.OutputName)); err != nil || len(parts) == 0 {
			t.Errorf("%s has no parts", pattern)
		}
		outputs[filepath.Join(dir, pattern)] = nil // they are written
	}
	compileAll(t, dir, outputs)
}
