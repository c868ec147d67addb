package requirement

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

const pagesFile = "table/pages.txt"

// Source is a revision of the specification, or a founding document.
type Source struct {
	// Key stands for it in the table: a letter, or a word for a founding document.
	Key string
	// Name is the date of a revision, or what the document is.
	Name string
	// Founding says that it is no revision.
	Founding bool
	Pages    []Page
}

// Page is a page of the specification.
type Page struct {
	Path string
	// Reason says why it asks nothing of servers; empty for a page with rows.
	Reason string
}

// readPages reads the record of pages.
func (t *Table) readPages(dir fs.FS) error {
	data, err := fs.ReadFile(dir, pagesFile)
	if err != nil {
		return err
	}
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
		key, name, _ := strings.Cut(rest, " ")
		switch {
		case word == "" || word == "#":
		case word == "revision" || word == "document":
			t.Sources = append(t.Sources, &Source{Key: key, Name: name, Founding: word == "document"})
		case len(t.Sources) == 0:
			return fmt.Errorf("%s:%d: %q belongs to no revision", pagesFile, line, word)
		default:
			s := t.Sources[len(t.Sources)-1]
			s.Pages = append(s.Pages, Page{word, rest})
		}
	}
	return nil
}

func (t *Table) source(key string) *Source {
	at := slices.IndexFunc(t.Sources, func(s *Source) bool { return s.Key == key })
	return t.Sources[at]
}

func (t *Table) has(at Place) bool {
	return slices.ContainsFunc(t.source(at.Source).Pages, func(p Page) bool { return p.Path == at.Page })
}

// Check returns what is undecided of the revisions with these dates: a revision whose pages are not recorded, a page
// that has neither rows nor a reason, and a page that has both.
func (t *Table) Check(revisions []string) (problems []error) {
	rows := map[Place]int{}
	for _, r := range t.Rows {
		for _, at := range r.Places() {
			rows[at]++
		}
	}
	for _, date := range revisions {
		at := slices.IndexFunc(t.Sources, func(s *Source) bool { return s.Name == date })
		if at < 0 {
			problems = append(problems, fmt.Errorf(
				"revision %s has no record of its pages: list them in internal/requirement/%s", date, pagesFile))
			continue
		}
		s := t.Sources[at]
		for _, p := range s.Pages {
			switch n := rows[Place{s.Key, p.Path}]; {
			case n == 0 && p.Reason == "":
				problems = append(problems, fmt.Errorf("page %s of revision %s has no decision: write rows for what it asks "+
					"into internal/requirement/table, or a reason behind it in %s", p.Path, date, pagesFile))
			case n > 0 && p.Reason != "":
				problems = append(problems, fmt.Errorf("page %s of revision %s has rows, and in %s a reason to have none",
					p.Path, date, pagesFile))
			}
		}
	}
	return problems
}
