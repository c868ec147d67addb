package protocolgen

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/schemadiff"
)

var update = flag.Bool("update", false, "rewrite the golden reports")

// golden compares text with a file in testdata/diff.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "diff", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; go test -update rewrites it\n%s", file, got)
	}
}

func report(t *testing.T, older, newer, format string) string {
	t.Helper()
	d, err := Diff(older, newer)
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.Format(format)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestDiffOfRevisions(t *testing.T) {
	for _, c := range []struct{ older, newer string }{
		{"2024-11-05", "2025-03-26"}, {"2025-03-26", "2025-06-18"}, {"2025-06-18", "2025-11-25"},
		{"2025-11-25", "2026-07-28"},
	} {
		golden(t, c.older+"_"+c.newer+".txt", report(t, c.older, c.newer, "text"))
	}
	golden(t, "2024-11-05_2025-03-26.md", report(t, "2024-11-05", "2025-03-26", "markdown"))
	golden(t, "2024-11-05_2025-03-26.json", report(t, "2024-11-05", "2025-03-26", "json"))
	file := filepath.Join("..", "..", "schema", "2025-03-26.json")
	if got := report(t, "2024-11-05", file, "text"); got != report(t, "2024-11-05", "2025-03-26", "text") {
		t.Errorf("the file of a revision gives another report than its name:\n%s", got)
	}
}

// TestDiffIsSymmetric expects everything the other way round if the arguments are.
func TestDiffIsSymmetric(t *testing.T) {
	there, err := Diff("2025-11-25", "2026-07-28")
	if err != nil {
		t.Fatal(err)
	}
	back, err := Diff("2026-07-28", "2025-11-25")
	if err != nil {
		t.Fatal(err)
	}
	if len(there.Changes) != len(back.Changes) {
		t.Fatalf("%d changes there, %d back", len(there.Changes), len(back.Changes))
	}
	reverse := map[string]string{
		"added": "removed", "removed": "added", "changed": "changed", "moved": "moved", "narrowed": "widened",
		"widened": "narrowed",
	}
	for _, c := range there.Changes {
		found := slices.ContainsFunc(back.Changes, func(b schemadiff.Change) bool {
			return c.Kind == b.Kind && c.Place == b.Place && c.Item == b.Item && c.Go == b.Go && b.What == reverse[c.What] &&
				c.Old == b.New && c.New == b.Old
		})
		if !found {
			t.Errorf("%v is not in the report of the other direction", c)
		}
	}
}

// TestDiffOfEdits reports what each edit of the newest schema did, and nothing else.
func TestDiffOfEdits(t *testing.T) {
	all := committed(t)
	newest := strings.TrimSuffix(filepath.Base(all[len(all)-1].Path), ".json")
	var b strings.Builder
	for _, e := range edits {
		file := e.write(t)
		text := report(t, newest, file.Revision+"="+file.Path, "text")
		_, text, _ = strings.Cut(text, ": ")
		b.WriteString("-- " + e.name + " --\n" + strings.ReplaceAll(text, file.Path, "draft.json"))
	}
	golden(t, "edits.txt", b.String())
}

func TestDiffOfTheSame(t *testing.T) {
	file := edits[0].write(t)
	for _, args := range [][2]string{
		{"2025-06-18", "2025-06-18"},
		{"2025-06-18", "2025-06-18=" + filepath.Join("..", "..", "schema", "2025-06-18.json")},
		{file.Path, file.Path}, // a file that does not say its revision
	} {
		d, err := Diff(args[0], args[1])
		if err != nil || len(d.Changes) != 0 {
			t.Errorf("%v: %v %v", args, d, err)
			continue
		}
		text, err := d.Format("text")
		if err != nil || !strings.HasSuffix(string(text), ": no change\n") {
			t.Errorf("%v: %s %v", args, text, err)
		}
		text, err = d.Format("json")
		if err != nil || !json.Valid(text) || !strings.Contains(string(text), `"changes": []`) {
			t.Errorf("%v: %s %v", args, text, err)
		}
	}
}

func TestDiffRefuses(t *testing.T) {
	for arg, want := range map[string]string{
		"2025-01-01":              "revision 2025-01-01 is not one of 2024-11-05, ",
		"no-such.json":            "no-such.json",
		"2030-01-01=no-such.json": "no-such.json",
	} {
		if _, err := Diff("2025-06-18", arg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", arg, err)
		}
	}
	if _, err := new(SchemaDiff).Format("html"); err == nil {
		t.Error("an unknown form is accepted")
	}
}

// TestCodeSpan has names that try to end their code span.
func TestCodeSpan(t *testing.T) {
	for text, want := range map[string]string{"a": "`a`", "a`b": "`` a`b ``", "``": "``` `` ```"} {
		if got := codeSpan(text); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}
