package nearmiss

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/directive"
)

// attempt is a comment line, taken apart as if it were a directive with a prefix of its own: marks, tool,
// separator and name of the directive.
type attempt struct {
	// indent is white space behind the slashes, marks are signs in front of the tool.
	indent, marks string
	tool, sep     string
	// text begins with the name and goes to the end of the line.
	text string
	// head is where the name ends in the body.
	head int
	// joined says that nothing stands between the tool and the name.
	joined bool
}

// separators are what people write in the place of the colon.
const separators = " \t:.-=/_;,>|~：·"

// attemptOf takes body apart; false if it does not begin like a directive.
func attemptOf(body string) (attempt, bool) {
	var a attempt
	rest := strings.TrimLeft(body, " \t")
	a.indent = body[:len(body)-len(rest)]
	word := strings.TrimLeft(rest, "+@#!/$-*:.~\\")
	a.marks, rest = rest[:len(rest)-len(word)], word
	if after, ok := strings.CutPrefix(rest, "go:"); ok {
		a.marks, rest = a.marks+"go:", after
	}
	if b, ok := glued(a, body, rest); ok {
		return b, true
	}
	n := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if n <= 0 {
		return a, false
	}
	a.tool, rest = rest[:n], rest[n:]
	name := strings.TrimLeft(rest, separators)
	a.sep, a.text = rest[:len(rest)-len(name)], name
	if strings.EqualFold(a.tool, "mcp") && hasPrefixFold(name, "gen") && strings.ContainsAny(name, separators) {
		a.tool = "mcpgen" // mcp-gen:tool
		rest = name[3:]
		name = strings.TrimLeft(rest, separators)
		a.sep, a.text = rest[:len(rest)-len(name)], name
	}
	if a.sep == "" || a.text == "" {
		return a, false
	}
	a.head = len(body) - len(a.text) + directive.NameLen(a.text)
	return a, true
}

// glued reads a head whose letters are those of mcp and the name of a directive, with the colon missing or in the wrong
// place: //mcptool, //mc:ptool.
func glued(a attempt, body, rest string) (attempt, bool) {
	word := firstWord(rest)
	letters := strings.Map(func(r rune) rune {
		if strings.ContainsRune(separators, r) {
			return -1
		}
		return r
	}, word)
	name, ok := strings.CutPrefix(letters, "mcp")
	if !ok || directive.Lookup(name) == nil ||
		hasPrefixFold(word, "mcp") && strings.IndexAny(word[3:], separators) == 0 {
		return a, false
	}
	a.tool, a.sep, a.joined = "mcp", "?", word == letters
	a.text = name + rest[len(word):]
	a.head = len(body) - len(rest) + len(word)
	return a, true
}

// nameWord is the name that begins text, with what touches it, but for brackets.
func nameWord(text string) string {
	word, _, _ := strings.Cut(firstWord(text), "(")
	return word
}

// verdict is the code under which an attempt is reported; "" if it may well be prose, code or the directive of
// another tool.
func (a *attempt) verdict(at Where) string {
	how := fitOf(a.text)
	if how == fitNone {
		return ""
	}
	low := strings.ToLower(a.tool)
	ours := low == "mcp" || low == "mcpgen" || low == "gomcp"
	colon := strings.Trim(a.sep, " \t") == ":"
	switch {
	case !ours && !colon:
		return ""
	case !ours:
		if near(low) && a.placed(at, how) && (how == fitOption || a.indent == "" || slipped(low) && at.Begins) {
			return "MCP114"
		}
		return ""
	case at.Inside && a.indent != "" && how < fitMixed:
		return "" // as in a remark behind a line of code
	case colon && (a.marks != "" || low != "mcp"):
		return "MCP113"
	case strings.HasSuffix(a.marks, "go:"):
		return "MCP113"
	case !a.placed(at, how) || a.indent != "" && how == fitMixed ||
		directive.Lookup(strings.ToLower(nameWord(a.text))) == nil:
		return ""
	case how >= fitMixed:
		return "MCP113"
	case a.tool != low || strings.ToLower(nameWord(a.text)) != nameWord(a.text):
		return "" // a name of Go, or a title
	case a.indent == "" || at.Begins && !a.joined && !strings.ContainsAny(a.sep, " \t"):
		return "MCP113"
	}
	return ""
}

// placed reports whether the directive that an attempt means could stand where it is, with all that it needs.
func (a *attempt) placed(at Where, how fit) bool {
	text := knownName(a.text)
	def := directive.Lookup(text[:directive.NameLen(text)])
	if def == nil || def.On&at.On == 0 {
		return false
	}
	if how >= fitMixed {
		return true
	}
	return !slices.ContainsFunc(def.Options, func(k *directive.Option) bool { return k.Required && !k.Positional })
}

// near reports whether a word is one mistake away from mcp.
func near(tool string) bool {
	n := utf8.RuneCountInString(tool)
	return n >= 2 && n <= 4 && tool != "mcp" && directive.Distance(tool, "mcp") == 1
}

// slipped reports whether a word has the letters of mcp, with one missing, doubled or in the wrong place: nobody names
// a tool so.
func slipped(tool string) bool {
	switch strings.ToLower(tool) {
	case "mpc", "cmp", "mmcp", "mccp", "mcpp", "mc", "mp", "cp":
		return true
	}
	return false
}
