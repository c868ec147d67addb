package work

import (
	"fmt"
	"os"
	"path/filepath"
)

// WriteLarge writes the two annotated packages that are too large to be committed, below dir:
// many has a thousand templates, literal a thousand resources.
func WriteLarge(dir string) error {
	many := []byte("// Package many serves a thousand templates.\n//\n//mcp:server name=many version=v1.0.0\npackage many\n\nimport \"context\"\n")
	for i := range Many {
		many = fmt.Appendf(many, "\n// T%03d returns the name it was asked for.\n//\n//mcp:resource uri=many:///t%03d/{id}/text mime=text/plain list=none\n"+
			"func T%03d(ctx context.Context, id string) (string, error) { return id, nil }\n", i, i, i)
	}
	literal := []byte("// Package literal serves a thousand resources.\n//\n//mcp:server name=literal version=v1.0.0\npackage literal\n")
	for i := range Many {
		literal = fmt.Appendf(literal, "\n// E%03d is of no interest.\n//\n//mcp:resource uri=list:///%s name=%s mime=text/plain \"desc=%s\"\n"+
			"var E%03d = \"text\"\n", i, ID(i), ID(i), ListDescription, i)
	}
	for name, text := range map[string][]byte{"many": many, "literal": literal} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			return err
		}
		if err := writeIfChanged(filepath.Join(dir, name, name+".go"), text); err != nil {
			return err
		}
	}
	return nil
}

// writeIfChanged spares the build cache.
func writeIfChanged(path string, text []byte) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == string(text) {
		return nil
	}
	return os.WriteFile(path, text, 0o666)
}
