package check

import (
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/directive/nearmiss"
)

// goldenDirectives are the lines of the example servers that are directives.
func goldenDirectives(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../../golden/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	var out []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if _, ok := directive.Parse(1, line); ok {
				out = append(out, line)
			}
		}
	}
	return out
}

// mutants are the lines that one slip of the hand makes of line, behind its slashes: a character dropped, doubled or
// changed with its neighbour.
func mutants(line string) []string {
	var out []string
	r := []rune(line)
	for i := 2; i < len(r); i++ {
		out = append(out, string(r[:i])+string(r[i+1:]), string(r[:i+1])+string(r[i:]))
		if i+1 < len(r) {
			out = append(out, string(r[:i])+string(r[i+1])+string(r[i])+string(r[i+2:]))
		}
	}
	return out
}

// mended applies edits until there are none, and returns how often something was said at first.
func mended(t *testing.T, line string, on directive.Target) (string, int) {
	t.Helper()
	said := -1
	for range 8 {
		fset := token.NewFileSet()
		f := fset.AddFile("a.go", -1, len(line)+1)
		var l diag.List
		if d, ok := directive.Parse(f.Pos(0), line); ok {
			Directive(fset, d, on, &l)
		} else {
			nearmiss.Line(fset, f.Pos(0), line, nearmiss.Where{On: on, Begins: true}, &l)
		}
		if said < 0 {
			said = l.Len()
		}
		next := line
		for _, d := range l.Sorted() {
			if len(d.Edits) == 0 {
				continue
			}
			for _, v := range slices.Backward(d.Edits) {
				next = next[:v.Start] + v.New + next[v.End:]
			}
			break
		}
		if next == line {
			break
		}
		line = next
	}
	return line, said
}

// TestMutants makes every slip in every directive of the examples. Whatever is repaired without a human must be the
// directive that it was; and a line that is no directive any more must not go unnoticed.
func TestMutants(t *testing.T) {
	seen := map[string]bool{}
	n, fixed := 0, 0
	for _, line := range goldenDirectives(t) {
		if seen[line] {
			continue
		}
		seen[line] = true
		was, _ := directive.Parse(1, line)
		on := directive.Lookup(was.Name).On
		for _, m := range mutants(line) {
			got, said := mended(t, m, on)
			n++
			is, ok := directive.Parse(1, got)
			switch {
			case got != m && (!ok || is.String() != was.String()):
				t.Errorf("%s\nmutated to %s\nrepaired as %s", line, m, got)
			case got != m:
				fixed++
			case !ok && said == 0:
				t.Errorf("%s\nmutated to %s is ignored", line, m)
			}
		}
	}
	if n < 10000 || fixed*10 < n {
		t.Errorf("%d mutants, %d repaired", n, fixed)
	}
	t.Logf("%d mutants of %d directives, %d repaired", n, len(seen), fixed)
}
