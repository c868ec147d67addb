package marker

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// NearMiss looks at a line comment that Parse does not accept. If it was
// probably meant as a directive it reports MCP101, MCP102 or MCP103 and returns
// true. Prose that only mentions a directive is left alone: after the verb
// there must be nothing, or words that fit its keys.
func NearMiss(fset *token.FileSet, pos token.Pos, line string, out *diag.List) bool {
	body, ok := strings.CutPrefix(line, "//")
	if !ok || len(body) < len("mcp:x") {
		return false
	}
	return spaced(fset, pos, line, out) || upperVerb(fset, pos, line, out) || otherVerb(fset, pos, line, out)
}

// NearMissBlock is NearMiss for a comment between /* and */, where no line is a directive. Indented lines
// are examples.
func NearMissBlock(fset *token.FileSet, pos token.Pos, text string, out *diag.List) {
	at := len("/*")
	for line := range strings.Lines(strings.TrimSuffix(text[at:], "*/")) {
		words := strings.TrimPrefix(strings.TrimLeft(strings.TrimPrefix(line, " "), "*"), " ")
		from := at + len(line) - len(words)
		at += len(line)
		words = strings.TrimRight(words, " \t\r\n")
		body, ok := strings.CutPrefix(strings.TrimPrefix(words, "//"), "mcp:")
		if !ok || !looksLikeDirective(body) {
			continue
		}
		d := diag.New("MCP101", diag.PosOf(fset, pos+token.Pos(from), pos+token.Pos(from+len(words))),
			"`mcp:%s` is documentation, not a directive, because it stands between `/*` and `*/`", strings.Fields(body)[0])
		d.Fix = "write it as a line `" + Prefix + body + "`"
		out.Add(d)
	}
}

// spaced finds white space before the tool or on either side of the colon. Four
// spaces or a tab begin a code block in a doc comment, so they are left alone.
func spaced(fset *token.FileSet, pos token.Pos, line string, out *diag.List) bool {
	body := line[2:]
	rest := strings.TrimLeft(body, " ")
	lead := len(body) - len(rest)
	if lead > 3 || !hasPrefixFold(rest, "mcp") {
		return false
	}
	rest = rest[3:]
	colon := strings.TrimLeft(rest, " ")
	if !strings.HasPrefix(colon, ":") {
		return false
	}
	before := len(rest) - len(colon)
	verb := strings.TrimLeft(colon[1:], " ")
	after := len(colon) - 1 - len(verb)
	if lead+before+after == 0 || !looksLikeDirective(verb) {
		return false
	}
	at, why := 2, "the space after `//`"
	switch {
	case lead == 0 && before > 0:
		at, why = 2+3, "the space before the colon"
	case lead == 0:
		at, why = 2+3+before+1, "the space after the colon"
	}
	want := Prefix + lowerVerb(verb)
	from := pos + token.Pos(at)
	d := diag.New("MCP101", diag.PosOf(fset, from, from+1), "`%s` is documentation, not a directive, because of %s", firstWords(line, verb), why)
	d.Fix = "delete the space"
	d.Edits = []diag.Edit{diag.EditOf(fset, pos, pos+token.Pos(len(line)), want)}
	out.Add(d)
	return true
}

// upperVerb finds an upper-case letter in the tool or the verb.
func upperVerb(fset *token.FileSet, pos token.Pos, line string, out *diag.List) bool {
	if !hasPrefixFold(line, Prefix) {
		return false
	}
	verb, _, _ := strings.Cut(line[len(Prefix):], " ")
	head := line[:len(Prefix)+len(verb)]
	at := strings.IndexFunc(head, func(r rune) bool { return 'A' <= r && r <= 'Z' })
	low := strings.ToLower(verb)
	if at < 0 || Lookup(low) == nil && Nearest(low, verbNames()) == "" {
		return false
	}
	if Lookup(low) == nil {
		low = Nearest(low, verbNames())
	}
	from := pos + token.Pos(at)
	d := diag.New("MCP102", diag.PosOf(fset, from, from+1), "`%s` is not a directive (gofmt will turn it into prose)", head)
	d.Fix = "write `" + Prefix + low + "`"
	d.Edits = []diag.Edit{diag.EditOf(fset, pos, pos+token.Pos(len(head)), Prefix+low)}
	out.Add(d)
	return true
}

// otherVerb finds a verb that begins with a character that Go does not accept
// and that resembles no verb.
func otherVerb(fset *token.FileSet, pos token.Pos, line string, out *diag.List) bool {
	verb, ok := strings.CutPrefix(line, Prefix)
	if !ok || verb == "" || verb[0] == ' ' || verb[0] == '\t' {
		return false
	}
	verb, _, _ = strings.Cut(verb, " ")
	from := pos + token.Pos(len(Prefix))
	d := diag.New("MCP103", diag.PosOf(fset, from, from+token.Pos(len(verb))), "unknown verb `%s`", verb)
	out.Add(*unknownVerb(&d, fset, verb, from))
	return true
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// lowerVerb returns text with its first word in lower case.
func lowerVerb(text string) string {
	verb, _, _ := strings.Cut(text, " ")
	return strings.ToLower(verb) + text[len(verb):]
}

// firstWords is line up to the end of the verb that begins text.
func firstWords(line, text string) string {
	verb, _, _ := strings.Cut(text, " ")
	return fmt.Sprint(line[:len(line)-len(text)], verb)
}

// looksLikeDirective reports whether text is a known verb with nothing after
// it, or with arguments of which each could be one of its keys.
func looksLikeDirective(text string) bool {
	d, ok := Parse(1, Prefix+lowerVerb(text))
	if !ok {
		return false
	}
	def := Lookup(d.Verb)
	if def == nil {
		return false
	}
	if len(d.Args) == 0 {
		return true
	}
	known := func(a *Arg) bool { return def.Key(a.Key) != nil || a.HasValue && strings.Contains(a.Key, "/") }
	return slices.ContainsFunc(d.Args, func(a *Arg) bool { return a.HasValue && known(a) }) ||
		!slices.ContainsFunc(d.Args, func(a *Arg) bool { return !known(a) })
}
