package build

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// uriProblem is a mistake in a URI or a template. Start and End are byte offsets in its text.
type uriProblem struct {
	Code       string
	Start, End int
	Message    string
	// Fix is for people. Edit, if not nil, is for machines.
	Fix  string
	Edit *uriEdit
}

// uriEdit puts New in the place of the bytes from Start to End.
type uriEdit struct {
	Start, End int
	New        string
}

// uriParser reads one URI or template from left to right. Mistakes that leave the rest readable are
// collected, so that one run shows all of them.
type uriParser struct {
	text     string
	t        *ir.Template
	vars     []*ir.Var
	seg      ir.Segment
	inQuery  bool
	problems []uriProblem
}

// maxSegments and maxVars are what the runtime's wire.Path and mcprt.Vars hold.
const (
	maxSegments = 16
	maxVars     = 16
)

// parseURI reads text. The template is nil if there are no expressions in it; the variables have
// only their names, operators and explode flags set.
func parseURI(text string) (*ir.Template, []*ir.Var, []uriProblem) {
	p := &uriParser{text: text, t: &ir.Template{Multi: -1}}
	i := p.scheme()
	if i < 0 {
		return nil, nil, p.problems
	}
	for i < len(text) {
		switch c := text[i]; c {
		case '{':
			i = p.expression(i)
		case '}':
			p.problem("MCP202", i, i+1, "this brace closes nothing", "remove it, or write %7D for a literal brace", nil)
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
		p.problem("MCP203", i, i+1, "a query that is written out cannot be matched in any order", "write its parameters as {?name}", nil)
	}
	p.separators()
	return p.t, p.vars, p.problems
}

func (p *uriParser) problem(code string, start, end int, message, fix string, edit *uriEdit) {
	p.problems = append(p.problems, uriProblem{code, start, end, message, fix, edit})
}

// replaced is a problem whose fix is to write something else in its place.
func (p *uriParser) replaced(code string, start, end int, message, better string) {
	p.problem(code, start, end, message, better, &uriEdit{start, end, better})
}

// scheme reads "notes://" or "urn:" and returns where the rest begins, or -1.
func (p *uriParser) scheme() int {
	colon := strings.IndexAny(p.text, ":/?#{}")
	if colon <= 0 || p.text[colon] != ':' || !isScheme(p.text[:colon]) {
		fix := "notes:///" + strings.TrimLeft(p.text, "/:")
		p.problem("MCP201", 0, len(p.text), fmt.Sprintf("URI `%s` has no scheme", p.text), fix, nil)
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
func (p *uriParser) literal(i int) int {
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
func (p *uriParser) afterQuery(i int) int {
	end := len(p.text)
	if n := strings.IndexAny(p.text[i:], "{}"); n >= 0 {
		end = i + n
	}
	p.problem("MCP203", i, end, "nothing may follow the query", "move the query expression to the end", nil)
	return end
}

// checkLiteral reports characters that cannot stand in a URI as they are.
func (p *uriParser) checkLiteral(at int, lit string) {
	for i, c := range lit {
		switch {
		case c == '%' && (i+2 >= len(lit) || !isHex(lit[i+1]) || !isHex(lit[i+2])):
			p.problem("MCP201", at+i, at+i+1, "percent sign without two hexadecimal digits", "%25 for the sign itself", nil)
		case c == '#':
			p.problem("MCP201", at+i, at+i+1, "a resource URI has no fragment", "%23 for the sign itself", nil)
		case c == '<' && foreignVar(lit[i:]) != "":
			name := foreignVar(lit[i:])
			p.problem("MCP201", at+i, at+i+strings.IndexByte(lit[i:], '>')+1, fmt.Sprintf("a variable is written `{%s}`", name), "{"+name+"}", nil)
			return
		case c == '[' && foreignVar(lit[i:]) != "" && !p.inAuthority():
			name := foreignVar(lit[i:])
			p.problem("MCP201", at+i, at+i+strings.IndexByte(lit[i:], ']')+1, fmt.Sprintf("a variable is written `{%s}`", name), "{"+name+"}", nil)
			return
		case c < 0x7f && (c <= ' ' || strings.ContainsRune("\"<>\\^`|", c) || strings.ContainsRune("[]", c) && !p.inAuthority()):
			p.problem("MCP201", at+i, at+i+1, fmt.Sprintf("character %q must be percent-encoded in a URI", c), percent(lit[i:i+1]), nil)
		case c >= 0x7f:
			_, size := utf8.DecodeRuneInString(lit[i:])
			p.replaced("MCP201", at+i, at+i+size, fmt.Sprintf("character %q must be percent-encoded in a URI", c), percent(lit[i:i+size]))
		}
	}
}

// inAuthority reports whether the current segment is the one behind "//".
func (p *uriParser) inAuthority() bool { return !p.t.Opaque && len(p.t.Segments) == 0 }

// percent writes each byte as %XX.
func percent(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// addLit adds literal text to the current segment.
func (p *uriParser) addLit(lit string) {
	if n := len(p.seg); n > 0 && p.seg[n-1].Var < 0 {
		p.seg[n-1].Lit += lit
		return
	}
	p.seg = append(p.seg, ir.SegPart{Lit: lit, Var: -1})
}

// endSegment closes the current segment.
func (p *uriParser) endSegment() {
	if p.inQuery && len(p.seg) == 0 && len(p.t.Segments) > 0 {
		return
	}
	p.t.Segments = append(p.t.Segments, p.seg)
	p.seg = nil
}

// limits reports a template that the runtime could not hold.
func (p *uriParser) limits() {
	if n, most := len(p.t.Segments), maxSegments; len(p.vars) > 0 && n > most {
		if len(p.t.Segments[0]) == 0 { // nobody counts what is not there, between the slashes of ///
			n, most = n-1, most-1
		}
		p.problem("MCP201", 0, len(p.text), fmt.Sprintf("template has %d segments; at most %d can be matched", n, most),
			"let one `{+path}` take several of them", nil)
	} else if len(p.vars) > maxVars {
		p.problem("MCP201", 0, len(p.text), fmt.Sprintf("template has %d variables; at most %d can be read", len(p.vars), maxVars),
			"let one `{+path}` or `{?list*}` take several of them", nil)
	}
}

// separators notes which unreserved characters a value must not contain as they are, because the
// same character ends it in the template. The last variable of a segment ends where the segment's
// last literal begins, whatever it contains.
func (p *uriParser) separators() {
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
