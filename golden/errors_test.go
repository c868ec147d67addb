package golden

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/gen"
)

// TestErrors runs the whole pipeline on every archive in errors, and compares what it says with the want section.
// Every fix for machines must remove its diagnostic, bring no new error, and leave what compiles.
func TestErrors(t *testing.T) {
	var cases []*exam
	archives := map[*exam]*txtar.Archive{}
	for _, path := range errorCases(t) {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		x := newExam(strings.TrimSuffix(filepath.Base(path), ".txtar"), ar)
		archives[x], cases = ar, append(cases, x)
	}
	examineAll(t, cases)
	var fixes []*fix
	for _, x := range cases {
		t.Run(x.name, func(t *testing.T) {
			proves(t, archives[x])
			x.compare(t, archives[x])
			fixes = append(fixes, x.fixes(t)...)
		})
	}
	tryFixes(t, fixes)
}

// compare holds what was said of a case beside what its archive wants.
func (x *exam) compare(t *testing.T, ar *txtar.Archive) {
	t.Helper()
	want := &ar.Files[len(ar.Files)-1]
	if want.Name != "want" {
		t.Fatal("the last file of the archive must be want")
	}
	code, _, _ := strings.Cut(strings.ToUpper(x.name), "_")
	if strings.HasPrefix(code, "MCP") && !strings.Contains(x.text, code) {
		t.Errorf("%s is not reported", code)
	}
	if *update {
		want.Data = []byte(x.text)
		write(t, filepath.Join("errors", x.name+".txtar"), string(txtar.Format(ar)))
	} else if x.text != string(want.Data) {
		t.Errorf("got\n%swant\n%s", x.text, want.Data)
	}
}

// proves says which requirements an archive proves, by the line at its head.
func proves(t *testing.T, ar *txtar.Archive) {
	t.Helper()
	if _, ids, ok := strings.Cut(string(ar.Comment), "Requirements: "); ok {
		ids, _, _ = strings.Cut(ids, "\n")
		t.Attr("requirements", ids)
	}
}

func errorCases(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("errors", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	return paths
}

func pipeline(t *testing.T, dir string, patterns ...string) *gen.Result {
	t.Helper()
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	r, err := gen.Packages(t.Context(), gen.Options{Dir: dir, Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	if r.Diags.HasErrors() && len(r.Files) > 0 {
		t.Error("there is output in spite of errors")
	}
	return r
}

func said(d diag.Diagnostic) string { return d.Code + " " + d.Message }

func count(ds []diag.Diagnostic, what string) int {
	n := 0
	for _, d := range ds {
		if said(d) == what {
			n++
		}
	}
	return n
}
