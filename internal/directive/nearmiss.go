package directive

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// Where is what the caller knows about the place of a comment line that is no directive.
type Where struct {
	// On is the kind of declaration that the comment belongs to; 0 for none.
	On Target
	// First says that it is the first line of its comment.
	First bool
	// Begins says that no sentence of the line above goes on in it.
	Begins bool
	// Inside says that it stands within a declaration, as in the body of a function.
	Inside bool
}

// NearMiss looks at a line comment that Parse does not accept. If it was probably meant as a directive it
// reports MCP101, MCP102, MCP103, MCP113 or MCP114 and returns true. Prose that only mentions a directive is
// left alone: after the name there must be nothing, or words that fit its options, and the less the line looks
// like a directive, the more of its options must be there.
func NearMiss(fset *token.FileSet, pos token.Pos, line string, at Where, out *diag.List) bool {
	body, ok := strings.CutPrefix(line, "//")
	if !ok {
		return false
	}
	m := &miss{fset: fset, pos: pos, line: line, where: at, out: out}
	return m.spaced(body) || m.upperName() || m.otherName() || m.noName() || m.misspelt(body)
}

// miss is one comment line that is no directive.
type miss struct {
	fset  *token.FileSet
	pos   token.Pos
	line  string
	where Where
	out   *diag.List
}

// bytesAt is a range of the bytes of a line.
type bytesAt struct{ from, to int }

// report adds a diagnostic about a part of the line. The repair is the whole line as a directive, if it is not empty.
func (m *miss) report(code string, at bytesAt, repair, fix, format string, args ...any) bool {
	d := diag.New(code, diag.PosOf(m.fset, m.pos+token.Pos(at.from), m.pos+token.Pos(at.to)), format, args...)
	d.Fix = fix
	if dir, ok := Parse(1, repair); ok && len(dir.Faults) == 0 {
		end := len(strings.TrimRightFunc(m.line, unicode.IsSpace))
		d.Edits = []diag.Edit{diag.EditOf(m.fset, m.pos, m.pos+token.Pos(end), dir.text)}
		d.Becomes = []string{dir.String()}
	}
	m.out.Add(d)
	return true
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
	want := Prefix + knownName(name)
	return m.report("MCP101", bytesAt{at, at + 1}, want, "delete the space",
		"`%s` is documentation, not a directive, because of %s", firstWords(m.line, name), why)
}

// isExample reports whether the text behind the slashes is indented as code in a doc comment is.
func isExample(body string) bool {
	return strings.HasPrefix(body, "    ") || strings.HasPrefix(strings.TrimLeft(body, " "), "\t")
}

// upperName finds an upper-case letter in the tool or the name.
func (m *miss) upperName() bool {
	if !hasPrefixFold(m.line, Prefix) {
		return false
	}
	name := m.line[len(Prefix):]
	name = name[:nameLen(name)]
	head := m.line[:len(Prefix)+len(name)]
	at := strings.IndexFunc(head, func(r rune) bool { return 'A' <= r && r <= 'Z' })
	low := strings.ToLower(name)
	if at < 0 || Lookup(low) == nil && Nearest(low, definedNames()) == "" {
		return false
	}
	repair := ""
	if Lookup(low) != nil {
		repair = Prefix + low + m.line[len(head):]
	} else {
		low = Nearest(low, definedNames())
	}
	return m.report("MCP102", bytesAt{at, at + 1}, repair, "write `"+Prefix+low+"`",
		"`%s` is not a directive (gofmt will turn it into prose)", head)
}

// otherName finds a name that begins with a character that Go does not accept and that resembles no directive.
func (m *miss) otherName() bool {
	rest, ok := strings.CutPrefix(m.line, Prefix)
	if !ok || rest == "" || rest[0] == ' ' || rest[0] == '\t' {
		return false
	}
	name := firstWord(rest)
	word := strings.TrimFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	repair, fix := "", ""
	if Lookup(word) != nil {
		repair, fix = Prefix+word+rest[len(name):], "write `"+Prefix+word+"`"
	}
	at := len(Prefix)
	if fix == "" {
		from := m.pos + token.Pos(at)
		d := diag.New("MCP103", diag.PosOf(m.fset, from, from+token.Pos(len(name))), "unknown directive `%s`", name)
		withNames(&d, name)
		m.out.Add(d)
		return true
	}
	return m.report("MCP103", bytesAt{at, at + len(name)}, repair, fix, "unknown directive `%s`", name)
}

