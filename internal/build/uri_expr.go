package build

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// expression reads the expression whose brace is at i and returns where the text goes on.
func (p *uriParser) expression(i int) int {
	n := strings.IndexAny(p.text[i+1:], "{}")
	if n < 0 || p.text[i+1+n] == '{' {
		p.unclosed(i)
		return len(p.text)
	}
	body, at, end := p.text[i+1:i+1+n], i+1, i+n+2
	op := ir.OpNone
	if body != "" && strings.IndexByte("+#./;?&=,!@|", body[0]) >= 0 {
		op, body, at = ir.Op(body[0]), body[1:], at+1
	}
	if !p.checkOp(op, i, end, body) {
		return end
	}
	for k, spec := range strings.Split(body, ",") {
		if v := p.varspec(op, spec, at); v != nil {
			p.place(v, k, i, end)
		}
		at += len(spec) + 1
	}
	return end
}

// unclosed reports the brace at i, and where the other one belongs if there is one place for it only.
func (p *uriParser) unclosed(i int) {
	fix := "add }"
	var edit *uriEdit
	if end := closes(p.text, i); end > 0 {
		fix, edit = p.text[i:end]+"}", &uriEdit{end, end, "}"}
	}
	p.problem("MCP202", i, i+1, "expression opened here is not closed", fix, edit)
}

// closes returns the one place behind a name where a closing brace makes a template of text; 0 if there is none, or
// more than one.
func closes(text string, open int) int {
	place := 0
	if strings.Contains(text[open+1:], "{") {
		return 0
	}
	for end := open + 2; end <= len(text); end++ {
		if last := rune(text[end-1]); !isNameRune(last) && last != '*' || end < len(text) && (isNameRune(rune(text[end])) || text[end] == '*') {
			continue
		}
		if _, _, problems := parseURI(text[:end] + "}" + text[end:]); len(problems) > 0 {
			continue
		}
		if place > 0 {
			return 0
		}
		place = end
	}
	return place
}

// checkOp reports operators that a server cannot take back out of a URI.
func (p *uriParser) checkOp(op ir.Op, start, end int, body string) bool {
	switch op {
	case ir.OpNone, ir.OpReserved, ir.OpLabel, ir.OpPath, ir.OpParam:
		if p.inQuery {
			p.problem("MCP203", start, end, "nothing may follow the query", "move the query expression to the end", nil)
			return false
		}
	case ir.OpQuery:
		if p.inQuery {
			p.replaced("MCP203", start, end, "a template has one query expression", fmt.Sprintf("{&%s}", body))
			return false
		}
		p.endSegment()
		p.inQuery = true
	case ir.OpContinue:
		if !p.inQuery {
			p.replaced("MCP203", start, end, "{&…} continues a query that has not begun", fmt.Sprintf("{?%s}", body))
			return false
		}
	case '#':
		p.problem("MCP205", start, end, "fragments are not part of a resource's identity and never reach the server", fmt.Sprintf("{%s}", body), nil)
		return false
	default:
		p.problem("MCP205", start, end, fmt.Sprintf("RFC 6570 has no operator `%c`", op), fmt.Sprintf("{%s}", body), nil)
		return false
	}
	return true
}

