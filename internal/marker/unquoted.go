package marker

import (
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// unquoted reports a text of several words that nobody quoted, as in title=Repository Content: the words that follow
// args[i] and are no keys. It returns of how many arguments; 0 if that is not what is wrong.
func (c *checker) unquoted(from, i int) int {
	args := c.d.Args
	if i == from || !c.isText(args[i-1]) {
		return 0
	}
	n := 0
	for _, a := range args[i:] {
		if a.HasValue || c.d.Def.Key(a.Key) != nil || needsQuote(a.Key) || strings.ContainsAny(a.Key, "\"`\\/") || c.faulty(a) {
			break
		}
		n++
	}
	if n == 0 || Nearest(args[i].Key, names(c.d.Def.Keys)) != "" {
		return 0
	}
	first, last := args[i-1], args[i+n-1]
	words := []string{first.Value}
	for _, a := range args[i : i+n] {
		words = append(words, a.Key)
	}
	d := c.report("MCP104", args[i].Pos, last.End, "a value of several words needs quotes; `%s` is no key of `%s`", args[i].Key, c.d.Def.Name)
	d.Fix = first.Key + `="` + strings.Join(words, " ") + `"`
	if next := i + n; next < len(args) && (c.faulty(args[next]) || c.d.Def.Key(args[next].Key) == nil) {
		c.add(d) // where the text ends is not sure
		return n
	}
	c.offer(d, i-1, n+1, []diag.Edit{diag.EditOf(c.fset, first.ValuePos(), first.ValuePos(), `"`), diag.EditOf(c.fset, last.End, last.End, `"`)},
		first.Key+"="+strings.Join(words, " "))
	c.add(d)
	return n
}

// isText reports whether a gives a key a text that has no quotes.
func (c *checker) isText(a *Arg) bool {
	k := c.d.Def.Key(a.Key)
	if k == nil || a.Value == "" || a.End != a.ValueEnd() || strings.ContainsAny(a.Value, "\"`\\") || c.faulty(a) {
		return false
	}
	switch k.value(c.spec).(type) {
	case *String, *Text:
		return true
	}
	return false
}
