package check

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// brackets reports arguments between parentheses or braces, as in //mcp:tool(name=x). The text begins with the bracket.
func (c *checker) brackets(text string, at token.Pos) bool {
	if text == "" || !strings.ContainsRune("([{<", rune(text[0])) {
		return false
	}
	closing := map[byte]string{'(': ")", '[': "]", '{': "}", '<': ">"}[text[0]]
	inner, closed := strings.CutSuffix(strings.TrimRight(text, ";"), closing)
	inner = strings.TrimSpace(inner[1:])
	g := c.report("MCP105", at, c.d.End,
		"arguments stand behind the name of the directive, separated by white space, without `%c`", text[0])
	g.Fix = "write `" + directive.Prefix + c.d.Name + " option=value`"
	if words, ok := c.apart(inner); closed && ok {
		var args []*directive.Arg
		for _, w := range words {
			d, _ := directive.Parse(1, directive.Prefix+"x "+w)
			args = append(args, d.Args...)
		}
		line := directive.Prefix + c.d.Name
		if len(words) > 0 {
			line += " " + strings.Join(words, " ")
		}
		g.Fix = "write `" + line + "`"
		g.Edits = []diag.Edit{diag.EditOf(c.fset, c.d.NameEnd(), c.d.End, line[len(directive.Prefix)+len(c.d.Name):])}
		g.Becomes = []string{c.d.WithArgs(args...)}
	}
	c.add(g)
	return true
}

// bracketed finds arguments between brackets behind the name, as in //mcp:tool (name=x).
func (c *checker) bracketed() bool {
	text := c.d.Source()[c.d.NameEnd()-c.d.Pos:]
	return slices.ContainsFunc(c.d.Def.Options, func(k *directive.Option) bool { return !k.Positional }) &&
		c.brackets(strings.TrimLeft(text, " \t"), c.d.NameEnd())
}

// apart cuts a list of arguments at its commas and white space outside of quotes; false if a part is none of the
// directive.
func (c *checker) apart(inner string) ([]string, bool) {
	var words []string
	for rest := inner; ; {
		rest = strings.TrimLeft(rest, ", \t")
		if rest == "" {
			return words, true
		}
		d, ok := directive.Parse(1, directive.Prefix+"x "+rest)
		if !ok || len(d.Args) == 0 || len(d.Faults) > 0 && d.Faults[0].Kind != directive.TextAfterQuote {
			return nil, false
		}
		end := int(d.Args[0].End) - 1 - len(directive.Prefix+"x ")
		if len(d.Faults) > 0 && int(d.Faults[0].Pos)-1-len(directive.Prefix+"x ") < end {
			end = int(d.Faults[0].Pos) - 1 - len(directive.Prefix+"x ")
		}
		word := rest[:end]
		if parts := splitAtOptions(c.d.Def, word); len(parts) > 1 {
			word = parts[0]
		}
		rest = rest[len(word):]
		word = strings.TrimRight(word, ",")
		if c.d.Def.Option(directive.NewArg(word).Option) == nil || strings.ContainsAny(word, "(<>[]") {
			return nil, false
		}
		words = append(words, word)
	}
}

// tail reports a name that something touches, as in //mcp:tool(name=x) and //mcp:tool,name=x. It cuts the name off and
// returns whether there was anything.
func (c *checker) tail() bool {
	n := directive.NameLen(c.d.Name)
	def := directive.Lookup(c.d.Name[:n])
	if n == len(c.d.Name) || def == nil {
		return false
	}
	c.d.Name, c.d.Def = c.d.Name[:n], def
	text := c.d.Source()[len(directive.Prefix)+n:]
	if c.brackets(text, c.d.NameEnd()) {
		return true
	}
	sign, size := utf8.DecodeRuneInString(text)
	g := c.report("MCP105", c.d.NameEnd(), c.d.NameEnd()+token.Pos(size),
		"the name of a directive is followed by white space, not by `%c`", sign)
	rest := strings.TrimLeft(text, ",;:=.|- \t")
	g.Fix = fmt.Sprintf("write `%s%s %s`", directive.Prefix, c.d.Name, cmp.Or(rest, "option=value"))
	if d, ok := directive.Parse(1, directive.Prefix+c.d.Name+" "+rest); ok && len(d.Faults) == 0 && len(d.Args) > 0 &&
		def.Option(d.Args[0].Option) != nil {
		g.Edits = []diag.Edit{diag.EditOf(c.fset, c.d.NameEnd(), c.d.End-token.Pos(len(rest)), " ")}
		g.Becomes = []string{d.String()}
	}
	c.add(g)
	return true
}
