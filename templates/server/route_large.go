package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// router writes the decision tree of one server. Functions and tables that a large tree needs come behind the one that
// is being written.
type router struct {
	f     *serverFile
	s     *ir.Server
	later []func()
}

// finish writes what was put off, and what that puts off.
func (w *router) finish() {
	for len(w.later) > 0 {
		next := w.later[0]
		w.later = w.later[1:]
		next()
	}
}

// inFunc writes a function for a part of the tree and returns the call of it.
//
//	func mixRoute1(v *mcprt.Vars) int {
//		…
//		return -1
//	}
func (w *router) inFunc(name string, body func() []jen.Code) jen.Code {
	w.later = append(w.later, func() {
		code := body()
		w.f.Line()
		w.f.Func().Add(jenutil.Ident(name)).Params(jen.Id("v").Add(jenutil.PtrTo(jenutil.RT("Vars")))).Int().Block(code...)
	})
	return jenutil.Ident(name).Call(jen.Id("v"))
}

// orNothing ends a function in which nothing has matched.
func orNothing(code []jen.Code) []jen.Code { return append(code, jen.Return(jen.Lit(-1))) }

// whole is the code of a node where nothing comes behind it.
func (w *router) whole(n *ir.RouteNode) []jen.Code {
	if x := w.call(n); x != nil {
		return []jen.Code{jen.Return(x)}
	}
	return orNothing(w.code(n, nil))
}

// call is the call of a function, or a look-up in a table, that stands for a large node; nil for others.
func (w *router) call(n *ir.RouteNode) jen.Code {
	switch {
	case n.Func != "":
		plain := *n
		plain.Func = ""
		return w.inFunc(n.Func, func() []jen.Code { return w.whole(&plain) })
	case n.Table != "":
		return w.tableCode(n)
	case n.Parts != nil:
		return w.leafPart(n, 0)
	}
	return nil
}

// leafPart writes a function for some templates of a large leaf. It ends in a call of the next one.
func (w *router) leafPart(n *ir.RouteNode, i int) jen.Code {
	first := 0
	if i > 0 {
		first = n.Parts[i-1].End
	}
	part := n.Parts[i]
	return w.inFunc(part.Name, func() []jen.Code {
		code := w.tries(n.Try[first:part.End])
		if i+1 < len(n.Parts) {
			return append(code, jen.Return(w.leafPart(n, i+1)))
		}
		return orNothing(code)
	})
}

func (w *router) tries(list []ir.RouteTry) (out []jen.Code) {
	for _, t := range list {
		out = append(out, tryCode(w.s, t, nil))
	}
	return out
}

// tableCode writes a large switch: a table of functions, each of which has some of the cases. What fits no case, or
// nothing in it, goes to one more function.
//
//	mixBranches1.Of(v.Seg[1], v)
//
//	var mixBranches1 = mcprt.Branches{
//		{First: "item1", Route: mixRoute1},
//		{First: "item138", Route: mixRoute2},
//	}
func (w *router) tableCode(n *ir.RouteNode) jen.Code {
	w.later = append(w.later, func() {
		var rows jenutil.Elements
		first := 0
		for _, part := range n.Parts {
			var m jenutil.Members
			m.Text("First", n.Cases[first].Text)
			m.Add("Route", jenutil.Ident(part.Name))
			rows.Add(m.Inline())
			cases := n.Cases[first:part.End]
			w.inFunc(part.Name, func() []jen.Code { return w.casesCode(n, cases) })
			first = part.End
		}
		if n.Rest != "" {
			w.inFunc(n.Rest, func() []jen.Code { return w.whole(n.Default) })
		}
		w.f.Line()
		w.f.Var().Add(jenutil.Ident(n.Table)).Op("=").Add(jenutil.RT("Branches")).Add(rows.Lines())
	})
	return jenutil.Ident(n.Table).Dot("Of").Call(switchOn(n), jen.Id("v"))
}

// casesCode is the body of a function for some cases of a large switch.
func (w *router) casesCode(n *ir.RouteNode, cases []ir.RouteCase) []jen.Code {
	var list []jen.Code
	for _, c := range cases {
		var code []jen.Code
		switch x := w.call(c.Node); {
		case x != nil && n.Falls:
			code = []jen.Code{jen.If(jen.Id("i").Op(":=").Add(x), jen.Id("i").Op(">=").Lit(0)).Block(jen.Return(jen.Id("i")))}
		case x != nil:
			code = []jen.Code{jen.Return(x)}
		case n.Default != nil && !n.Falls:
			code = orNothing(w.code(c.Node, nil))
		default:
			code = w.code(c.Node, nil)
		}
		list = append(list, jen.Case(jen.Lit(c.Text)).Block(code...))
	}
	code := []jen.Code{jen.Switch(switchOn(n)).Block(list...)}
	if n.Rest != "" {
		return append(code, jen.Return(jenutil.Ident(n.Rest).Call(jen.Id("v"))))
	}
	return orNothing(code)
}
