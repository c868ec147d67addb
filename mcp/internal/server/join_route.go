package server

import (
	"fmt"
	"strings"
)

// joinedRoutes finds the resource of a joined server that serves a URI. The order is that of one server:
// literals first, then the more specific template.
type joinedRoutes struct {
	literals map[string]int
	parts    map[string][]routePart // by scheme: the members with templates of that scheme
	forms    []*uriForm             // by place of the resource; nil for literals
}

// routePart is one member; its resources begin at a place of the joined server.
type routePart struct {
	route func(uri string, v *Vars) int
	from  int
}

// add takes in a member, and reports addresses that somebody has already.
func (r *joinedRoutes) add(f *Features, from int) error {
	if r.literals == nil {
		r.literals, r.parts = map[string]int{}, map[string][]routePart{}
	}
	mine := map[string]bool{}
	others := len(r.forms)
	for i := range f.Resources {
		res := &f.Resources[i]
		if res.Template == nil {
			if _, twice := r.literals[res.uri()]; twice {
				return fmt.Errorf("mcp: Join: two members serve %s", res.uri())
			}
			r.literals[res.uri()] = from + i
			r.forms = append(r.forms, nil)
			continue
		}
		form := parseForm(res.uri())
		for _, o := range r.forms[:others] {
			if o != nil && o.clashes(form) {
				return fmt.Errorf("mcp: Join: %s and %s of another member match the same URIs, and neither is more specific", res.uri(), o.text)
			}
		}
		r.forms = append(r.forms, form)
		if !mine[form.scheme] {
			mine[form.scheme] = true
			r.parts[form.scheme] = append(r.parts[form.scheme], routePart{f.Route, from})
		}
	}
	return nil
}

// route implements Features.Route. Members of a scheme of their own, which is the rule, are asked alone.
func (r *joinedRoutes) route(uri string, v *Vars) int {
	if i, ok := r.literals[uri]; ok {
		return i
	}
	scheme, _, _ := strings.Cut(uri, ":")
	parts := r.parts[scheme]
	best, winner := -1, 0
	for k, p := range parts {
		v.reset()
		i := p.route(uri, v)
		if i < 0 || best >= 0 && !r.forms[p.from+i].beats(r.forms[best]) {
			continue
		}
		best, winner = p.from+i, k
	}
	if best >= 0 && winner != len(parts)-1 {
		v.reset() // of what later members left there
		parts[winner].route(uri, v)
	}
	return best
}

// uriForm is what tells templates apart: one token for each literal byte of the path, two for a variable.
type uriForm struct {
	text, scheme string
	opaque       bool
	multi        bool // some variable spans segments
	literal      int  // literal bytes
	tokens       []formToken
}

// formToken matches one byte, or with star any number of bytes.
type formToken struct {
	lit              byte // if not any
	any, slash, star bool
}

// parseForm reads a template that the generator has accepted.
func parseForm(text string) *uriForm {
	f := &uriForm{text: text}
	scheme, rest, _ := strings.Cut(text, ":")
	f.scheme = scheme
	path, found := strings.CutPrefix(rest, "//")
	f.opaque = !found
	for path != "" {
		lit, rest, open := strings.Cut(path, "{")
		if before, _, query := strings.Cut(lit, "?"); query {
			f.lit(before)
			break
		}
		f.lit(lit)
		if !open || rest == "" || rest[0] == '?' || rest[0] == '&' {
			break
		}
		expression, after, _ := strings.Cut(rest, "}")
		f.expression(expression)
		path = after
	}
	return f
}

func (f *uriForm) lit(s string) {
	f.literal += len(s)
	for i := range len(s) {
		f.tokens = append(f.tokens, formToken{lit: s[i]})
	}
}

// expression adds the variables of one expression without braces, and what stands between them.
func (f *uriForm) expression(body string) {
	op := byte(0)
	if strings.IndexByte("+./;", body[0]) >= 0 {
		op, body = body[0], body[1:]
	}
	for k, spec := range strings.Split(body, ",") {
		name, explode := strings.CutSuffix(spec, "*")
		switch {
		case op == '/' || op == '.':
			f.lit(string(op))
		case op == ';':
			f.lit(";" + name + "=")
		case k > 0:
			f.lit(",")
		}
		span := op == '+' || explode
		f.multi = f.multi || span
		f.tokens = append(f.tokens, formToken{any: true, slash: span}, formToken{any: true, slash: span, star: true})
	}
}

// beats reports whether f is more specific than o: more literal bytes, then no variable that spans segments.
func (f *uriForm) beats(o *uriForm) bool {
	if f.literal != o.literal {
		return f.literal > o.literal
	}
	return !f.multi && o.multi
}

// clashes reports whether some URI matches both and neither is more specific. Its cost is the product of
// the lengths of both.
func (f *uriForm) clashes(o *uriForm) bool {
	if f.scheme != o.scheme || f.opaque != o.opaque || f.beats(o) || o.beats(f) {
		return false
	}
	type state struct{ i, j int }
	seen := map[state]bool{{}: true}
	todo := []state{{}}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s.i == len(f.tokens) && s.j == len(o.tokens) {
			return true
		}
		for _, next := range f.steps(o, s.i, s.j) {
			if n := (state{next[0], next[1]}); !seen[n] {
				seen[n] = true
				todo = append(todo, n)
			}
		}
	}
	return false
}

// steps are the positions in f and o that can follow i and j: a star may match nothing, and one byte that
// both accept leads on in both.
func (f *uriForm) steps(o *uriForm, i, j int) [][2]int {
	var out [][2]int
	var a, b formToken
	if i < len(f.tokens) {
		if a = f.tokens[i]; a.star {
			out = append(out, [2]int{i + 1, j})
		}
	}
	if j < len(o.tokens) {
		if b = o.tokens[j]; b.star {
			out = append(out, [2]int{i, j + 1})
		}
	}
	if i == len(f.tokens) || j == len(o.tokens) || !a.meets(b) {
		return out
	}
	if !a.star {
		i++
	}
	if !b.star {
		j++
	}
	return append(out, [2]int{i, j})
}

// meets reports whether some byte fits both.
func (t formToken) meets(o formToken) bool {
	switch {
	case t.any && o.any:
		return true
	case t.any:
		return t.slash || o.lit != '/'
	case o.any:
		return o.slash || t.lit != '/'
	}
	return t.lit == o.lit
}
