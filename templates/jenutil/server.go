package jenutil

import (
	"fmt"
	"go/token"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dave/jennifer/jen"
)

// MCPPath is the import path of the runtime.
const MCPPath = "github.com/mcpgen/mcpgen/mcp"

// RTPath is the import path of what generated code calls, and nobody else.
const RTPath = MCPPath + "/mcprt"

// AppPath is the import path of what generated code calls for apps that are directories.
const AppPath = MCPPath + "/mcpapp"

// SkillPath is the import path of what generated code calls for skills.
const SkillPath = MCPPath + "/mcpskill"

// TaskPath is the import path of what generated code calls for tasks.
const TaskPath = MCPPath + "/mcptask"

// EventPath is the import path of what generated code calls for events.
const EventPath = MCPPath + "/mcpevent"

// RT returns a reference to a declaration of package mcprt: mcprt.Resource.
func RT(name string) *jen.Statement { return jen.Qual(RTPath, name) }

// MCP returns a reference to a declaration of package mcp: mcp.Contents.
func MCP(name string) *jen.Statement { return jen.Qual(MCPPath, name) }

// Protocol returns a reference to a declaration of package protocol: protocol.Resource.
func Protocol(name string) *jen.Statement { return jen.Qual(ProtocolPath, name) }

// BadIRError is what the helpers of this package panic with when the intermediate representation holds
// text that must not reach source code: the emitter's entry turns it into an error.
type BadIRError struct{ What, Text string }

// Error implements error.
func (e BadIRError) Error() string { return fmt.Sprintf("%s: %q", e.What, e.Text) }

// Ident returns an identifier. It panics with a BadIRError if name is none.
func Ident(name string) *jen.Statement { return jen.Id(Name(name)) }

// Name returns name, for use behind a dot. It panics with a BadIRError if name is no identifier.
func Name(name string) string {
	if !token.IsIdentifier(name) {
		panic(BadIRError{"not an identifier", name})
	}
	return name
}

// Note returns a comment of whole lines. Each paragraph starts a line and is wrapped at DocWidth;
// what stands in a paragraph can neither end the comment nor start a directive.
//
//	// First paragraph.
//	// Second paragraph.
func Note(paragraphs ...string) *jen.Statement {
	s := jen.Null()
	for i, line := range noteLines(paragraphs) {
		if i > 0 {
			s.Line()
		}
		s.Id("// " + line)
	}
	return s
}

func noteLines(paragraphs []string) []string {
	var lines []string
	for _, p := range paragraphs {
		lines = append(lines, Wrap(Flat(p), DocWidth-len("// "))...)
	}
	return lines
}

// Flat makes text fit for one line of a comment: every run of white space, line ends of any kind
// and invisible characters becomes one space. It takes apart "+build", which gofmt would turn into a
// build constraint wherever a line begins with it.
func Flat(text string) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(text, " "), func(r rune) bool {
		return !unicode.IsGraphic(r) || unicode.IsSpace(r)
	})
	return strings.ReplaceAll(strings.Join(words, " "), "+build", "+ build")
}

// Verbatim returns text as a string literal, in backquotes if it has quotes in it and stays what it
// looks like.
func Verbatim(text string) *jen.Statement {
	hidden := strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
	if hidden || !strings.Contains(text, `"`) || !strconv.CanBackquote(text) {
		return jen.Lit(text)
	}
	return jen.Id("`" + text + "`")
}

// Number returns a numeric literal. It panics with a BadIRError if text is no decimal number.
func Number(text string) *jen.Statement {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return jen.Id(strconv.FormatInt(n, 10))
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return jen.Id(strconv.FormatUint(n, 10))
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789+-.eE") != "" {
		panic(BadIRError{"not a number", text})
	}
	return jen.Id(strconv.FormatFloat(f, 'g', -1, 64))
}

// units are the constants of package time, largest first.
var units = []struct {
	name string
	size time.Duration
}{{"Hour", time.Hour}, {"Minute", time.Minute}, {"Second", time.Second}, {"Millisecond",
	time.Millisecond}, {"Microsecond", time.Microsecond}}

