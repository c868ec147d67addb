package directive

import (
	"go/token"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// FuzzCheck checks any line on any declaration: every complaint has words and a place inside the line.
func FuzzCheck(f *testing.F) {
	for _, c := range checkReports {
		f.Add(c.line, uint16(c.on))
	}
	f.Fuzz(func(t *testing.T, line string, on uint16) {
		if strings.ContainsAny(line, "\n\r") {
			return
		}
		fset := token.NewFileSet()
		file := fset.AddFile("a.go", -1, len(line)+1)
		var list diag.List
		d, ok := Parse(file.Pos(0), line)
		if ok {
			Check(fset, d, Target(on), &list)
		} else {
			NearMiss(fset, file.Pos(0), line, Where{On: Target(on), First: on&1 == 0, Begins: true}, &list)
		}
		for _, r := range list.Sorted() {
			if r.Pos.Line != 1 || r.Pos.Col < 1 || r.Pos.Col > len(line)+1 || r.Pos.EndCol > len(line)+1 || r.Message == "" {
				t.Fatalf("%q: %+v", line, r)
			}
		}
	})
}
