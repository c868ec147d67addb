package gen

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/output"
)

// The runtime of a module may know a revision that the generator does not, and a module may have none.
func TestCheckRuntime(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/x\n\ngo 1.26\n\nrequire github.com/mcpgen/mcpgen v0.0.0\n\nreplace github.com/mcpgen/mcpgen => ./runtime\n",
		"x.go":   "package x\n\nimport _ \"github.com/mcpgen/mcpgen/generated/protocol\"\n",

		"runtime/go.mod": "module github.com/mcpgen/mcpgen\n\ngo 1.26\n",
		"runtime/generated/protocol/revision_gen.go": "package protocol\n\nfunc text(r int) string {\n\tswitch r {\n\tcase 1:\n" +
			"\t\treturn \"2025-11-25\"\n\tcase 2:\n\t\treturn \"2099-01-01\"\n\t}\n\treturn \"\"\n}\n",
		"none/go.mod": "module example.com/none\n\ngo 1.26\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for folder, want := range map[string]string{
		dir:                        "the runtime of this module knows revision 2099-01-01 of the protocol",
		filepath.Join(dir, "none"): "the generated code will not build: the packages of github.com/mcpgen/mcpgen cannot be",
		".":                        "", // the checkout does not know more than its generator
	} {
		r := &Result{Files: []output.File{{}}, Diags: new(diag.List)}
		err := r.CheckRuntime(t.Context(), folder, true)
		got := ""
		for _, d := range r.Diags.Sorted() {
			got += d.Message
		}
		if err != nil || !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q, %v; want %q", folder, got, err, want)
		}
	}
}