// Duration returns a duration in the largest unit that holds it: 90 * time.Second.
func Duration(d time.Duration) *jen.Statement {
	unit, size := "Nanosecond", time.Nanosecond
	for _, u := range units {
		if d != 0 && d%u.size == 0 {
			unit, size = u.name, u.size
			break
		}
	}
	switch n := int(d / size); n {
	case 1:
		return jen.Qual("time", unit)
	case -1:
		return jen.Op("-").Qual("time", unit)
	default:
		return jen.Lit(n).Op("*").Qual("time", unit)
	}
}

// Members collects the members of a composite literal in order.
type Members []jen.Code

// Add adds a member; nil values are left out.
//
//	Name: value
func (m *Members) Add(name string, value jen.Code) {
	if value != nil {
		*m = append(*m, Ident(name).Op(":").Add(value))
	}
}

// Apart adds a member behind an empty line, so that gofmt does not align it with the one before.
func (m *Members) Apart(name string, value jen.Code) {
	*m = append(*m, jen.Line().Add(Ident(name)).Op(":").Add(value))
}

// Text adds a member that is a string, unless it is empty.
func (m *Members) Text(name, s string) {
	if s != "" {
		m.Add(name, Long(s))
	}
}

// Flag adds a member that is true, unless on is false.
func (m *Members) Flag(name string, on bool) {
	if on {
		m.Add(name, jen.True())
	}
}

// Lines returns the literal {…} with a line for each member. Note stands behind the opening brace;
// empty means none.
func (m Members) Lines(note string) *jen.Statement {
	open := "{"
	if note != "" {
		open += " // " + Flat(note)
	}
	if len(m) == 0 {
		return jen.Values()
	}
	return jen.Custom(jen.Options{Open: open, Close: "}", Separator: ",", Multi: true}, m...)
}

// Inline returns the literal {…} on one line.
func (m Members) Inline() *jen.Statement { return jen.Values(m...) }

// Elements collects the elements of a slice literal.
type Elements []jen.Code

// Add adds an element.
func (e *Elements) Add(value jen.Code) { *e = append(*e, value) }

// Lines returns the literal {…} with a line for each element.
func (e Elements) Lines() *jen.Statement { return Members(e).Lines("") }

// Short returns the literal {…}, on one line if it has one element.
func (e Elements) Short() *jen.Statement {
	if len(e) == 1 {
		return jen.Values(e...)
	}
	return e.Lines()
}

// Ref returns &typ{…} for a literal that Lines or Inline made.
func Ref(typ, literal jen.Code) *jen.Statement { return jen.Op("&").Add(typ).Add(literal) }

// Spread returns list... for a variadic call.
func Spread(list jen.Code) *jen.Statement { return jen.Add(list).Op("...") }

// Append returns b = append(b, …).
func Append(b string, values ...jen.Code) *jen.Statement {
	return Ident(b).Op("=").Append(append([]jen.Code{Ident(b)}, values...)...)
}

// Strings returns the strings as arguments of a call or elements of a slice.
func Strings(list []string) []jen.Code {
	var out []jen.Code
	for _, s := range list {
		out = append(out, jen.Lit(s))
	}
	return out
}

// Numbers is Strings for numeric literals.
func Numbers(texts []string) []jen.Code {
	var out []jen.Code
	for _, text := range texts {
		out = append(out, Number(text))
	}
	return out
}

// Args returns the arguments of a call, each on a line of its own if they are many.
func Args(args ...jen.Code) *jen.Statement {
	const few = 9
	return jen.Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: len(args) > few}, args...)
}

// Deref returns *x.
func Deref(x jen.Code) *jen.Statement { return jen.Op("*").Add(x) }

// AddrOf returns &x.
func AddrOf(x jen.Code) *jen.Statement { return jen.Op("&").Add(x) }

// IfErr returns the check of err that returns the values.
//
//	if err != nil {
//		return values
//	}
func IfErr(values ...jen.Code) *jen.Statement {
	return jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(values...))
}
