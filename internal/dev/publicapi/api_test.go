package publicapi

import (
	"flag"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the listing of the public API")

const (
	root   = "../../.."
	module = "github.com/mcpgen/mcpgen/"
	// listings is the folder with a file for each package.
	listings = root + "/api"
)

// public are the packages for users, which the promise of v1 covers. The packages wire and mcprt are for generated
// code, and internal/dev/contract guards what that uses.
var public = []string{"mcp", "mcp/event", "mcp/event/logtest", "mcp/event/storetest", "mcp/exchange", "mcp/mcpapp",
	"mcp/mcphttp", "mcp/mcpskill", "mcp/mcptest", "mcp/replica", "mcp/replica/bustest", "mcp/replica/memory",
	"mcp/replica/sessiontest", "mcp/stats", "mcp/stdio", "mcp/task", "mcp/task/taskstoretest", "mcp/transport",
	"mcp/webhook", "mcp/webhook/webhooktest"}

// load returns the public packages, in that order, from what the go command has compiled.
var load = sync.OnceValues(func() ([]*types.Package, error) {
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, p := range public {
		args = append(args, "./"+p)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	list, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(list)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	out := make([]*types.Package, len(public))
	for i, p := range public {
		if out[i], err = imp.Import(module + p); err != nil {
			return nil, err
		}
	}
	return out, nil
})

func publicPackages(t *testing.T) []*types.Package {
	t.Helper()
	// Looking at the folders tells go test to run this again after any change in them.
	err := filepath.WalkDir(filepath.Join(root, "mcp"), func(_ string, _ fs.DirEntry, err error) error { return err })
	if err != nil {
		t.Fatal(err)
	}
	pkgs, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return pkgs
}

// exported returns the exported top-level objects of a package, in the order of their names.
func exported(p *types.Package) (out []types.Object) {
	for _, name := range p.Scope().Names() {
		if ast.IsExported(name) {
			out = append(out, p.Scope().Lookup(name))
		}
	}
	return out
}

// TestListing compares the public API with its listing in api/, one file for each package.
func TestListing(t *testing.T) {
	for i, p := range publicPackages(t) {
		file := filepath.Join(listings, strings.ReplaceAll(public[i], "/", "-")+".txt")
		now := strings.Join(lines(p), "\n") + "\n"
		old, err := os.ReadFile(file)
		switch {
		case string(old) == now:
		case *update:
			if err := os.WriteFile(file, []byte(now), 0o600); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("the API of %s has changed (%v): write a line with the reason into CHANGELOG.md, and run "+
				"go test ./internal/dev/publicapi -update\n%s", public[i], err, changed(string(old), now))
		}
	}
}

// changed returns the lines that only one of two texts has, with - and +.
func changed(old, now string) string {
	var b strings.Builder
	before, after := strings.Split(old, "\n"), strings.Split(now, "\n")
	for _, line := range before {
		if !slices.Contains(after, line) {
			b.WriteString("- " + line + "\n")
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			b.WriteString("+ " + line + "\n")
		}
	}
	return b.String()
}
