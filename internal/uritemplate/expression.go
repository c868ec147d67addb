package uritemplate

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// expression reads the expression whose brace is at i and returns where the text goes on.
func (p *parser) expression(i int) int {
	n := strings.IndexAny(p.text[i+1:], "{}")
	if n < 0 || p.text[i+1+n] == '{' {
		p.unclosed(i)
		return len(p.text)
	}
	body, at, end := p.text[i+1:i+1+n], i+1, i+n+2
	op := OpNone
	if body != "" && strings.IndexByte("+#./;?&=,!@|", body[0]) >= 0 {
		op, body, at = Op(body[0]), body[1:], at+1
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
func (p *parser) unclosed(i int) {
	fix := "add }"
	var edit *Edit
	if end := closes(p.text, i); end > 0 {
		fix, edit = p.text[i:end]+"}", &Edit{end, end, "}"}
	}
	p.problem(Unbalanced, i, i+1, "expression opened here is not closed", "%s", edit, fix)
}

// closes returns the one place behind a name where a closing brace makes a template of text; 0 if there is none, or
// more than one.
func closes(text string, open int) int {
	place := 0
	if strings.Contains(text[open+1:], "{") {
		return 0
	}
	for end := open + 2; end <= len(text); end++ {
		if last := rune(text[end-1]); !isNameRune(last) && last != '*' || end < len(text) &&
			(isNameRune(rune(text[end])) || text[end] == '*') {
			continue
		}
		if _, _, problems := Parse(text[:end] + "}" + text[end:]); len(problems) > 0 {
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
func (p *parser) checkOp(op Op, start, end int, body string) bool {
	switch op {
	case OpNone, OpReserved, OpLabel, OpPath, OpParam:
		if p.inQuery {
			p.problem(Unmatched, start, end, "nothing may follow the query", "move the query expression to the end", nil)
			return false
		}
	case OpQuery:
		if p.inQuery {
			p.replaced(Unmatched, start, end, "a template has one query expression", "", "{&"+body+"}")
			return false
		}
		p.endSegment()
		p.inQuery = true
	case OpContinue:
		if !p.inQuery {
			p.replaced(Unmatched, start, end, "{&…} continues a query that has not begun", "", "{?"+body+"}")
			return false
		}
	case '#':
		p.problem(Expression, start, end, "fragments are not part of a resource's identity and never reach the server",
			"{%s}", nil, body)
		return false
	default:
		p.problem(Expression, start, end, "RFC 6570 has no operator `%[2]s`", "{%s}", nil, body, string(op))
		return false
	}
	return true
}

// varspec reads one variable of an expression; it is at offset at.
func (p *parser) varspec(op Op, spec string, at int) *Var {
	name, explode := strings.CutSuffix(spec, "*")
	switch bad := strings.IndexFunc(name, func(r rune) bool { return !isNameRune(r) }); {
	case name == "":
		p.problem(Expression, at, at+max(1, len(spec)), "expression without a variable name", "{name}", nil)
		return nil
	case foreignSpec(spec) != "":
		p.problem(Expression, at, at+len(spec), "`{%s}` is no variable of RFC 6570", "%[2]s", nil, spec, foreignSpec(spec))
		return nil
	case bad >= 0 && name[bad] == ':':
		p.problem(Expression, at, at+len(spec), "`{%[3]s}` cannot be matched: a prefix does not tell the value",
			"{%[1]s}, and //mcp:var %[1]s maxlen=%[2]s to bound its length", nil, name[:bad], name[bad+1:], spec)
		return nil
	case bad >= 0 && name[bad] == '-':
		better := strings.ReplaceAll(spec, "-", "_")
		var edit *Edit
		if strings.Trim(name, "-") == name && !strings.ContainsFunc(better,
			func(r rune) bool { return r != '*' && !isNameRune(r) }) {
			edit = &Edit{at, at + len(spec), better} // at an end it may belong to the text beside the braces
		}
		p.problem(Expression, at, at+len(spec), "`{%s}`: a hyphen is not allowed in a variable name", "%[2]s", edit, spec,
			better)
		return nil
	case bad >= 0:
		r, _ := utf8.DecodeRuneInString(name[bad:])
		p.problem(Expression, at, at+len(spec), "`{%s}`: %[2]s is not allowed in a variable name",
			"use letters, digits and _", nil, spec, strconv.QuoteRune(r))
		return nil
	}
	if explode && op != OpPath && op != OpQuery && op != OpContinue {
		p.problem(Expression, at, at+len(spec), "`{%s}`: * is supported in {/x*} and {?x*} only",
			"{/%s} without a slash before it", nil, spec)
		return nil
	}
	for _, v := range p.vars {
		if v.Name == name {
			p.problem(Expression, at, at+len(spec), "variable `%s` stands in the template twice",
				"give one of them another name", nil, name)
			return nil
		}
	}
	return &Var{Name: name, Start: at, End: at + len(name), Op: op, Explode: explode}
}

func isNameRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// place adds v, the k-th variable of its expression at [start, end), to the template.
func (p *parser) place(v *Var, k, start, end int) {
	i := len(p.vars)
	p.vars = append(p.vars, v)
	switch v.Op {
	case OpQuery, OpContinue:
		p.t.Query = append(p.t.Query, QueryVar{Param: v.Name, Var: i, Explode: v.Explode})
		return
	case OpPath:
		if p.t.Opaque {
			p.problem(Spanning, start, end, "a URI without // after its scheme has no segments", "%s://", nil, p.t.Scheme)
		}
		p.endSegment()
	case OpLabel:
		p.addLit(".")
	case OpParam:
		p.addLit(";" + v.Name + "=")
	default:
		if k > 0 {
			p.addLit(",")
		}
	}
	if n := len(p.seg); n > 0 && p.seg[n-1].Var >= 0 {
		other := p.vars[p.seg[n-1].Var].Name
		p.problem(Unmatched, start, end, "`{%s}{%s}` have no separator, so a URI cannot be split again",
			"put a literal between them, such as {%s}/{%s}", nil, other, v.Name)
	}
	p.seg = append(p.seg, Part{Var: i})
	if v.Spans() {
		p.placeMulti(v, start, end)
	}
}

// placeMulti notes that the current segment spans any number of segments.
func (p *parser) placeMulti(v *Var, start, end int) {
	rest := ""
	if end < len(p.text) {
		rest = p.text[end:]
	}
	alone := len(p.seg) == 1 && (rest == "" || rest[0] == '/' || strings.HasPrefix(rest, "{?") ||
		strings.HasPrefix(rest, "{/"))
	switch {
	case p.t.Multi >= 0:
		spanning := p.seg // which may hold the other one too: {+a,b}
		if p.t.Multi < len(p.t.Segments) {
			spanning = p.t.Segments[p.t.Multi]
		}
		first := p.vars[spanning[0].Var]
		better := "{" + v.Name + "}"
		if v.Op == OpPath {
			better = "{/" + v.Name + "}"
		}
		p.problem(Spanning, start, end, "`%s` and `%s` both span segments; only one variable of a template may", "%[3]s", nil,
			SpanText(first.Name, first.Op), SpanText(v.Name, v.Op), better)
	case !alone:
		p.problem(Spanning, start, end, "`%s` spans segments and must stand alone between slashes",
			"put it between slashes, or write {%[2]s}", nil, SpanText(v.Name, v.Op), v.Name)
	default:
		p.t.Multi = len(p.t.Segments)
	}
}
