package uritemplate

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// parser reads one URI or template from left to right. Mistakes that leave the rest readable are
// collected, so that one run shows all of them.
type parser struct {
	text     string
	t        *Template
	vars     []*Var
	seg      Segment
	inQuery  bool
	problems []Problem
}

// Parse reads a URI or a template. The template is nil if there are no expressions in it. It finds every mistake that
// leaves the rest readable.
func Parse(text string) (*Template, []*Var, []Problem) {
	p := &parser{text: text, t: &Template{Multi: -1}}
	i := p.scheme()
	if i < 0 {
		return nil, nil, p.problems
	}
	for i < len(text) {
		switch c := text[i]; c {
		case '{':
			i = p.expression(i)
		case '}':
			p.problem(Unbalanced, i, i+1, "this brace closes nothing", "remove it, or write %%7D for a literal brace", nil)
			i++
		default:
			i = p.literal(i)
		}
	}
	p.endSegment()
	p.limits()
	if len(p.vars) == 0 {
		return nil, nil, p.problems
	}
	if i := strings.IndexByte(text, '?'); i > 0 && text[i-1] != '{' {
		p.problem(Unmatched, i, i+1, "a query that is written out cannot be matched in any order",
			"write its parameters as {?name}", nil)
	}
	p.separators()
	return p.t, p.vars, p.problems
}

// problem notes a mistake. Message and fix are formats, see [Problem]. It is not inlined, because it has many callers
// and programs contain this package.
//
//go:noinline
//nolint:revive // the fields of a Problem
func (p *parser) problem(what Mistake, start, end int, message, fix string, edit *Edit, args ...string) {
	p.problems = append(p.problems, Problem{what, start, end, edit, message, fix, args})
}

// replaced is a problem whose fix is to write something else in its place.
//
//go:noinline
func (p *parser) replaced(what Mistake, start, end int, message, arg, better string) {
	p.problem(what, start, end, message, "%[2]s", &Edit{start, end, better}, arg, better)
}

// scheme reads "notes://" or "urn:" and returns where the rest begins, or -1.
func (p *parser) scheme() int {
	colon := strings.IndexAny(p.text, ":/?#{}")
	if colon <= 0 || p.text[colon] != ':' || !isScheme(p.text[:colon]) {
		fix := "notes:///" + strings.TrimLeft(p.text, "/:")
		p.problem(NoURI, 0, len(p.text), "URI `%s` has no scheme", "%[2]s", nil, p.text, fix)
		return -1
	}
	p.t.Scheme = p.text[:colon]
	if strings.HasPrefix(p.text[colon:], "://") {
		return colon + 3
	}
	p.t.Opaque = true
	return colon + 1
}

func isScheme(s string) bool {
	for i, c := range []byte(s) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return false
		}
	}
	return s != ""
}

// literal reads the literal text that starts at i and returns where it ends.
func (p *parser) literal(i int) int {
	if p.inQuery {
		return p.afterQuery(i)
	}
	end := i
	for end < len(p.text) && !strings.ContainsRune("{}/", rune(p.text[end])) {
		end++
	}
	if end == i && p.t.Opaque { // without "//" a slash cuts nothing
		p.addLit("/")
		return i + 1
	}
	if end == i { // a slash
		p.endSegment()
		return i + 1
	}
	lit := p.text[i:end]
	p.checkLiteral(i, lit)
	p.addLit(lit)
	return end
}

// afterQuery reports the literal text that stands behind the query and returns where it ends.
func (p *parser) afterQuery(i int) int {
	end := len(p.text)
	if n := strings.IndexAny(p.text[i:], "{}"); n >= 0 {
		end = i + n
	}
	p.problem(Unmatched, i, end, "nothing may follow the query", "move the query expression to the end", nil)
	return end
}

// encoded is the message about a character that cannot stand in a URI as it is.
const encoded = "character %s must be percent-encoded in a URI"

