package merged

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/schema"
)

// Report collects what is to be told of schemas. Errors are what cannot be merged at all.
type Report struct {
	Warnings []*schema.Error
	Notes    []Note
	Errs     []error
}

// Note tells of a decision that nobody has to act upon.
type Note struct {
	Pos  schema.Pos
	Text string
}

// String returns file:line:col: note: text.
func (n Note) String() string { return n.Pos.String() + ": note: " + n.Text }

// Warnf reports what is kept in another form than the schema has.
func (r *Report) Warnf(pos schema.Pos, format string, args ...any) {
	r.Warnings = append(r.Warnings, schema.Warnf(pos, format, args...))
}

// Notef reports what a rule has decided.
func (r *Report) Notef(pos schema.Pos, format string, args ...any) {
	note := Note{Pos: pos, Text: fmt.Sprintf(format, args...)}
	if !slices.Contains(r.Notes, note) {
		r.Notes = append(r.Notes, note)
	}
}

// Failf reports what cannot be merged.
func (r *Report) Failf(pos schema.Pos, format string, args ...any) {
	r.Errs = append(r.Errs, schema.Errorf(pos, format, args...))
}
