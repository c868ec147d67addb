package protocolgen

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/protocolir"
)

// checked generates from schemas, checks the types of the result, and returns its source and the warnings.
func checked(t *testing.T, checker *typeChecker, name string, schemas ...SchemaFile) (source string, warnings []error) {
	t.Helper()
	files, warnings := generate(t, schemas...)
	if _, err := checker.check(files); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	var b strings.Builder
	for _, f := range files {
		b.Write(f.Data)
	}
	return b.String(), warnings
}

// TestEverySubset generates the package for each of the 31 sets of revisions, with -short for single ones.
func TestEverySubset(t *testing.T) {
	all := committed(t)
	checker := newTypeChecker(t)
	for set := 1; set < 1<<len(all); set++ {
		if testing.Short() && set&(set-1) != 0 {
			continue
		}
		var some []SchemaFile
		for i, s := range all {
			if set>>i&1 == 1 {
				some = append(some, s)
			}
		}
		name := fmt.Sprintf("set%0*b", len(all), set)
		if _, warnings := checked(t, checker, name, some...); oddWarning(warnings) != "" {
			t.Errorf("%s: %s", name, oddWarning(warnings))
		}
	}
}

// oddWarning returns the first warning that is not about missing docs.
func oddWarning(warnings []error) string {
	for _, w := range warnings {
		_, undocumented := errors.AsType[*protocolir.UndocumentedError](w)
		if _, unset := errors.AsType[*protocolir.UnsetError](w); !undocumented && !unset {
			return w.Error()
		}
	}
	return ""
}

// TestEditedSchemas generates from what the next revision may look like, after the committed ones and alone.
func TestEditedSchemas(t *testing.T) {
	checker := newTypeChecker(t)
	for i, e := range edits {
		file := e.write(t)
		source, warnings := checked(t, checker, e.name, append(committed(t), file)...)
		for _, want := range e.want {
			if !strings.Contains(squeeze(source), squeeze(want)) {
				t.Errorf("%s: the source lacks %q", e.name, want)
			}
		}
		switch odd := oddWarning(warnings); {
		case e.warn == "" && odd != "":
			t.Errorf("%s: %s", e.name, odd)
		case e.warn != "-" && !strings.Contains(odd, e.warn):
			t.Errorf("%s: no warning has %q", e.name, e.warn)
		}
		if i%3 == 0 {
			checked(t, checker, e.name+" alone", file)
		}
	}
}

// squeeze makes one space of each run of spaces, by which gofmt aligns.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
