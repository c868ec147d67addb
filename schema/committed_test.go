package schema

import (
	"regexp"
	"strings"
	"testing"
)

// TestFactsHaveNoProse looks for sentences: facts are names, constants and keywords.
func TestFactsHaveNoProse(t *testing.T) {
	sentence := regexp.MustCompile(`"[^"]* [^"]*"`)
	list, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		data, err := files.ReadFile(s.Revision + ".json")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(data), "\n") {
			if m := sentence.FindString(line); m != "" {
				for _, word := range strings.FieldsFunc(m, func(r rune) bool { return r == '"' }) {
					if strings.Count(word, " ") > 2 {
						t.Errorf("%s: %s", s.File, word)
					}
				}
			}
		}
		again, err := Import(s.File, data)
		if err != nil || string(again) != string(data) {
			t.Errorf("%s: importing facts again changes them: %v", s.File, err)
		}
		if len(s.Warnings) > 0 {
			t.Errorf("%s: %v", s.File, s.Warnings)
		}
	}
}

func TestUnusedEntriesAreNamed(t *testing.T) {
	ex, err := ParseExceptions([]byte(`{"types": {"A.b": "any", "C": "id"}, "keepEmpty": ["*.d", "*.e"], "aliases": [{"name": "F", "to": "G"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	ex.Type("C")
	ex.KeepsEmpty("X", "d")
	if got := strings.Join(ex.Unused(), ", "); got != "aliases F, keepEmpty *.e, types A.b" {
		t.Errorf("unused: %s", got)
	}
	if _, err := ParseExceptions([]byte(`{"typos": {}}`)); err == nil {
		t.Error("an unknown section is accepted")
	}
	docs, err := ParseDocs([]byte(`{"types": {"A": {"doc": "A is.", "fields": {"b": "B is.", "c": "C is."}}}, "codes": {"1": "x"}}`))
	if err != nil {
		t.Fatal(err)
	}
	docs.Type("A")
	docs.Field("A", "b")
	if got := strings.Join(docs.Unused(), ", "); got != "codes 1, types A.c" {
		t.Errorf("unused: %s", got)
	}
}
