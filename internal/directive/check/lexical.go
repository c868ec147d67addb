package check

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// lexical reports the lexical mistakes.
func (c *checker) lexical() {
	for _, f := range c.d.Faults {
		var d *diag.Diagnostic
		switch f.Kind {
		case directive.Unclosed:
			d = c.report("MCP105", f.Pos, f.Pos+1,
				"quoted value is not closed on this line; directives cannot continue on the next")
			d.Fix = "close the quote; use a second line or `desc=@file`"
		case directive.BadEscape:
			d = c.report("MCP105", f.Pos, f.End, "quoted value holds an escape that Go does not know")
			d.Fix = "write the backslash twice, or quote with backquotes"
		case directive.TextAfterQuote:
			d = c.textAfterQuote(f)
		}
		c.add(d)
	}
}

// textAfterQuote reports what touches a closing quote.
func (c *checker) textAfterQuote(f directive.Fault) *diag.Diagnostic {
	d := c.report("MCP105", f.Pos, f.End, "text touches the closing quote")
	d.Fix = "put a space after the quote, or the text inside it"
	i := slices.IndexFunc(c.d.Args, func(a *directive.Arg) bool { return a.Pos <= f.Pos && f.Pos < a.End })
	if i < 0 {
		return d
	}
	a := c.d.Args[i]
	text := c.d.Source()[f.Pos-c.d.Pos : f.End-c.d.Pos]
	value, isValue := strings.CutPrefix(text, "=")
	switch {
	case strings.Trim(text, ",;") == "":
		d.Message = "arguments are separated by white space, not by `" + text + "`"
		d.Fix = "delete the `" + text + "`"
		c.suggest(d, i, 1, []diag.Edit{diag.EditOf(c.fset, f.Pos, f.End, "")}, a.Text())
	case isValue && !a.HasValue && directive.IsQuote(c.raw(a)[0]) && !directive.NeedsQuote(a.Option):
		d.Message = "an option is written without quotes; they stand around the value, or around the whole argument"
		d.Fix = a.Option + text
		if value != "" && !strings.ContainsAny(value, "\"`\\'") {
			c.suggest(d, i, 1, []diag.Edit{diag.EditOf(c.fset, a.Pos, f.Pos, a.Option)}, a.Option+text)
		}
	}
	return d
}
