package check

import (
	"go/token"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// checker checks one directive.
type checker struct {
	fset *token.FileSet
	d    *directive.Directive
	out  *diag.List
	// seen are the options that were written, or meant.
	seen map[*directive.Option]*directive.Arg
}

// report makes a diagnostic about the source between two places, and notes that the directive is bad.
func (c *checker) report(code string, from, to token.Pos, format string, args ...any) *diag.Diagnostic {
	c.d.Bad = true
	d := diag.New(code, diag.PosOf(c.fset, from, to), format, args...)
	return &d
}

func (c *checker) add(d *diag.Diagnostic) { c.out.Add(*d) }

// faulty reports whether a lexical mistake lies within the argument.
func (c *checker) faulty(a *directive.Arg) bool {
	return slices.ContainsFunc(c.d.Faults, func(f directive.Fault) bool { return a.Pos <= f.Pos && f.Pos < a.End })
}

// raw is the source of an argument.
func (c *checker) raw(a *directive.Arg) string { return c.d.Source()[a.Pos-c.d.Pos : a.End-c.d.Pos] }

// bare reports whether an argument has no quotes.
func (c *checker) bare(a *directive.Arg) bool { return c.raw(a) == a.Text() }

// suggest adds a repair for machines to g: edits, which put texts in the place of n arguments from the i-th on.
func (c *checker) suggest(g *diag.Diagnostic, i, n int, edits []diag.Edit, texts ...string) {
	var args []*directive.Arg
	args = append(args, c.d.Args[:i]...)
	for _, text := range texts {
		args = append(args, directive.NewArg(text))
	}
	g.Edits, g.Becomes = edits, []string{c.d.WithArgs(append(args, c.d.Args[i+n:]...)...)}
}

// malformed reports arguments i to i+n-1 as MCP105.
func (c *checker) malformed(i, n int, fix, format string, args ...any) *diag.Diagnostic {
	a, last := c.d.Args[i], c.d.Args[i+n-1]
	g := c.report("MCP105", a.Pos, last.End, format, args...)
	g.Fix = fix
	if k := c.d.Def.Option(a.Option); k != nil && c.seen[k] == nil {
		c.seen[k] = a // so that nobody says that it is missing
	}
	return g
}

// meant notes that an option was meant.
func (c *checker) meant(name string, a *directive.Arg) {
	if k := c.d.Def.Option(name); k != nil && c.seen[k] == nil {
		c.seen[k] = a
	}
}

// isText reports whether a gives an option a text that has no quotes.
func (c *checker) isText(a *directive.Arg) bool {
	k := c.d.Def.Option(a.Option)
	if k == nil || a.Value == "" || a.End != a.ValueEnd() || strings.ContainsAny(a.Value, "\"`\\") || c.faulty(a) {
		return false
	}
	return k.Kind == "string" || k.Kind == "text"
}

// pairs is the option of the directive that takes free pairs, if it has one.
func (c *checker) pairs() (*directive.Option, bool) {
	i := slices.IndexFunc(c.d.Def.Options, func(k *directive.Option) bool { return k.Kind == "pairs" })
	if i < 0 {
		return nil, false
	}
	return c.d.Def.Options[i], true
}
