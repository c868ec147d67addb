package nearmiss

import (
	"go/token"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// Where is what the caller knows about the place of a comment line that is no directive.
type Where struct {
	// On is the kind of declaration that the comment belongs to; 0 for none.
	On directive.Target
	// First says that it is the first line of its comment.
	First bool
	// Begins says that no sentence of the line above goes on in it.
	Begins bool
	// Inside says that it stands within a declaration, as in the body of a function.
	Inside bool
}

// miss is one comment line that is no directive.
type miss struct {
	fset  *token.FileSet
	pos   token.Pos
	line  string
	where Where
	out   *diag.List
}

// bytesAt is a range of the bytes of a line.
type bytesAt struct{ from, to int }

// report adds a diagnostic about a part of the line. The repair is the whole line as a directive, if it is not empty.
func (m *miss) report(code string, at bytesAt, repair, fix, format string, args ...any) bool {
	d := diag.New(code, diag.PosOf(m.fset, m.pos+token.Pos(at.from), m.pos+token.Pos(at.to)), format, args...)
	d.Fix = fix
	if dir, ok := directive.Parse(1, repair); ok && len(dir.Faults) == 0 {
		end := len(strings.TrimRightFunc(m.line, unicode.IsSpace))
		d.Edits = []diag.Edit{diag.EditOf(m.fset, m.pos, m.pos+token.Pos(end), dir.Source())}
		d.Becomes = []string{dir.String()}
	}
	m.out.Add(d)
	return true
}