// noName finds a directive without its name.
func (m *miss) noName() bool {
	rest, ok := strings.CutPrefix(m.line, Prefix)
	if !ok || strings.TrimSpace(rest) != "" && !anyOption(rest) {
		return false
	}
	d := diag.New("MCP103", diag.PosOf(m.fset, m.pos, m.pos+token.Pos(len(Prefix))), "the name of the directive is missing after `%s`", Prefix)
	withNames(&d, "")
	m.out.Add(d)
	return true
}

// anyOption reports whether text begins with an option of some directive and its value.
func anyOption(text string) bool {
	d, ok := Parse(1, Prefix+"x "+text)
	if !ok || len(d.Args) == 0 || !d.Args[0].HasValue {
		return false
	}
	return slices.ContainsFunc(Definitions(), func(v *Definition) bool { return v.Option(d.Args[0].Option) != nil })
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// firstWord is text up to its first white space.
func firstWord(text string) string {
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		return text[:i]
	}
	return text
}

// knownName returns text with the name that begins it in lower case, and spelt as in the table.
func knownName(text string) string {
	name := text[:nameLen(text)]
	low := strings.ToLower(name)
	if Lookup(low) == nil {
		low = cmp.Or(Nearest(low, definedNames()), low)
	}
	return low + text[len(name):]
}

// firstWords is line up to the end of the name that begins text.
func firstWords(line, text string) string {
	return fmt.Sprint(line[:len(line)-len(text)], firstWord(text))
}

// fit says how much of what follows a name could be its arguments.
type fit int

const (
	// fitNone is prose, or a directive that does not exist.
	fitNone fit = iota
	// fitBare is a name alone.
	fitBare
	// fitWords are flags, and names where the directive takes some.
	fitWords
	// fitMixed has an option with a value, and words that are none of its arguments.
	fitMixed
	// fitOption has at least one option with a value, and nothing else.
	fitOption
)

// fitOf judges text that begins with the name of a directive. A name that is misspelt needs one of its options.
func fitOf(text string) fit {
	word := firstWord(text)
	if i := strings.IndexAny(word, "({"); i > 0 {
		word, text = word[:i], word[:i]+" "+strings.TrimLeft(text[i:], "({ ")
	}
	name := strings.ToLower(word)
	def, exact := Lookup(name), true
	if def == nil {
		def, exact = Lookup(Nearest(name, definedNames())), false
	}
	if def == nil || name == "" {
		return fitNone
	}
	d, ok := Parse(1, Prefix+name+text[len(word):])
	if !ok {
		return fitNone
	}
	known := func(a *Arg) bool { return def.Option(a.Option) != nil || a.HasValue && metaForm.MatchString(a.Option) }
	args := afterNames(def, d.Args)
	keyed := slices.ContainsFunc(args, func(a *Arg) bool { return a.HasValue && known(a) })
	switch stray := slices.ContainsFunc(args, func(a *Arg) bool { return !known(a) }); {
	case keyed && stray:
		return fitMixed
	case keyed:
		return fitOption
	case !exact || stray:
		return fitNone
	case len(d.Args) > 0:
		return fitWords
	}
	return fitBare
}

// afterNames leaves out the arguments that a directive takes without options, as far as they look like such.
func afterNames(def *Definition, args []*Arg) []*Arg {
	isName := func(a *Arg) bool { return !a.HasValue && identForm.MatchString(a.Option) }
	switch {
	case len(args) == 0:
		return args
	case def.Name == "var" || def.Name == "arg":
		if isName(args[0]) {
			return args[1:]
		}
	case def.Name == "allow" && codeForm.MatchString(args[0].Option):
		return nil
	case def.Name == "use":
		upper := func(a *Arg) bool { return isName(a) && unicode.IsUpper([]rune(a.Option)[0]) }
		if !slices.ContainsFunc(args, func(a *Arg) bool { return !upper(a) }) {
			return nil
		}
	}
	return args
}
