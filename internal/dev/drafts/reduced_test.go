package main

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// checkout is the tree that all tests judge by, which takes seconds to load.
var checkout = sync.OnceValues(func() (*tree, error) { return loadTree(context.Background(), "../../..") })

// reducedDrafts is how many there are in testdata/reduced.
const reducedDrafts = 25

// reduced is a draft without what it has in common with a revision, and without changes that others of them make, too.
type reduced struct {
	Base        string                     `json:"base"`    // the committed revision that it changes
	Removed     []string                   `json:"removed"` // definitions of it that are gone
	Definitions map[string]json.RawMessage `json:"definitions"`
}

// TestReducedDrafts judges drafts that were chosen from all 220: what schema diff and the rule for later revisions tell
// of those is told of these, but for 2 in 100. make drafts takes all of them as they are.
func TestReducedDrafts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "reduced", "*.json"))
	if err != nil || len(files) != reducedDrafts {
		t.Fatalf("%d reduced drafts, want %d (%v)", len(files), reducedDrafts, err)
	}
	tree, err := checkout()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			v, err := tree.judge(readReduced(t, file))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range v.refused {
				t.Errorf("refused: %s", p)
			}
			for _, p := range v.problems {
				t.Error(p)
			}
			if v.changed == 0 {
				t.Error("no file of the package changes")
			}
		})
	}
}

// readReduced puts a reduced draft on its base.
func readReduced(t *testing.T, file string) draft {
	t.Helper()
	var r reduced
	readJSON(t, file, &r)
	return r.draft(t, filepath.Base(file))
}

// draft puts the changes on the base.
func (r *reduced) draft(t *testing.T, name string) draft {
	t.Helper()
	var base struct {
		Defs        map[string]json.RawMessage `json:"$defs"`
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	readJSON(t, filepath.Join("..", "..", "..", "schema", r.Base+".json"), &base)
	defs := base.Defs
	if defs == nil {
		defs = base.Definitions
	}
	for _, gone := range r.Removed {
		if defs[gone] == nil {
			t.Errorf("%s removes %s, which %s does not have", name, gone, r.Base)
		}
		delete(defs, gone)
	}
	maps.Copy(defs, r.Definitions)
	data, err := json.Marshal(map[string]any{"$defs": defs})
	if err != nil {
		t.Fatal(err)
	}
	return draft{name: name, blob: blobOf(data), data: data}
}

// readJSON reads a file. Older schemas say definitions where newer ones say $defs.
func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), `"#/definitions/`, `"#/$defs/`)
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
