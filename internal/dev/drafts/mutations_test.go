package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/dev/reduced"
	"github.com/mcpgen/mcpgen/internal/output"
)

// mutations is how many there are in testdata/mutations.
const mutations = 60

// mutation is a change of the newest schema that nobody has made, written by someone who had seen only the schemas,
// before the generator read it. Corrected says why it expects or mentions something else now.
type mutation struct {
	reduced.Revision
	What     string // what it changes
	Expect   string // generates or refused
	Mentions string // what the package, the notes or the error name
}

// TestMutations judges each mutation as one more revision: it becomes code that compiles, or an error with its place,
// and none does so in silence. What is not in the package of the schema without the mutation counts as told.
func TestMutations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "mutations", "*.json"))
	if err != nil || len(files) != mutations {
		t.Fatalf("%d mutations, want %d (%v)", len(files), mutations, err)
	}
	tree, err := checkout()
	if err != nil {
		t.Fatal(err)
	}
	without := map[string][]output.File{} // by the base
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			var m mutation
			if err := reduced.ReadJSON(file, &m); err != nil {
				t.Fatal(err)
			}
			if without[m.Base] == nil {
				none := whole(t, &reduced.Revision{Base: m.Base}, "none")
				if without[m.Base], err = tree.generate(&verdict{draft: none}); err != nil {
					t.Fatal(err)
				}
			}
			v, err := tree.judge(whole(t, &m.Revision, filepath.Base(file)))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range v.problems {
				t.Error(p)
			}
			if (len(v.refused) > 0) != (m.Expect == "refused") {
				t.Errorf("%s Want %s; refused: %q", m.What, m.Expect, v.refused)
			}
			told := strings.Join(slices.Concat(v.refused, v.warnings, v.notes), "\n") + "\n" + more(v.generated, without[m.Base])
			if !strings.Contains(told, m.Mentions) {
				t.Errorf("%s Nothing mentions %q; told:\n%.3000s", m.What, m.Mentions, told)
			}
		})
	}
}

// more lists the lines of files that the files of the same names do not have.
func more(files, without []output.File) string {
	have := map[string]bool{}
	for _, f := range without {
		for line := range bytes.Lines(f.Data) {
			have[f.Path+string(line)] = true
		}
	}
	var out strings.Builder
	for _, f := range files {
		for line := range bytes.Lines(f.Data) {
			if !have[f.Path+string(line)] {
				fmt.Fprintf(&out, "%s: %s", f.Path, line)
			}
		}
	}
	return out.String()
}
