package server

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitRoute writes the router of the templates. A literal that is a resource of its own matches none of them.
//
//	func routeNotes(uri string, v *mcprt.Vars) int {
//		switch uri {
//		case "notebook:///index":
//			return -1
//		}
//		if !v.Split(uri) {
//			return -1
//		}
//		switch v.Scheme {
//		…
//		}
//		return -1
//	}
func emitRoute(f *serverFile, s *ir.Server) {
	if s.Routes == nil {
		return
	}
	emitPlaces(f, s)
	nothing := jen.Return(jen.Lit(-1))
	var body []jen.Code
	if own := literalsLikeTemplates(s); len(own) > 0 {
		body = append(body, jen.Switch(jen.Id("uri")).Block(own...))
	}
	w := &router{f: f, s: s}
	body = append(body, jen.If(jen.Op("!").Id("v").Dot("Split").Call(jen.Id("uri"))).Block(nothing))
	body = append(body, w.whole(s.Routes)...)

	f.note(s.Names.Route + " returns the place in Features.Resources of the template that uri matches, or -1.")
	f.Func().Add(jenutil.Ident(s.Names.Route)).
		Params(jen.Id("uri").String(), jen.Id("v").Add(jenutil.PtrTo(jenutil.RT("Vars")))).Int().
		Block(body...)
	w.finish()
}

// literalsLikeTemplates are cases for the URIs of resources that templates of the same server would match.
func literalsLikeTemplates(s *ir.Server) (out []jen.Code) {
	var templates []*uritemplate.Template
	for _, r := range s.Resources {
		if r.Template != nil {
			templates = append(templates, r.Template)
		}
	}
	matches := uritemplate.AnyOf(templates)
	for _, r := range s.Resources {
		if r.Template == nil && matches(r.URI) {
			out = append(out, jen.Case(jen.Lit(r.URI)).Block(jen.Return(jen.Lit(-1))))
		}
	}
	return out
}

// code writes one node of the decision tree. cond is what its parent has left to it to ask; nil for nothing.
func (w *router) code(n *ir.RouteNode, cond *jen.Statement) []jen.Code {
	if n.On == ir.RouteLeaf && len(n.Try) == 1 {
		return []jen.Code{tryCode(w.s, n.Try[0], cond)}
	}
	if cond != nil {
		return []jen.Code{jen.If(cond).Block(w.code(n, nil)...)}
	}
	if x := w.call(n); x != nil {
		return []jen.Code{jen.Return(x)}
	}
	switch {
	case n.On == ir.RouteLeaf:
		return w.tries(n.Try)
	case n.On == ir.RouteCount && len(n.Cases) == 1 && n.Default == nil:
		only := n.Cases[0]
		return w.code(only.Node, jen.Id("v").Dot("N").Op("==").Lit(only.Count))
	}
	return []jen.Code{w.switchCode(n)}
}

// switchCode writes a node with several cases.
//
//	switch v.Seg[1] {
//	case "by-date":
//		…
//	default:
//		…
//	}
func (w *router) switchCode(n *ir.RouteNode) jen.Code {
	var cases []jen.Code
	for _, c := range n.Cases {
		value := jen.Lit(c.Text)
		if n.On == ir.RouteCount {
			value = jen.Lit(c.Count)
		}
		cases = append(cases, jen.Case(value).Block(w.code(c.Node, nil)...))
	}
	if n.Default != nil {
		cases = append(cases, jen.Default().Block(w.code(n.Default, nil)...))
	}
	return jen.Switch(switchOn(n)).Block(cases...)
}

func switchOn(n *ir.RouteNode) jen.Code {
	switch n.On {
	case ir.RouteScheme:
		return jen.Id("v").Dot("Scheme")
	case ir.RouteCount:
		return jen.Id("v").Dot("N")
	}
	return segment(n.Seg)
}

// segment is v.Seg[i].
func segment(i int) *jen.Statement { return jen.Id("v").Dot("Seg").Index(jen.Lit(i)) }

