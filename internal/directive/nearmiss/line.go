package nearmiss

import (
	"go/token"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// Line looks at a line comment that Parse does not accept. If it was probably meant as a directive it
// reports MCP101, MCP102, MCP103, MCP113 or MCP114 and returns true. Prose that only mentions a directive is
// left alone: after the name there must be nothing, or words that fit its options, and the less the line looks
// like a directive, the more of its options must be there.
func Line(fset *token.FileSet, pos token.Pos, line string, at Where, out *diag.List) bool {
	body, ok := strings.CutPrefix(line, "//")
	if !ok {
		return false
	}
	m := &miss{fset: fset, pos: pos, line: line, where: at, out: out}
	return m.spaced(body) || m.upperName() || m.otherName() || m.noName() || m.misspelt(body)
}

// UpperName reports MCP102 for an upper-case letter in the prefix or in the name of a directive, and whether there is
// one.
func UpperName(fset *token.FileSet, pos token.Pos, line string, out *diag.List) bool {
	m := &miss{fset: fset, pos: pos, line: line, out: out}
	return m.upperName()
}

// spaced finds white space before the tool or on either side of the colon. Four spaces or a tab begin a code
// block in a doc comment, so such lines are left alone, unless the comment begins with one.
func (m *miss) spaced(body string) bool {
	rest := strings.TrimLeft(body, " \t")
	lead := len(body) - len(rest)
	if isExample(body) && !m.where.First || !hasPrefixFold(rest, "mcp") {
		return false
	}
	rest = rest[3:]
	colon := strings.TrimLeft(rest, " ")
	if !strings.HasPrefix(colon, ":") {
		return false
	}
	before := len(rest) - len(colon)
	name := strings.TrimLeft(colon[1:], " \t")
	after := len(colon) - 1 - len(name)
	how := fitOf(name)
	a := attempt{text: name}
	switch {
	case lead+before+after == 0 || how == fitNone:
		return false
	case how >= fitMixed:
	case lead > 0 && m.where.Inside:
		return false
	case lead > 0 && before+after > 0 && !(m.where.Begins && strings.HasPrefix(body[lead:], "mcp") &&
		a.placed(m.where, how)):
		return false // as in: MCP: tool
	}
	at, why := 2, "the space after `//`"
	switch {
	case lead == 0 && before > 0:
		at, why = 2+3, "the space before the colon"
	case lead == 0:
		at, why = 2+3+before+1, "the space after the colon"
	}
	want := directive.Prefix + knownName(name)
	return m.report("MCP101", bytesAt{at, at + 1}, want, "delete the space",
		"`%s` is documentation, not a directive, because of %s", firstWords(m.line, name), why)
}

// upperName finds an upper-case letter in the tool or the name.
func (m *miss) upperName() bool {
	if !hasPrefixFold(m.line, directive.Prefix) {
		return false
	}
	name := m.line[len(directive.Prefix):]
	name = name[:directive.NameLen(name)]
	head := m.line[:len(directive.Prefix)+len(name)]
	at := strings.IndexFunc(head, func(r rune) bool { return 'A' <= r && r <= 'Z' })
	low := strings.ToLower(name)
	if at < 0 || directive.Lookup(low) == nil && directive.Nearest(low, directive.Names()) == "" {
		return false
	}
	repair := ""
	if directive.Lookup(low) != nil {
		repair = directive.Prefix + low + m.line[len(head):]
	} else {
		low = directive.Nearest(low, directive.Names())
	}
	return m.report("MCP102", bytesAt{at, at + 1}, repair, "write `"+directive.Prefix+low+"`",
		"`%s` is not a directive (gofmt will turn it into prose)", head)
}

// otherName finds a name that begins with a character that Go does not accept and that resembles no directive.
func (m *miss) otherName() bool {
	rest, ok := strings.CutPrefix(m.line, directive.Prefix)
	if !ok || rest == "" || rest[0] == ' ' || rest[0] == '\t' {
		return false
	}
	name := firstWord(rest)
	word := strings.TrimFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	repair, fix := "", ""
	if directive.Lookup(word) != nil {
		repair, fix = directive.Prefix+word+rest[len(name):], "write `"+directive.Prefix+word+"`"
	}
	at := len(directive.Prefix)
	if fix == "" {
		from := m.pos + token.Pos(at)
		d := diag.New("MCP103", diag.PosOf(m.fset, from, from+token.Pos(len(name))), "unknown directive `%s`", name)
		WithChoices(&d, name)
		m.out.Add(d)
		return true
	}
	return m.report("MCP103", bytesAt{at, at + len(name)}, repair, fix, "unknown directive `%s`", name)
}

// noName finds a directive without its name.
func (m *miss) noName() bool {
	rest, ok := strings.CutPrefix(m.line, directive.Prefix)
	if !ok || strings.TrimSpace(rest) != "" && !anyOption(rest) {
		return false
	}
	d := diag.New("MCP103", diag.PosOf(m.fset, m.pos, m.pos+token.Pos(len(directive.Prefix))),
		"the name of the directive is missing after `%s`", directive.Prefix)
	WithChoices(&d, "")
	m.out.Add(d)
	return true
}

// anyOption reports whether text begins with an option of some directive and its value.
func anyOption(text string) bool {
	d, ok := directive.Parse(1, directive.Prefix+"x "+text)
	if !ok || len(d.Args) == 0 || !d.Args[0].HasValue {
		return false
	}
	return slices.ContainsFunc(directive.Definitions(), func(v *directive.Definition) bool {
		return v.Option(d.Args[0].Option) != nil
	})
}
