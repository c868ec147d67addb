package directive

import (
	"go/token"
	"strings"
	"unicode"
)

// Prefix begins every directive.
const Prefix = "//mcp:"

// Directive is one //mcp: line.
type Directive struct {
	// Pos is the first slash, End the position after the last character that is
	// not white space.
	Pos, End token.Pos
	// Name is the word after the colon and VerbPos its first character.
	Name    string
	NamePos token.Pos
	// Args are the arguments in order.
	Args []*Arg
	// Faults are the lexical mistakes.
	Faults []Fault

	// Def is the directive's row in the table and Spec a pointer to the directive's struct,
	// such as *Resource. Package check sets both; they are nil for an unknown directive.
	Def  *Definition
	Spec any
	// Bad says that the directive has an error, so that later stages do not report consequences of it.
	Bad bool

	text string
}

// NameEnd is the position after the name.
func (d *Directive) NameEnd() token.Pos { return d.NamePos + token.Pos(len(d.Name)) }

// Source is the line as it was written, without white space at its end.
func (d *Directive) Source() string { return d.text }

// Parse lexes one line comment. The line begins with its slashes and holds the
// bytes of the file, so that columns are right; pos is where it starts, or 0
// for offsets into line. It returns false if the line is not a directive
// according to the rules of Go.
func Parse(pos token.Pos, line string) (*Directive, bool) {
	rest, ok := strings.CutPrefix(line, Prefix)
	if !ok || rest == "" || !isAlnum(rest[0]) {
		return nil, false
	}
	text := strings.TrimRightFunc(line, unicode.IsSpace)
	l := &lexer{text: text, pos: pos, i: len(Prefix)}
	d := &Directive{Pos: pos, End: pos + token.Pos(len(text)), NamePos: pos + token.Pos(l.i), text: text}
	d.Name = text[l.i:l.wordEnd()]
	l.i += len(d.Name)
	for l.skipSpace(); l.i < len(text); l.skipSpace() {
		d.Args = append(d.Args, l.arg())
	}
	d.Faults = l.faults
	return d, true
}

// Texts returns the text-typed values of the directive that name a file, for
// the loader to fill.
func (d *Directive) Texts() []*Text {
	var out []*Text
	if d.Def == nil {
		return nil
	}
	for _, k := range d.Def.Options {
		if t, ok := k.value(d.Spec).(*Text); ok && t.File != "" {
			out = append(out, t)
		}
	}
	return out
}
