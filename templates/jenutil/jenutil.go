// Package jenutil has small pieces of Go that several emitted artifacts share. Each function returns new code, because
// jennifer values cannot be used twice.
package jenutil

import (
	"strings"

	"github.com/dave/jennifer/jen"
)

// Import paths that generated code refers to.
const (
	WirePath     = "github.com/mcpgen/mcpgen/mcp/wire"
	ProtocolPath = "github.com/mcpgen/mcpgen/generated/protocol"
)

// Wire returns a reference to a declaration of package wire: wire.AppendString.
func Wire(name string) *jen.Statement { return jen.Qual(WirePath, name) }

// RawString returns a string literal in backquotes where that is possible.
func RawString(s string) *jen.Statement {
	if strings.ContainsAny(s, "`\r\n\x00") {
		return jen.Lit(s)
	}
	return jen.Id("`" + s + "`")
}

// AppendText returns code that appends constant text to b:
//
//	b = append(b, `{"uri":`...)
//
// One byte is appended as a rune literal.
func AppendText(s string) *jen.Statement {
	if len(s) == 1 {
		return jen.Id("b").Op("=").Append(jen.Id("b"), jen.LitRune(rune(s[0])))
	}
	return jen.Id("b").Op("=").Append(jen.Id("b"), RawString(s).Op("..."))
}

// Ptr returns *T.
func Ptr(name string) *jen.Statement { return jen.Op("*").Id(name) }

// Decoder returns *wire.Decoder.
func Decoder() *jen.Statement { return PtrTo(Wire("Decoder")) }

// CtxParam returns ctx context.Context.
func CtxParam() *jen.Statement { return jen.Id("ctx").Add(ContextType()) }

// ContextType returns context.Context, a parameter without a name.
func ContextType() *jen.Statement { return jen.Qual("context", "Context") }

// DocWidth is the column at which doc comments are wrapped.
const DocWidth = 97

// Doc returns a doc comment: paragraphs wrapped at DocWidth less indent columns. Empty
// text gives no comment.
func Doc(text string, indent int) *jen.Statement {
	s := jen.Null()
	for i, line := range Wrap(text, DocWidth-indent-len("// ")) {
		if i > 0 {
			s.Line()
		}
		if line == "" {
			s.Id("//")
			continue
		}
		s.Id("// " + line)
	}
	return s
}

// Wrap breaks text into lines of at most width bytes where words allow. Paragraphs are
// separated by an empty line. Other line breaks and control characters become spaces.
func Wrap(text string, width int) []string {
	var lines []string
	for para := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		words := strings.FieldsFunc(para, func(r rune) bool { return r <= ' ' || r == 0x7f })
		if len(words) == 0 {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		line := words[0]
		for _, w := range words[1:] {
			if len(line)+1+len(w) > width {
				lines = append(lines, line)
				line = w
				continue
			}
			line += " " + w
		}
		lines = append(lines, line)
	}
	return lines
}

// PtrTo returns *typ.
func PtrTo(typ jen.Code) *jen.Statement { return jen.Op("*").Add(typ) }
