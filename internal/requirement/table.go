package requirement

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

//go:embed table
var files embed.FS

// Decision is what becomes of a row.
type Decision string

// The decisions.
const (
	Met        Decision = "met"        // every server does it
	Author     Decision = "author"     // the author of a server decides, by what By names
	Superseded Decision = "superseded" // a later row replaces it
	Outside    Decision = "outside"    // it is about something that our servers are not
	Open       Decision = "open"       // it is not met yet
)

var decisions = []Decision{Met, Author, Superseded, Outside, Open}

// Levels are how strongly something is asked, strongest first.
var Levels = []string{"MUST", "MUST-NOT", "SHOULD", "SHOULD-NOT", "MAY", "advice"}

// Row is one thing that is asked of a server.
type Row struct {
	ID, Subject string
	Rules       []Rule
	// Asks is what is asked, and Says what becomes of it.
	Asks     string
	Decision Decision
	Says     string
	// By are directives with an option, diagnostics, and names of packages that give it to authors.
	By []string
	// Later is the id of the row that replaces this one.
	Later string
	// File and Line are where it stands.
	File string
	Line int
	// pages are those of the row itself.
	pages map[string][]string
}

// Rule says how strongly a range of sources asks.
type Rule struct {
	Level string
	// Sources are the letters of revisions, or the names of founding documents, in their order.
	Sources []string
}

// Place is a page of a source.
type Place struct{ Source, Page string }

// Table is the whole of it.
type Table struct {
	Sources []*Source
	Rows    []*Row
	// Subjects are in the order in which they are read best.
	Subjects  []string
	Questions []Question
}

var rowLine = regexp.MustCompile(`^([a-z]+(?:-[a-z0-9]+)+) ([A-Za-z].*)$`)

// Read returns the committed table. An error names file and line.
func Read() (*Table, error) { return read(files) }

func read(dir fs.FS) (*Table, error) {
	t := &Table{}
	if err := t.readPages(dir); err != nil {
		return nil, err
	}
	names, err := fs.Glob(dir, "table/*.txt")
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, name := range names {
		if name == pagesFile || name == questionsFile {
			continue
		}
		rows, err := t.readRows(dir, name)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if seen[r.ID] {
				return nil, fmt.Errorf("%s:%d: %s is there twice", r.File, r.Line, r.ID)
			}
			seen[r.ID] = true
		}
		t.Rows = append(t.Rows, rows...)
	}
	for _, r := range t.Rows {
		if r.Decision == Superseded && !seen[r.Later] {
			return nil, fmt.Errorf("%s:%d: %s is superseded by %q, which is no row", r.File, r.Line, r.ID, r.Later)
		}
	}
	return t, t.readQuestions(dir, seen)
}

// file is a file of rows while it is read.
type file struct {
	*Table
	name, subject string
	pages         map[string][]string
	rows          []*Row
}

func (t *Table) readRows(dir fs.FS, name string) ([]*Row, error) {
	data, err := fs.ReadFile(dir, name)
	if err != nil {
		return nil, err
	}
	f := &file{Table: t, name: path.Base(name), pages: map[string][]string{}}
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		if text = strings.TrimRight(text, "\n"); text == "" {
			continue
		}
		if err := f.take(text, line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", f.name, line, err)
		}
	}
	for _, r := range f.rows {
		if err := f.complete(r); err != nil {
			return nil, fmt.Errorf("%s:%d: %s %w", f.name, r.Line, r.ID, err)
		}
	}
	return f.rows, nil
}

func (f *file) take(text string, line int) error {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	if !strings.HasPrefix(text, "  ") {
		switch m := rowLine.FindStringSubmatch(text); {
		case word == "page":
			return f.page(f.pages, rest)
		case word == "subject":
			f.subject = rest
			return nil
		case m != nil:
			rules, err := f.rules(m[2])
			r := &Row{ID: m[1], Subject: f.subject, Rules: rules, File: f.name, Line: line, pages: map[string][]string{}}
			f.rows = append(f.rows, r)
			return err
		}
		return fmt.Errorf("%q begins neither a row nor anything else", text)
	}
	if len(f.rows) == 0 {
		return fmt.Errorf("there is no row yet")
	}
	return f.detail(f.rows[len(f.rows)-1], word, rest)
}

