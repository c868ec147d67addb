package protocolgen

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/schemadiff"
)

// TestDiffAgainstAList compares the report of the newest step with a list that was made by hand from the official
// schemas: what either has and the other has not is a failure.
func TestDiffAgainstAList(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "diff", "2025-11-25_2026-07-28.list"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			want = append(want, line)
		}
	}
	d, err := Diff("2025-11-25", "2026-07-28")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range d.Changes {
		got = append(got, fact(c))
		if c.Means == "" {
			t.Errorf("%v: no word on what it means", c)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("missing: %s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("spurious: %s", line)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d changes, the list has %d", len(got), len(want))
	}
}

// fact is a change as the list writes it.
func fact(c schemadiff.Change) string {
	out := c.Kind + " " + c.What + " " + c.Place
	if c.Item != "" {
		out += " " + c.Item
	}
	if c.Kind == schemadiff.KindMember && c.What == "added" {
		out += c.New[strings.LastIndex(c.New, ",")+1:]
	}
	return out
}

// TestDiffTellsDecisions compares the newest schema with one that calls things otherwise, and expects what
// mcpgen protocol -v prints of it, in each form.
func TestDiffTellsDecisions(t *testing.T) {
	file := editNamed(t, "renamed_definition").write(t)
	newest := filepath.Base(committed(t)[len(committed(t))-1].Path)
	newest = strings.TrimSuffix(newest, ".json")
	r, err := Generate(Options{Schemas: append(committed(t), file), Dir: "out", Package: "protocol"})
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	for _, n := range r.Notes {
		if strings.HasPrefix(n, file.Path) {
			notes = append(notes, n)
		}
	}
	d, err := Diff(newest, file.Revision+"="+file.Path)
	if err != nil {
		t.Fatal(err)
	}
	if len(notes) == 0 || !slices.Equal(d.Decisions, notes) {
		t.Errorf("decisions %q, mcpgen protocol -v prints %q", d.Decisions, notes)
	}
	for _, format := range Formats {
		text := report(t, newest, file.Revision+"="+file.Path, format)
		if !strings.Contains(text, "Reader is the new name of Role") {
			t.Errorf("%s: no decision in\n%s", format, text)
		}
	}
	if d, err := Diff("2025-11-25", "2026-07-28"); err != nil || len(d.Decisions) != 0 {
		t.Errorf("revisions that were merged together: %v %v", d.Decisions, err)
	}
}

func editNamed(t *testing.T, name string) edit {
	t.Helper()
	i := slices.IndexFunc(edits, func(e edit) bool { return e.name == name })
	if i < 0 {
		t.Fatal("no edit named", name)
	}
	return edits[i]
}
