package diag

import (
	"cmp"
	"slices"
)

// List collects diagnostics of one run. The zero value is ready to use. It is
// not safe for concurrent use; stages that run in parallel fill lists of their
// own and join them with Add.
type List struct {
	items []Diagnostic
}

// Add appends diagnostics.
func (l *List) Add(ds ...Diagnostic) { l.items = append(l.items, ds...) }

// Len is the number of diagnostics, duplicates included until Sorted is called.
func (l *List) Len() int { return len(l.items) }

// Sorted returns the diagnostics by file, line, column, severity, code and
// message, each once. A diagnostic is a duplicate when position, code and
// message are equal.
func (l *List) Sorted() []Diagnostic {
	out := slices.Clone(l.items)
	slices.SortStableFunc(out, compare)
	return slices.CompactFunc(out, func(a, b Diagnostic) bool { return compare(a, b) == 0 })
}

// Count returns how many diagnostics of severity s the sorted list has.
func (l *List) Count(s Severity) int {
	n := 0
	for _, d := range l.Sorted() {
		if d.Severity == s {
			n++
		}
	}
	return n
}

// HasErrors reports whether generation must not happen.
func (l *List) HasErrors() bool {
	return slices.ContainsFunc(l.items, func(d Diagnostic) bool { return d.Severity == Error })
}

// AtLeast returns a list with the diagnostics that are as severe as s or more;
// AtLeast(Warning) drops notes.
func (l *List) AtLeast(s Severity) *List {
	out := new(List)
	for _, d := range l.items {
		if d.Severity <= s {
			out.Add(d)
		}
	}
	return out
}

// Strict returns a list in which every warning is an error. Notes stay notes.
func (l *List) Strict() *List {
	out := &List{items: slices.Clone(l.items)}
	for i := range out.items {
		if out.items[i].Severity == Warning {
			out.items[i].Severity = Error
		}
	}
	return out
}

func compare(a, b Diagnostic) int {
	return cmp.Or(
		cmp.Compare(a.Pos.File, b.Pos.File),
		cmp.Compare(a.Pos.Line, b.Pos.Line),
		cmp.Compare(a.Pos.Col, b.Pos.Col),
		cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Message, b.Message),
	)
}
