package check

import (
	"go/token"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/directive/nearmiss"
)

// FuzzCheck checks any line on any declaration: every complaint has words and a place inside the line.
func FuzzCheck(f *testing.F) {
	for _, c := range checkReports {
		f.Add(c.line, uint16(c.on))
	}
	for _, v := range directive.Definitions() { // also those with no mistake of their own above
		for _, o := range v.Options {
			f.Add("//mcp:"+v.Name+" "+o.Name+"=x "+o.Name, uint16(v.On))
		}
	}
	f.Fuzz(func(t *testing.T, line string, on uint16) {
		if strings.ContainsAny(line, "\n\r") {
			return
		}
		fset := token.NewFileSet()
		file := fset.AddFile("a.go", -1, len(line)+1)
		var list diag.List
		d, ok := directive.Parse(file.Pos(0), line)
		if ok {
			Directive(fset, d, directive.Target(on), &list)
		} else {
			at := nearmiss.Where{On: directive.Target(on), First: on&1 == 0, Begins: true}
			nearmiss.Line(fset, file.Pos(0), line, at, &list)
		}
		for _, r := range list.Sorted() {
			if r.Pos.Line != 1 || r.Pos.Col < 1 || r.Pos.Col > len(line)+1 || r.Pos.EndCol > len(line)+1 || r.Message == "" {
				t.Fatalf("%q: %+v", line, r)
			}
		}
	})
}
