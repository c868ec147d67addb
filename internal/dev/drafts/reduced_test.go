package main

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/dev/reduced"
)

// checkout is the tree that all tests judge by, which takes seconds to load.
var checkout = sync.OnceValues(func() (*tree, error) { return loadTree(context.Background(), "../../..") })

// reducedDrafts is how many there are in testdata/reduced.
const reducedDrafts = 25

// TestReducedDrafts judges drafts without what they have in common with a revision, and without changes that others of
// them make, too. They were chosen from all 220: what schema diff and the rule for later revisions
// tell of those is told of these, but for 2 in 100. make drafts takes all of them as they are.
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
	r, err := reduced.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return whole(t, r, filepath.Base(file))
}

// whole is a committed revision with its changes.
func whole(t *testing.T, r *reduced.Revision, name string) draft {
	t.Helper()
	data, err := r.Schema("../../../schema")
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return draft{name: name, blob: blobOf(data), data: data}
}