// checkLiteral reports characters that cannot stand in a URI as they are.
func (p *parser) checkLiteral(at int, lit string) {
	for i, c := range lit {
		switch {
		case c == '%' && (i+2 >= len(lit) || !isHex(lit[i+1]) || !isHex(lit[i+2])):
			p.problem(NoURI, at+i, at+i+1, "percent sign without two hexadecimal digits", "%%25 for the sign itself", nil)
		case c == '#':
			p.problem(NoURI, at+i, at+i+1, "a resource URI has no fragment", "%%23 for the sign itself", nil)
		case c == '<' && foreignVar(lit[i:]) != "":
			name := foreignVar(lit[i:])
			p.problem(NoURI, at+i, at+i+strings.IndexByte(lit[i:], '>')+1, "a variable is written `{%s}`", "{%s}", nil, name)
			return
		case c == '[' && foreignVar(lit[i:]) != "" && !p.inAuthority():
			name := foreignVar(lit[i:])
			p.problem(NoURI, at+i, at+i+strings.IndexByte(lit[i:], ']')+1, "a variable is written `{%s}`", "{%s}", nil, name)
			return
		case c < 0x7f && (c <= ' ' || strings.ContainsRune("\"<>\\^`|", c) || strings.ContainsRune("[]", c) &&
			!p.inAuthority()):
			p.problem(NoURI, at+i, at+i+1, encoded, "%[2]s", nil, strconv.QuoteRune(c), percent(lit[i:i+1]))
		case c >= 0x7f:
			_, size := utf8.DecodeRuneInString(lit[i:])
			p.replaced(NoURI, at+i, at+i+size, encoded, strconv.QuoteRune(c), percent(lit[i:i+size]))
		}
	}
}

// inAuthority reports whether the current segment is the one behind "//".
func (p *parser) inAuthority() bool { return !p.t.Opaque && len(p.t.Segments) == 0 }

// percent writes each byte as %XX.
//
//go:noinline
func percent(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteString("%" + string("0123456789ABCDEF"[c>>4]) + string("0123456789ABCDEF"[c&15]))
	}
	return b.String()
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// addLit adds literal text to the current segment.
func (p *parser) addLit(lit string) {
	if n := len(p.seg); n > 0 && p.seg[n-1].Var < 0 {
		p.seg[n-1].Lit += lit
		return
	}
	p.seg = append(p.seg, Part{Lit: lit, Var: -1})
}

// endSegment closes the current segment.
func (p *parser) endSegment() {
	if p.inQuery && len(p.seg) == 0 && len(p.t.Segments) > 0 {
		return
	}
	p.t.Segments = append(p.t.Segments, p.seg)
	p.seg = nil
}

// limits reports a template that the runtime could not hold.
func (p *parser) limits() {
	if n, most := len(p.t.Segments), MaxSegments; len(p.vars) > 0 && n > most {
		if len(p.t.Segments[0]) == 0 { // nobody counts what is not there, between the slashes of ///
			n, most = n-1, most-1
		}
		p.problem(NoURI, 0, len(p.text), "template has %s segments; at most %s can be matched",
			"let one `{+path}` take several of them", nil, strconv.Itoa(n), strconv.Itoa(most))
	} else if len(p.vars) > MaxVars {
		p.problem(NoURI, 0, len(p.text), "template has %s variables; at most %s can be read",
			"let one `{+path}` or `{?list*}` take several of them", nil, strconv.Itoa(len(p.vars)), strconv.Itoa(MaxVars))
	}
}

// separators notes which unreserved characters a value must not contain as they are, because the
// same character ends it in the template. The last variable of a segment ends where the segment's
// last literal begins, whatever it contains.
func (p *parser) separators() {
	for _, seg := range p.t.Segments {
		for i := 0; i+2 < len(seg); i++ {
			if seg[i].Var >= 0 && seg[i+1].Var < 0 && isUnreserved(seg[i+1].Lit[0]) {
				p.vars[seg[i].Var].Escape += seg[i+1].Lit[:1]
			}
		}
	}
}

func isUnreserved(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
