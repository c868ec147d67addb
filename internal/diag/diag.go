// Package diag has the diagnostics of the generator: a Diagnostic for each mistake in the source of a user, a List that
// sorts and counts them, and a Printer that prints each with its source line, a caret range, related places and a fix.
//
// A Diagnostic is data, which the command line, editors and JSON output render. Mistakes of users are collected in a
// List and never returned as an error; errors are for I/O and for bugs of the generator.
package diag

import (
	"fmt"
	"go/token"
)

// Severity says what a diagnostic does to the run.
type Severity int

// Severities, from the one that stops generation to the one that only informs.
const (
	// Error stops generation; the command ends with exit code 1.
	Error Severity = iota
	// Warning is printed; in strict mode it counts as an Error.
	Warning
	// Note is printed and never changes the exit code.
	Note
)

// String returns the word that is printed before the code.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Note:
		return "note"
	}
	return fmt.Sprintf("severity(%d)", int(s))
}

// Pos is a range within one line of a file. Lines and columns start at 1 and
// columns count bytes, as in go/token.
type Pos struct {
	// File is an absolute path; printing makes it relative.
	File string
	// Line and Col are where the range starts; Line 0 means the whole file.
	Line, Col int
	// EndCol is the column after the last byte. A value not above Col means
	// one character.
	EndCol int
}

// IsValid reports whether the position names a line.
func (p Pos) IsValid() bool { return p.File != "" && p.Line > 0 }

// String gives file:line:col, leaving out what is unknown.
func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// PosOf converts a token range to a Pos. A range that leaves its first line is
// cut to one character. Line comments such as "//line" are not honoured: a fix
// has to land in the file that was read.
func PosOf(fset *token.FileSet, from, to token.Pos) Pos {
	if !from.IsValid() {
		return Pos{}
	}
	p := fset.PositionFor(from, false)
	out := Pos{File: p.Filename, Line: p.Line, Col: p.Column}
	if to > from {
		if q := fset.PositionFor(to, false); q.Filename == p.Filename && q.Line == p.Line {
			out.EndCol = q.Column
		}
	}
	return out
}

// Related is a second place that helps to understand a diagnostic.
type Related struct {
	Pos     Pos
	Message string
}

// Edit replaces the bytes [Start, End) of File. The edits of one diagnostic do
// not overlap and together make the fix described by its Fix text.
type Edit struct {
	File       string
	Start, End int
	New        string
}

// EditOf converts a token range and its replacement to an Edit.
func EditOf(fset *token.FileSet, from, to token.Pos, text string) Edit {
	p, q := fset.PositionFor(from, false), fset.PositionFor(to, false)
	return Edit{File: p.Filename, Start: p.Offset, End: q.Offset, New: text}
}

// Diagnostic is one finding about a user's source.
type Diagnostic struct {
	Pos      Pos
	Severity Severity
	// Code is an id of the table in this package, such as "MCP104".
	Code string
	// Message is one line, lower case, and names the thing that is wrong.
	Message string
	// Hint stands under the caret: the valid choices, or the reason. Optional.
	Hint string
	// Fix says in words what to write instead. Optional.
	Fix string
	// Edits is the fix for machines. Optional, never present without Fix.
	Edits []Edit
	// Becomes has, in normal form, the directives that Edits are to leave in the place of those that they touch.
	// Edits that leave anything else are not offered.
	Becomes []string
	// Related lists further places, in the order in which they are printed.
	Related []Related
}

// New returns a diagnostic with the severity that the table gives to code.
// An unknown code is a fault of the generator and panics.
func New(code string, pos Pos, format string, args ...any) Diagnostic {
	c, ok := Find(code)
	if !ok {
		panic("diag: unknown code " + code)
	}
	return Diagnostic{Pos: pos, Severity: c.Severity, Code: code, Message: fmt.Sprintf(format, args...)}
}
