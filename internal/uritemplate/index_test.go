package uritemplate_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// TestIndexFindsEveryOverlap compares the index with a comparison of every pair.
func TestIndexFindsEveryOverlap(t *testing.T) {
	var list []*uritemplate.Template
	for _, uri := range []string{
		"a:///{x}", "a:///{y}/b", "a:///b/{y}", "a:///{x}b", "a:///b{x}", "a:///{+p}", "a:///{+p}/b",
		"a:///b/{+p}", "a://{x}", "a:{x}", "b:///{x}",
		"a:///bb/{x}", "a:///b{x}/{y}", "a:///{x}/{y}", "a:///{x}/{y}/c", "a:///b/{y}/c", "a:///bc/{y}/{z}",
		"a:///{x}-{y}", "a:///x-{y}", "a:{x}b", "a:b{x}",
	} {
		tmpl, _, problems := uritemplate.Parse(uri)
		if len(problems) > 0 || tmpl == nil {
			t.Fatalf("%s: %v", uri, problems)
		}
		list = append(list, tmpl)
	}
	found := 0
	var index uritemplate.Index
	for i, a := range list {
		near := index.Near(a)
		for j, b := range list[:i] {
			if _, bad := uritemplate.Overlap(b, a); bad {
				if found++; !slices.Contains(near, j) {
					t.Errorf("%d and %d overlap, and the index does not say so", j, i)
				}
			}
		}
		index.Add(a, i)
	}
	if found < 3 {
		t.Errorf("%d overlaps among the templates", found)
	}
}

// TestIndexIsNarrow expects templates with different beginnings not to be compared.
func TestIndexIsNarrow(t *testing.T) {
	var index uritemplate.Index
	for i := range 1000 {
		tmpl, _, _ := uritemplate.Parse(fmt.Sprintf("a:///item%03d/{x}/{y}", i))
		if near := index.Near(tmpl); len(near) > 0 {
			t.Fatalf("%d is compared with %v", i, near)
		}
		index.Add(tmpl, i)
	}
}
