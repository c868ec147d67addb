package contract

import (
	"flag"
	"fmt"
	"go/types"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/version"
)

var update = flag.Bool("update", false, "rewrite the listing of what generated code uses")

const (
	listing = "testdata/api.txt"
	// module and the packages that generated code calls.
	module = "github.com/mcpgen/mcpgen/"
)

var called = []string{module + "mcp", module + "mcp/mcprt", module + "mcp/mcpapp", module + "mcp/mcpskill",
	module + "mcp/mcptask", module + "mcp/internal/server", module + "mcp/internal/files", module + "mcp/internal/live",
	module + "mcp/internal/feature", module + "mcp/internal/access", module + "mcp/internal/call",
	module + "mcp/internal/content", module + "mcp/internal/uri", module + "mcp/wire", module + "generated/protocol"}

// TestAPI compares what the output in golden/ uses of the packages that it calls with the committed listing. Its first
// lines say which handshake it is of, and whether somebody may have output of that.
func TestAPI(t *testing.T) {
	data, err := os.ReadFile(listing)
	if err != nil && !*update {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	settled := len(lines) > 1 && lines[1] == "settled yes"
	head := []string{"contract " + regexp.MustCompile(`\d+$`).FindString(version.Contract), "settled no"}
	raised := lines[0] != head[0]
	if settled && !raised {
		head[1] = lines[1]
	}
	used := uses(t)
	delete(used, "type wire."+version.Contract+" struct")
	now := slices.Concat(head, slices.Sorted(maps.Keys(used)))
	changes := changed(lines, now)
	switch {
	case len(changes) == 0 && len(data) > 0:
	case settled && !raised:
		t.Errorf("generated code uses another API than that of %s, which is settled: raise the handshake as CONTRIBUTING.md says, "+
			"or keep what it uses\n%s", lines[0], strings.Join(changes, "\n"))
	case *update:
		if err := os.WriteFile(listing, []byte(strings.Join(now, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("generated code uses another API than %s says: run go test ./internal/dev/contract -update\n%s", listing,
			strings.Join(changes, "\n"))
	}
	if !strings.HasSuffix(version.Version, "-dev") && head[1] == "settled no" {
		t.Errorf("%s is a release: %s must say \"settled yes\"", version.Version, listing)
	}
}

// changed returns the lines that only one of two lists has, with - and +.
func changed(old, now []string) []string {
	var out []string
	for _, line := range old {
		if !slices.Contains(now, line) {
			out = append(out, "- "+line)
		}
	}
	for _, line := range now {
		if !slices.Contains(old, line) {
			out = append(out, "+ "+line)
		}
	}
	return out
}

// uses returns a line for each object of the called packages that an mcp_gen.go in golden/ names, and for each type
// that these are made of.
func uses(t *testing.T) map[string]bool {
	t.Helper()
	l := &lister{lines: map[string]bool{}, owner: map[*types.Var]string{}}
	for _, p := range checkGolden(t) {
		for _, path := range called {
			if pkg := p.imports[path]; pkg != nil {
				l.index(pkg)
			}
		}
		for id, obj := range p.info.Uses {
			if p.generated(id.Pos()) && obj.Pkg() != nil && slices.Contains(called, obj.Pkg().Path()) {
				l.object(obj)
			}
		}
	}
	if len(l.lines) < 100 {
		t.Fatalf("only %d lines", len(l.lines))
	}
	return l.lines
}

// lister writes the lines.
type lister struct {
	lines map[string]bool
	owner map[*types.Var]string // the struct type of a field
}

// index notes the fields of the structs of a package.
func (l *lister) index(pkg *types.Package) {
	for _, name := range pkg.Scope().Names() {
		obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		if s, ok := obj.Type().Underlying().(*types.Struct); ok {
			for field := range s.Fields() {
				l.owner[field] = pkg.Name() + "." + name
			}
		}
	}
}

func short(p *types.Package) string { return p.Name() }

func (l *lister) object(obj types.Object) {
	switch obj := obj.(type) {
	case *types.Func:
		l.lines[types.ObjectString(obj.Origin(), short)] = true
		l.mention(obj.Origin().Signature())
	case *types.Var:
		origin := obj.Origin()
		if !origin.IsField() {
			l.lines[types.ObjectString(origin, short)] = true
		} else {
			l.lines[fmt.Sprintf("field %s.%s %s", l.owner[origin], origin.Name(), types.TypeString(origin.Type(), short))] = true
		}
		l.mention(origin.Type())
	case *types.Const:
		l.lines[fmt.Sprintf("const %s.%s %s", obj.Pkg().Name(), obj.Name(), types.TypeString(obj.Type(), short))] = true
	case *types.TypeName:
		l.mention(obj.Type())
	}
}
