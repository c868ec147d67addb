package golden

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compileAll type-checks every package together with its output, as the compiler would. The output is nil if it is in
// the folder.
func compileAll(t *testing.T, dir string, outputs map[string][]byte) {
	t.Helper()
	fset := token.NewFileSet()
	conf := types.Config{Importer: exportData(t, fset), Error: func(error) {}}
	for folder, data := range outputs {
		paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		var files []*ast.File
		if data != nil {
			paths = append(paths, "mcp_gen.go")
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			var src any
			if path == "mcp_gen.go" {
				src = data
			}
			f, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		if _, err := conf.Check("example.com/m", fset, files, nil); err != nil {
			t.Errorf("%s does not compile: %v", filepath.Base(folder), err)
		}
	}
}

// exportData imports what the compiler has built of the packages that outputs use.
func exportData(t *testing.T, fset *token.FileSet) types.Importer {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f",
		"{{.ImportPath}} {{.Export}}", "embed", "github.com/mcpgen/mcpgen/mcp", "github.com/mcpgen/mcpgen/golden/forms",
		"github.com/mcpgen/mcpgen/golden/board").Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
}