// detail takes a line below the first one of a row.
func (f *file) detail(r *Row, word, rest string) error {
	switch {
	case word == "page":
		return f.page(r.pages, rest)
	case r.Asks == "":
		r.Asks = word + " " + rest
	case word == "test":
		return fmt.Errorf("a test names the row, and not the row a test: t.Attr(%q, %q)", "requirements", r.ID)
	case word == "by":
		r.By = append(r.By, split(rest)...)
	case r.Decision == "" && slices.Contains(decisions, Decision(word)):
		r.Decision, r.Says = Decision(word), rest
		if r.Decision == Superseded {
			id, why, _ := strings.Cut(strings.TrimPrefix(rest, "by "), "; ")
			r.Later, r.Says = id, why
		}
	default:
		return fmt.Errorf("%q is no part of a row", word)
	}
	return nil
}

func split(list string) []string { return strings.Split(list, ", ") }

// page reads "A-D server/resources, server/tools".
func (f *file) page(into map[string][]string, text string) error {
	span, list, _ := strings.Cut(text, " ")
	sources, err := f.span(span)
	for _, s := range sources {
		into[s] = split(list)
	}
	return err
}

// rules reads "MUST A-D, SHOULD E".
func (f *file) rules(text string) (rules []Rule, err error) {
	for _, part := range split(text) {
		level, span, _ := strings.Cut(part, " ")
		if !slices.Contains(Levels, level) {
			return nil, fmt.Errorf("%q is no level", level)
		}
		sources, err := f.span(span)
		if err != nil {
			return nil, err
		}
		rules = append(rules, Rule{level, sources})
	}
	return rules, nil
}

// span reads "A-D", "E" or the name of a founding document.
func (f *file) span(text string) (out []string, err error) {
	from, to, isRange := strings.Cut(text, "-")
	if !isRange {
		to = from
	}
	first := slices.IndexFunc(f.Sources, func(s *Source) bool { return s.Key == from })
	last := slices.IndexFunc(f.Sources, func(s *Source) bool { return s.Key == to })
	if first < 0 || last < first {
		return nil, fmt.Errorf("%q is no range of sources", text)
	}
	for _, s := range f.Sources[first : last+1] {
		out = append(out, s.Key)
	}
	return out, nil
}

// complete finds the pages of a row, and what it lacks.
func (f *file) complete(r *Row) error {
	for _, rule := range r.Rules {
		for _, source := range rule.Sources {
			if r.pages[source] == nil {
				r.pages[source] = f.pages[source]
			}
			if len(r.pages[source]) == 0 {
				return fmt.Errorf("names no page of %s", source)
			}
			for _, p := range r.pages[source] {
				if !f.has(Place{source, p}) {
					return fmt.Errorf("names the page %s, which %s does not have", p, source)
				}
			}
		}
	}
	switch {
	case r.Decision == "":
		return fmt.Errorf("has no decision")
	case r.Says == "" && r.Decision != Superseded:
		return fmt.Errorf("does not say what becomes of it")
	case r.Decision == Author && len(r.By) == 0:
		return fmt.Errorf("does not say by which directive, option or diagnostic its author answers it")
	}
	return nil
}

// Places are the pages that the row stands on, in the order of sources.
func (r *Row) Places() (out []Place) {
	for _, rule := range r.Rules {
		for _, source := range rule.Sources {
			for _, p := range r.pages[source] {
				if at := (Place{source, p}); !slices.Contains(out, at) {
					out = append(out, at)
				}
			}
		}
	}
	return out
}
