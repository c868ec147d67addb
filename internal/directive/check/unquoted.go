package check

import (
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// unquoted reports a text of several words that nobody quoted, as in title=Repository Content: the words that follow
// args[i] and are no options. It returns of how many arguments; 0 if that is not what is wrong.
func (c *checker) unquoted(from, i int) int {
	args := c.d.Args
	if i == from || !c.isText(args[i-1]) {
		return 0
	}
	n := 0
	for _, a := range args[i:] {
		if a.HasValue || c.d.Def.Option(a.Option) != nil || directive.NeedsQuote(a.Option) ||
			strings.ContainsAny(a.Option, "\"`\\/") || c.faulty(a) {
			break
		}
		n++
	}
	if n == 0 || directive.Nearest(args[i].Option, c.d.Def.OptionNames()) != "" {
		return 0
	}
	first, last := args[i-1], args[i+n-1]
	words := []string{first.Value}
	for _, a := range args[i : i+n] {
		words = append(words, a.Option)
	}
	d := c.report("MCP104", args[i].Pos, last.End, "a value of several words needs quotes; `%s` is no option of `%s`",
		args[i].Option, c.d.Def.Name)
	d.Fix = first.Option + `="` + strings.Join(words, " ") + `"`
	if next := i + n; next < len(args) && (c.faulty(args[next]) || c.d.Def.Option(args[next].Option) == nil) {
		c.add(d) // where the text ends is not sure
		return n
	}
	c.suggest(d, i-1, n+1, []diag.Edit{diag.EditOf(c.fset, first.ValuePos(), first.ValuePos(), `"`),
		diag.EditOf(c.fset, last.End, last.End, `"`)},
		first.Option+"="+strings.Join(words, " "))
	c.add(d)
	return n
}
