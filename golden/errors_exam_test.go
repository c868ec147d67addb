package golden

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/eventrecord"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/output"
)

// errorModule is the module of each case.
const errorModule = "example.com/m"

// exam is one run of the pipeline over some files: those of a case, or those of a case with a fix. Most of the time
// would go into the questions to the go command, which take as long for one package as for a hundred. So exams that do
// not see each other are folders of one module, and are examined together.
type exam struct {
	name     string
	files    map[string]string
	patterns []string
	// module tells the modules apart: exams with the same text are in one. It is the name of the exam if nothing else may
	// be in its module.
	module string

	// These are filled when it is examined: where the files are, what is said of them, also in print, and what is
	// generated for them.
	dir     string
	diags   []diag.Diagnostic
	text    string
	outputs []output.File
}

// newExam is the exam of a case.
func newExam(name string, ar *txtar.Archive) *exam {
	x := &exam{name: name, files: map[string]string{}}
	last := len(ar.Files) - 1
	for _, f := range ar.Files[:last] {
		x.files[f.Name] = string(f.Data)
	}
	if _, named, ok := strings.Cut(string(ar.Comment), "Patterns: "); ok {
		x.patterns = strings.Fields(named)
	}
	// Two facts about all packages together matter to each: whether there is an error, because then there is no output,
	// no record of events is read and no unused allow is told, and whether a mistake hides names, allowed or not, because
	// then none is proposed for one that is unknown.
	want, whole := string(ar.Files[last].Data), string(txtar.Format(ar))
	hides := slices.ContainsFunc(diag.Codes(), func(c diag.Code) bool {
		return load.Hides(diag.Diagnostic{Code: c.ID}) && strings.Contains(whole, c.ID)
	})
	x.module = fmt.Sprintf("errors %t, hides %t", strings.Contains(want, ": error MCP"), hides)
	_, recorded := x.files[eventrecord.Name]
	if x.patterns != nil || recorded || *update || strings.Contains(whole, errorModule) {
		x.module = name
	}
	return x
}

// alone reports whether the exam has a module of its own.
func (x *exam) alone() bool { return x.module == x.name }

// examineAll writes the files of all exams and runs the pipeline, once for each module.
func examineAll(t *testing.T, all []*exam) {
	t.Helper()
	modules := map[string][]*exam{}
	for _, x := range all {
		modules[x.module] = append(modules[x.module], x)
	}
	for _, list := range modules {
		dir := tempModule(t, "", errorModule)
		for _, x := range list {
			if x.dir = dir; !x.alone() {
				x.dir = filepath.Join(dir, strings.ReplaceAll(x.name, " ", "_"))
			}
			for name, text := range x.files {
				write(t, filepath.Join(x.dir, name), text)
			}
		}
		r := pipeline(t, dir, list[0].patterns...)
		n := 0
		for _, x := range list {
			mine := new(diag.List)
			for _, d := range r.Diags.Sorted() {
				if x.alone() || x.has(d.Pos.File) {
					mine.Add(d)
				}
			}
			x.diags, n = mine.Sorted(), n+mine.Len()
			p := diag.Printer{Dir: x.dir, Source: r.Source}
			var b strings.Builder
			if err := p.Print(&b, mine); err != nil {
				t.Fatal(err)
			}
			x.text = b.String()
			x.outputs = slices.DeleteFunc(slices.Clone(r.Files), func(f output.File) bool { return !x.has(f.Path) })
		}
		if n != len(r.Diags.Sorted()) {
			t.Errorf("%d diagnostics are of no case:\n%s", len(r.Diags.Sorted())-n, printed(t, r, dir))
		}
	}
}

// has reports whether a file is one of the exam.
func (x *exam) has(file string) bool {
	return strings.HasPrefix(file, x.dir+string(filepath.Separator))
}

// hasErrors reports whether there is an error, so that nothing is generated.
func (x *exam) hasErrors() bool {
	return slices.ContainsFunc(x.diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })
}