// tryCode matches one template and takes its variables.
//
//	if v.Seg[0] == "" && v.Take(0, v.Seg[1]) {
//		v.TakeParam(1, "limit")
//		return notesNote
//	}
func tryCode(s *ir.Server, t ir.RouteTry, cond *jen.Statement) jen.Code {
	r := s.Resources[t.Resource]
	conds := []*jen.Statement{cond, opaqueCond(r.Template)}
	for _, seg := range t.Segs {
		conds = append(conds, segmentCond(r.Template, seg))
	}
	conds = append(conds, queryCond(r.Template))
	var body []jen.Code
	for _, q := range r.Template.Query {
		take := "TakeParam"
		if q.Explode {
			take = "TakeParams"
		}
		body = append(body, jen.Id("v").Dot(jenutil.Name(take)).Call(jen.Lit(q.Var), jen.Lit(q.Param)))
	}
	body = append(body, jen.Return(jenutil.Ident(r.Names.Place)))
	all := allOf(conds)
	if all == nil {
		return jen.Block(body...)
	}
	return jen.If(all).Block(body...)
}

// allOf joins conditions, nil ones left out, with a line for each if there are many.
func allOf(conds []*jen.Statement) *jen.Statement {
	conds = slices.DeleteFunc(conds, func(c *jen.Statement) bool { return c == nil })
	var out *jen.Statement
	for _, c := range conds {
		switch {
		case out == nil:
			out = c
		case len(conds) > 5:
			out = out.Op("&&").Line().Add(c)
		default:
			out = out.Op("&&").Add(c)
		}
	}
	return out
}

// opaqueCond tells urn:{x} from urn://{x}, which have one segment both.
func opaqueCond(t *uritemplate.Template) *jen.Statement {
	switch {
	case t.Opaque:
		return jen.Id("v").Dot("Opaque")
	case len(t.Segments) == 1:
		return jen.Op("!").Id("v").Dot("Opaque")
	}
	return nil
}

// segmentCond matches one segment: a literal, a variable, or several of both.
//
//	v.Seg[1] == "raw"
//	v.Take(0, v.Seg[1])
//	v.TakeParts(0, v.Seg[1], "v", ".", "")
func segmentCond(t *uritemplate.Template, i int) *jen.Statement {
	parts, at := t.Segments[i], segment(i)
	if t.Multi >= 0 && i > t.Multi {
		at = jen.Id("v").Dot("Back").Call(jen.Lit(len(t.Segments) - i))
	}
	switch {
	case i == t.Multi && t.MultiEmpty:
		return jen.Id("v").Dot("TakeRest").Call(jen.Lit(parts[0].Var), jen.Lit(i))
	case i == t.Multi:
		return jen.Id("v").Dot("TakeSpan").Call(jen.Lit(parts[0].Var), jen.Lit(i), jen.Lit(len(t.Segments)-1-i))
	case len(parts) == 0:
		return at.Op("==").Lit("")
	case len(parts) == 1 && parts[0].Var < 0:
		return at.Op("==").Lit(parts[0].Lit)
	case len(parts) == 1:
		return jen.Id("v").Dot("Take").Call(jen.Lit(parts[0].Var), at)
	}
	first, lits := cutParts(parts)
	return jen.Id("v").Dot("TakeParts").Call(append([]jen.Code{jen.Lit(first), at}, jenutil.Strings(lits)...)...)
}

// cutParts returns the first variable of a segment and the literals around its variables.
func cutParts(parts uritemplate.Segment) (first int, lits []string) {
	first = parts[slices.IndexFunc(parts, func(p uritemplate.Part) bool { return p.Var >= 0 })].Var
	lits = []string{""}
	for _, p := range parts {
		if p.Var >= 0 {
			lits = append(lits, "")
			continue
		}
		lits[len(lits)-1] += p.Lit
	}
	return first, lits
}

// queryCond refuses parameters that the template does not name, if it is strict.
func queryCond(t *uritemplate.Template) *jen.Statement {
	if !t.StrictQuery {
		return nil
	}
	var names []string
	for _, q := range t.Query {
		names = append(names, q.Param)
	}
	return jen.Id("v").Dot("OnlyParams").Call(jenutil.Strings(names)...)
}

// emitPlaces names the places of the resources of a server with templates.
//
//	const (
//		_ = iota - 1
//		notesIndex
//		notesNote
//	)
func emitPlaces(f *serverFile, s *ir.Server) {
	var lines []jen.Code
	byNumber := slices.Contains(f.pkg.Declared, "iota") // which then is something of the user's
	if !byNumber {
		lines = append(lines, jen.Id("_").Op("=").Iota().Op("-").Lit(1)) // what is first may change
	}
	for i, r := range s.Resources {
		line := jenutil.Ident(r.Names.Place)
		if byNumber {
			line.Op("=").Lit(i)
		}
		lines = append(lines, line)
	}
	f.note("The places in Features.Resources.")
	f.Const().Defs(lines...)
}
