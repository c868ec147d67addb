package requirement

import (
	"strings"
	"testing"
	"testing/fstest"
)

// tableOf is a table with one revision, of two pages, and these rows.
func tableOf(rows string) (*Table, error) {
	return read(fstest.MapFS{
		pagesFile:        {Data: []byte("revision A 2030-01-01\none\ntwo says nothing\ndocument draft a draft\none\n")},
		"table/rows.txt": {Data: []byte("page A one\nsubject things\n" + rows)},
	})
}

const goodRow = "a-b MUST A\n  It is so.\n  met It is.\n"

func TestRead(t *testing.T) {
	table, err := tableOf(goodRow +
		"a-c MAY A, advice draft\n  It may.\n  page draft one\n  superseded by a-b; it is asked for.\n")
	if err != nil {
		t.Fatal(err)
	}
	if problems := table.Check([]string{"2030-01-01"}); problems != nil {
		t.Error(problems)
	}
	page := table.Markdown(map[string][]string{"a-b": {"TestIt"}})
	for _, want := range []string{
		"| 2030-01-01 | 2 | 1 | 0 | 1 | 0 | 0 |",
		"| a draft | 1 | 0 | 0 | 1 | 0 | 0 |",
		`| <a id="a-b"></a>a-b | It is so. | MUST in all revisions | **met**: It is. | ` + "`TestIt` |",
		"| **superseded**: by [a-b](#a-b): it is asked for. |",
		"| MAY in all revisions; advice in the draft |",
		"| one | in all revisions | [a-b](#a-b), [a-c](#a-c) |",
		"| one | in the draft | [a-c](#a-c) |",
		"| two | in all revisions | none: it says nothing |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}

func TestMistakes(t *testing.T) {
	for rows, want := range map[string]string{
		"a-b MUST A\n  It is so.\n":                              "rows.txt:3: a-b has no decision",
		"a-b MUST A\n  It is so.\n  open\n":                      "a-b does not say what becomes of it",
		"a-b MUST A\n  It is so.\n  author You.\n":               "by which directive, option or diagnostic",
		"a-b MUST draft\n  It is so.\n  open Yet.\n":             "a-b names no page of draft",
		"a-b MUST A\n  It is so.\n  page A three\n  open Yet.\n": "the page three, which A does not have",
		"a-b WILL A\n":       `rows.txt:3: "WILL" is no level`,
		"a-b MUST B\n":       `rows.txt:3: "B" is no range of sources`,
		"a-b MUST draft-A\n": `"draft-A" is no range of sources`,
		"  It is so.\n":      "rows.txt:3: there is no row yet",
		"a-b MUST A\n  It is so.\n  test TestIt\n": `rows.txt:5: a test names the row`,
		"a-b MUST A\n  It is so.\n  done It is.\n": `rows.txt:5: "done" is no part of a row`,
		"A row\n":         "begins neither a row nor anything else",
		goodRow + goodRow: "rows.txt:6: a-b is there twice",
		"a-b MUST A\n  It is so.\n  superseded by a-z; it is.\n": `superseded by "a-z", which is no row`,
	} {
		if _, err := tableOf(rows); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", rows, err, want)
		}
	}
}

// A page without a decision is a problem, and so is one with two.
func TestCheck(t *testing.T) {
	for rows, want := range map[string]string{
		"a-b MUST A\n  It is.\n  page A two\n  open Yet.\n":      "page one of revision 2030-01-01 has no decision",
		"a-b MUST A\n  It is.\n  page A one, two\n  open Yet.\n": "page two of revision 2030-01-01 has rows, and in",
	} {
		table, err := tableOf(rows)
		if err != nil {
			t.Fatal(err)
		}
		problems := table.Check([]string{"2030-01-01"})
		if len(problems) == 0 || !strings.Contains(problems[0].Error(), want) {
			t.Errorf("%q: %v, want %q", rows, problems, want)
		}
	}
}
