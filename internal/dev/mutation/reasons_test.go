package main

import (
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// The page of the last run has a reason for every survivor, and reasons.go has none that no survivor needs.
func TestReasonsOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/mutation.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(page)) {
		if strings.HasSuffix(line, "|  |\n") {
			t.Errorf("no reason: %s", line)
		}
	}
	for _, row := range reasons {
		if !strings.Contains(string(page), "| "+row.why+" |\n") {
			t.Errorf("no survivor needs the reason %q", row.why)
		}
	}
}

// A guard that is gone leaves its type, for the imports; the handshake and variables of functions are no guards.
func TestGuards(t *testing.T) {
	src := "package p\n\nvar _ func(io.Reader) = Read\nvar _ methods_of_T = (*T)(nil)\ntype _ wire.Contract\n" +
		"var x = 1\n\nfunc f() {\n\tvar _ = g()\n}\n"
	p := parse(t, src)
	var edits []edit
	for _, m := range p.mutate() {
		if isGuard(m) {
			edits = append(edits, p.unguard(m))
		}
	}
	want := strings.NewReplacer(" = Read", "", " = (*T)(nil)", "").Replace(src)
	if got := string(apply(p.src, 0, len(p.src), edits)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func parse(t *testing.T, src string) *pkg {
	t.Helper()
	p := &pkg{src: []byte(src), lines: strings.Split(src, "\n"), fset: token.NewFileSet()}
	var err error
	if p.file, err = parser.ParseFile(p.fset, "p.go", src, parser.SkipObjectResolution); err != nil {
		t.Fatal(err)
	}
	return p
}