// varspec reads one variable of an expression; it is at offset at.
func (p *uriParser) varspec(op ir.Op, spec string, at int) *ir.Var {
	name, explode := strings.CutSuffix(spec, "*")
	switch bad := strings.IndexFunc(name, func(r rune) bool { return !isNameRune(r) }); {
	case name == "":
		p.problem("MCP205", at, at+max(1, len(spec)), "expression without a variable name", "{name}", nil)
		return nil
	case foreignSpec(spec) != "":
		p.problem("MCP205", at, at+len(spec), fmt.Sprintf("`{%s}` is no variable of RFC 6570", spec), foreignSpec(spec), nil)
		return nil
	case bad >= 0 && name[bad] == ':':
		p.problem("MCP205", at, at+len(spec), fmt.Sprintf("`{%s}` cannot be matched: a prefix does not tell the value", spec),
			fmt.Sprintf("{%s}, and //mcp:var %s maxlen=%s to bound its length", name[:bad], name[:bad], name[bad+1:]), nil)
		return nil
	case bad >= 0 && name[bad] == '-':
		better := strings.ReplaceAll(spec, "-", "_")
		var edit *uriEdit
		if strings.Trim(name, "-") == name && !strings.ContainsFunc(better, func(r rune) bool { return r != '*' && !isNameRune(r) }) {
			edit = &uriEdit{at, at + len(spec), better} // at an end it may belong to the text beside the braces
		}
		p.problem("MCP205", at, at+len(spec), fmt.Sprintf("`{%s}`: a hyphen is not allowed in a variable name", spec), better, edit)
		return nil
	case bad >= 0:
		r, _ := utf8.DecodeRuneInString(name[bad:])
		p.problem("MCP205", at, at+len(spec), fmt.Sprintf("`{%s}`: %q is not allowed in a variable name", spec, r), "use letters, digits and _", nil)
		return nil
	}
	if explode && op != ir.OpPath && op != ir.OpQuery && op != ir.OpContinue {
		p.problem("MCP205", at, at+len(spec), fmt.Sprintf("`{%s}`: * is supported in {/x*} and {?x*} only", spec), fmt.Sprintf("{/%s} without a slash before it", spec), nil)
		return nil
	}
	for _, v := range p.vars {
		if v.Name == name {
			p.problem("MCP205", at, at+len(spec), fmt.Sprintf("variable `%s` stands in the template twice", name), "give one of them another name", nil)
			return nil
		}
	}
	return &ir.Var{Name: name, Op: op, Explode: explode, MinLen: -1, MaxLen: -1}
}

func isNameRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// place adds v, the k-th variable of its expression at [start, end), to the template.
func (p *uriParser) place(v *ir.Var, k, start, end int) {
	i := len(p.vars)
	p.vars = append(p.vars, v)
	switch v.Op {
	case ir.OpQuery, ir.OpContinue:
		p.t.Query = append(p.t.Query, ir.QueryVar{Param: v.Name, Var: i, Explode: v.Explode})
		return
	case ir.OpPath:
		if p.t.Opaque {
			p.problem("MCP204", start, end, "a URI without // after its scheme has no segments", fmt.Sprintf("%s://", p.t.Scheme), nil)
		}
		p.endSegment()
	case ir.OpLabel:
		p.addLit(".")
	case ir.OpParam:
		p.addLit(";" + v.Name + "=")
	default:
		if k > 0 {
			p.addLit(",")
		}
	}
	if n := len(p.seg); n > 0 && p.seg[n-1].Var >= 0 {
		other := p.vars[p.seg[n-1].Var].Name
		p.problem("MCP203", start, end, fmt.Sprintf("`{%s}{%s}` have no separator, so a URI cannot be split again", other, v.Name),
			fmt.Sprintf("put a literal between them, such as {%s}/{%s}", other, v.Name), nil)
	}
	p.seg = append(p.seg, ir.SegPart{Var: i})
	if v.Op == ir.OpReserved || v.Explode {
		p.placeMulti(v, start, end)
	}
}

// placeMulti notes that the current segment spans any number of segments.
func (p *uriParser) placeMulti(v *ir.Var, start, end int) {
	rest := ""
	if end < len(p.text) {
		rest = p.text[end:]
	}
	alone := len(p.seg) == 1 && (rest == "" || rest[0] == '/' || strings.HasPrefix(rest, "{?") || strings.HasPrefix(rest, "{/"))
	switch {
	case p.t.Multi >= 0:
		first := p.vars[p.t.Segments[p.t.Multi][0].Var]
		better := fmt.Sprintf("{%s}", v.Name)
		if v.Op == ir.OpPath {
			better = fmt.Sprintf("{/%s}", v.Name)
		}
		p.problem("MCP204", start, end, fmt.Sprintf("`%s` and `%s` both span segments; only one variable of a template may", spanText(first), spanText(v)), better, nil)
	case !alone:
		p.problem("MCP204", start, end, fmt.Sprintf("`%s` spans segments and must stand alone between slashes", spanText(v)),
			fmt.Sprintf("put it between slashes, or write {%s}", v.Name), nil)
	default:
		p.t.Multi = len(p.t.Segments)
	}
}

// spanText is an expression with the one variable v, which spans segments.
func spanText(v *ir.Var) string {
	if v.Op == ir.OpPath {
		return "{/" + v.Name + "*}"
	}
	return "{+" + v.Name + "}"
}
