package marker

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// brackets reports arguments between parentheses or braces, as in //mcp:tool(name=x). The text begins with the bracket.
func (c *checker) brackets(text string, at token.Pos) bool {
	if text == "" || !strings.ContainsRune("([{<", rune(text[0])) {
		return false
	}
	closing := map[byte]string{'(': ")", '[': "]", '{': "}", '<': ">"}[text[0]]
	inner, closed := strings.CutSuffix(strings.TrimRight(text, ";"), closing)
	inner = strings.TrimSpace(inner[1:])
	g := c.report("MCP105", at, c.d.End, "arguments stand behind the verb, separated by white space, without `%c`", text[0])
	g.Fix = "write `" + Prefix + c.d.Verb + " key=value`"
	if words, ok := c.apart(inner); closed && ok {
		var args []*Arg
		for _, w := range words {
			d, _ := Parse(1, Prefix+"x "+w)
			args = append(args, d.Args...)
		}
		line := Prefix + c.d.Verb
		if len(words) > 0 {
			line += " " + strings.Join(words, " ")
		}
		g.Fix = "write `" + line + "`"
		g.Edits = []diag.Edit{diag.EditOf(c.fset, c.d.VerbEnd(), c.d.End, line[len(Prefix)+len(c.d.Verb):])}
		g.Becomes = []string{c.d.proposal(args...)}
	}
	c.add(g)
	return true
}

// bracketed finds arguments between brackets behind the verb, as in //mcp:tool (name=x).
func (c *checker) bracketed() bool {
	text := c.d.text[c.d.VerbEnd()-c.d.Pos:]
	return slices.ContainsFunc(c.d.Def.Keys, func(k *Key) bool { return !k.Positional }) && c.brackets(strings.TrimLeft(text, " \t"), c.d.VerbEnd())
}

// apart cuts a list of arguments at its commas and white space outside of quotes; false if a part is none of the verb.
func (c *checker) apart(inner string) ([]string, bool) {
	var words []string
	for rest := inner; ; {
		rest = strings.TrimLeft(rest, ", \t")
		if rest == "" {
			return words, true
		}
		d, ok := Parse(1, Prefix+"x "+rest)
		if !ok || len(d.Args) == 0 || len(d.Faults) > 0 && d.Faults[0].Kind != TextAfterQuote {
			return nil, false
		}
		end := int(d.Args[0].End) - 1 - len(Prefix+"x ")
		if len(d.Faults) > 0 && int(d.Faults[0].Pos)-1-len(Prefix+"x ") < end {
			end = int(d.Faults[0].Pos) - 1 - len(Prefix+"x ")
		}
		word := rest[:end]
		if parts := splitAtKeys(c.d.Def, word); len(parts) > 1 {
			word = parts[0]
		}
		rest = rest[len(word):]
		word = strings.TrimRight(word, ",")
		if c.d.Def.Key(argOf(word).Key) == nil || strings.ContainsAny(word, "(<>[]") {
			return nil, false
		}
		words = append(words, word)
	}
}

// tail reports a verb that something touches, as in //mcp:tool(name=x) and //mcp:tool,name=x. It cuts the verb off and
// returns whether there was anything.
func (c *checker) tail() bool {
	n := verbLen(c.d.Verb)
	def := Lookup(c.d.Verb[:n])
	if n == len(c.d.Verb) || def == nil {
		return false
	}
	c.d.Verb, c.d.Def = c.d.Verb[:n], def
	text := c.d.text[len(Prefix)+n:]
	if c.brackets(text, c.d.VerbEnd()) {
		return true
	}
	sign, _ := utf8.DecodeRuneInString(text)
	g := c.report("MCP105", c.d.VerbEnd(), c.d.VerbEnd()+token.Pos(utf8.RuneLen(sign)), "a verb is followed by white space, not by `%c`", sign)
	rest := strings.TrimLeft(text, ",;:=.|- \t")
	g.Fix = fmt.Sprintf("write `%s%s %s`", Prefix, c.d.Verb, cmp.Or(rest, "key=value"))
	if d, ok := Parse(1, Prefix+c.d.Verb+" "+rest); ok && len(d.Faults) == 0 && len(d.Args) > 0 && def.Key(d.Args[0].Key) != nil {
		g.Edits = []diag.Edit{diag.EditOf(c.fset, c.d.VerbEnd(), c.d.End-token.Pos(len(rest)), " ")}
		g.Becomes = []string{d.String()}
	}
	c.add(g)
	return true
}
