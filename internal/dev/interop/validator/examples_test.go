package validator

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

const checkout = "../../../.."

// misfits are examples that do not fit the schema they come with: the one has an id that its definition lacks, the
// other lacks what its definition requires.
var misfits = map[string]bool{
	"ListRootsRequest/list-roots-request.json":                      true,
	"ReadResourceResultResponse/read-resource-result-response.json": true,
}

// TestExamples: the validator, with its closed objects, complains about none of the examples made from the schemas,
// nor, where they are on this machine, about those that come with the newest official schema but the misfits.
func TestExamples(t *testing.T) {
	schemas := Facts(checkout)
	for revision, least := range map[string]int{"2024-11-05": 250, "2025-03-26": 250, "2025-06-18": 300, "2025-11-25": 400,
		"2026-07-28": 400} {
		sc, err := schemas.of(revision)
		if err != nil {
			t.Fatal(err)
		}
		examples, err := schemas.Examples(revision)
		if err != nil || len(examples) < least {
			t.Fatalf("%d examples in %s, want %d: %v", len(examples), revision, least, err)
		}
		for _, e := range examples {
			if err := sc.validateText(e.Definition, e.Text); err != nil {
				t.Errorf("%s %s: %v\n%s", revision, e.Name, err, e.Text)
			}
		}
	}
	dir, err := Dir(checkout)
	if errors.Is(err, ErrAbsent) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	officialExamples(t, dir)
}

func officialExamples(t *testing.T, dir string) {
	t.Helper()
	sc, err := Official(dir, checkout).of("2026-07-28")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "2026-07-28/examples/*/*.json"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		def := filepath.Base(filepath.Dir(file))
		name := def + "/" + filepath.Base(file)
		if err := sc.validateText(def, text); (err != nil) != misfits[name] {
			t.Errorf("%s: %v", name, err)
		}
	}
}
