// Package report tells users what is wrong with a package, and what to write instead.
package report

import (
	"go/token"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/load"
)

// Reporter tells what is wrong with one package, or with what one of its servers offers: pkg then has the declarations
// of that server only.
type Reporter struct {
	Res *load.Result
	Pkg *load.Package
	Out *diag.List
	// Unparsed says that some directive of the package could not be recognised.
	Unparsed bool
}

// Report adds a diagnostic about the source between from and to. The options add its details.
func (b *Reporter) Report(code string, from, to token.Pos, message string, options ...func(*diag.Diagnostic)) {
	d := diag.New(code, b.Res.Pos(from, to), "%s", message)
	for _, o := range options {
		o(&d)
	}
	b.Out.Add(d)
}

// Fix says what to write instead.
func Fix(text string) func(*diag.Diagnostic) {
	return func(d *diag.Diagnostic) { d.Fix = text }
}

// Hint stands under the caret.
func Hint(text string) func(*diag.Diagnostic) {
	return func(d *diag.Diagnostic) { d.Hint = text }
}

// Replace is a fix that puts text in the place of the source between from and to.
func (b *Reporter) Replace(from, to token.Pos, text string) func(*diag.Diagnostic) {
	return func(d *diag.Diagnostic) {
		d.Fix = text
		b.Edit(from, to, text)(d)
	}
}

// Edit makes the fix applicable by machines: it puts text in the place of the source between from and to. While some
// directive of the package cannot be read, a mistake may only be its consequence, and there is no edit.
func (b *Reporter) Edit(from, to token.Pos, text string) func(*diag.Diagnostic) {
	if b.Unparsed {
		return func(*diag.Diagnostic) {}
	}
	return func(d *diag.Diagnostic) {
		d.Edits = append(d.Edits, diag.EditOf(b.Res.Fset, from, to, text))
		d.Becomes = append(d.Becomes, b.becomes(from, to, text)...)
	}
}

// becomes are the directives, in normal form, that an edit leaves in the place of those that it touches: the one with
// the argument or the name there, or those that the text has itself.
func (b *Reporter) becomes(from, to token.Pos, text string) []string {
	for _, d := range b.Pkg.Decls {
		for _, dir := range d.Directives {
			if from < dir.Pos || dir.End < to {
				continue
			}
			if from == dir.NamePos && to == dir.NameEnd() {
				other := *dir
				other.Name = text
				return []string{other.String()}
			}
			for _, a := range dir.Args {
				if value, ok := a.Replaced(from, to, text); ok {
					s, _ := dir.With(a, value)
					return []string{s}
				}
			}
		}
	}
	var out []string
	for line := range strings.Lines(text) {
		if dir, ok := directive.Parse(1, strings.TrimSpace(line)); ok {
			out = append(out, dir.String())
		}
	}
	return out
}

// Meant is an edit that puts a name in the place of a misspelt one, if there is no doubt which of the names was meant.
func (b *Reporter) Meant(from, to token.Pos, name string, names []string) func(*diag.Diagnostic) {
	if meant := directive.Meant(name, names); meant != "" {
		return b.Edit(from, to, meant)
	}
	return func(*diag.Diagnostic) {}
}

// Related points to a second place.
func (b *Reporter) Related(from, to token.Pos, message string) func(*diag.Diagnostic) {
	pos := b.Res.Pos(from, to)
	return func(d *diag.Diagnostic) { d.Related = append(d.Related, diag.Related{Pos: pos, Message: message}) }
}

// Option adds a detail to a diagnostic.
type Option = func(*diag.Diagnostic)

// OrNone lists names, or says that there are none.
func OrNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
