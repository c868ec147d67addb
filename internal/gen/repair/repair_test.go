package repair

import (
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// Equal edits are made once, and what overlaps waits with all that belongs to it.
func TestChosenEdits(t *testing.T) {
	edit := func(start, end int, text string) diag.Edit {
		return diag.Edit{File: "a.go", Start: start, End: end, New: text}
	}
	got := chosen([]diag.Diagnostic{
		{Edits: []diag.Edit{edit(10, 12, "x")}},
		{Edits: []diag.Edit{edit(10, 12, "x"), edit(2, 3, "y")}},
		{Edits: []diag.Edit{edit(20, 21, "lost"), edit(11, 15, "lost")}},
		{Edits: []diag.Edit{edit(12, 12, "after")}},
		{Edits: []diag.Edit{edit(12, 12, "again")}},
	})
	want := []diag.Edit{edit(2, 3, "y"), edit(10, 12, "x"), edit(12, 12, "after")}
	if !slices.Equal(got["a.go"], want) {
		t.Errorf("got %v, want %v", got["a.go"], want)
	}
}
