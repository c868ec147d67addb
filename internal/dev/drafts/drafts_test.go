package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/output"
)

// unseen is the newest revision with what drafts have done to others: a new member, a new value and a new kind of
// content, a request of clients and notifications of both sides, a text beside a struct, a fraction beside integers,
// lists whose params are definitions of their own, and a definition of another name. make next-revision takes it, too.
const unseen = "testdata/unseen.json"

// TestMadeUpRevisionBreaksNothing judges a revision that does all that drafts have done.
func TestMadeUpRevisionBreaksNothing(t *testing.T) {
	tree, err := checkout()
	if err != nil {
		t.Fatal(err)
	}
	v, err := tree.judge(readReduced(t, unseen))
	if err != nil {
		t.Fatal(err)
	}
	if len(v.refused) > 0 || len(v.problems) > 0 {
		t.Errorf("refused: %q, problems: %q", v.refused, v.problems)
	}
	if len(v.notes) == 0 || v.changed == 0 || v.changed == v.files {
		t.Errorf("%d of %d files change, notes %q", v.changed, v.files, v.notes)
	}
	if problems := tree.servers(t.Context(), v.generated); len(problems) > 0 {
		t.Errorf("the servers: %q", problems)
	}
	broken := slices.DeleteFunc(slices.Clone(v.generated), func(f output.File) bool { return f.Path == "revision_gen.go" })
	if problems := tree.servers(t.Context(), broken); len(problems) == 0 || len(broken) == len(v.generated) {
		t.Errorf("the servers do not need revisions")
	}
	wrong := readReduced(t, unseen)
	wrong.data = []byte(strings.Replace(string(wrong.data), `"#/$defs/ApplaudRequest"`, `"#/$defs/Nothing"`, 1))
	if v, err = tree.judge(wrong); err != nil || len(v.refused) != 1 || !strings.Contains(v.refused[0], ":1:") {
		t.Errorf("a dangling reference: %v %q", err, v.refused)
	}
}

// TestTakeHasTheLast keeps the newest draft whatever the distance.
func TestTakeHasTheLast(t *testing.T) {
	all := []draft{{name: "a"}, {name: "b"}, {name: "c"}, {name: "d"}}
	var names []string
	for _, d := range take(all, 2) {
		names = append(names, d.name)
	}
	if got := strings.Join(names, ""); got != "acd" {
		t.Errorf("got %s, want acd", got)
	}
}
