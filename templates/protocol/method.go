package protocol

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitMethods declares the names of all methods and a table of who sends them.
func emitMethods(f *protocolFile) {
	f.empty = len(f.p.Methods) == 0
	of := "protocol"
	if f.p.Extension != nil {
		of = "extension"
	}
	f.doc("The methods of the " + of + ".")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, m := range f.p.Methods {
			if m.Doc != "" {
				g.Add(jenutil.Doc(m.Doc, 4))
			}
			g.Id(m.Const).Op("=").Lit(m.Name)
		}
	})
	f.Line()
	if f.p.Extension == nil {
		emitMethodTypes(f)
	}
	emitMethodInfo(f)
	f.doc("Methods describes every method, ordered by name. It must not be changed.")
	f.Var().Id("Methods").Op("=").Index().Id("MethodInfo").Custom(
		jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, methodRows(f.p)...)
	f.Line()
	emitHasMethod(f)
}

func emitMethodTypes(f *protocolFile) {
	f.doc("Side says who sends a method.")
	f.Type().Id("Side").Uint8()
	f.Line()
	f.doc("The senders of methods.")
	f.Const().Defs(
		jen.Id("Client").Id("Side").Op("=").Lit(1).Op("<<").Iota(),
		jen.Id("Server"),
		jen.Id("Both").Op("=").Id("Client").Op("|").Id("Server"),
	)
	f.Line()
	f.doc("MethodKind tells requests, which are answered, from notifications.")
	f.Type().Id("MethodKind").Uint8()
	f.Line()
	f.doc("The kinds of methods.")
	f.Const().Defs(
		jen.Id("Request").Id("MethodKind").Op("=").Iota().Op("+").Lit(1),
		jen.Id("Notification"),
	)
	f.Line()
}

func emitMethodInfo(f *protocolFile) {
	f.doc("MethodInfo describes a method.")
	f.Type().Id("MethodInfo").Struct(
		jen.Id("Name").String(),
		jen.Id("From").Add(core(f.p, "Side")),
		jen.Id("Kind").Add(core(f.p, "MethodKind")),
		jen.Id("Since").Id("Revision").Comment("first revision that has it"),
		jen.Id("Until").Id("Revision").Comment("last revision that has it; some in between may lack it"),
	)
	f.Line()
}

func methodRows(p *ir.Protocol) []jen.Code {
	sides := map[ir.MethodSide]string{ir.FromClient: "Client", ir.FromServer: "Server", ir.FromBoth: "Both"}
	var rows []jen.Code
	for _, m := range p.Methods {
		kind := "Request"
		if m.Notification {
			kind = "Notification"
		}
		since, until := revisionsOf(p, m)
		rows = append(rows, jen.Values(jen.Id(m.Const), core(p, sides[m.From]), core(p, kind), jen.Id(since), jen.Id(until)))
	}
	return rows
}

// revisionsOf returns the first and the last revision of a method. The last is Latest where it is still there, so that
// one more revision does not change it.
func revisionsOf(p *ir.Protocol, m *ir.Method) (since, until string) {
	since, until = p.Revisions[m.Revs.First()].Go, "Latest"
	if last := m.Revs.Last(); last < len(p.Revisions)-1 {
		until = p.Revisions[last].Go
	}
	return since, until
}

// emitHasMethod writes the test for client requests. Methods of the same revisions share
// a case.
//
//	func HasMethod(rev Revision, method string) bool {
//		switch method {
//		case MethodInitialize, MethodPing:
//			return rev <= Revision20251125
//		}
//		return false
//	}
func emitHasMethod(f *protocolFile) {
	f.doc("HasMethod reports whether clients of the revision can send this request. These are the methods that " +
		"[Dispatch] knows.")
	f.Func().Id("HasMethod").Params(jen.Id("rev").Add(revision()),
		jen.Id("method").String()).Bool().BlockFunc(func(g *jen.Group) {
		sets, byRevs := requestsByRevs(f.p)
		if len(sets) > 0 {
			g.Switch(jen.Id("method")).BlockFunc(func(g *jen.Group) {
				for _, set := range sets {
					cond := revIn(f.p, set, f.p.All())
					if cond == nil {
						cond = jen.True()
					}
					g.Case(jen.Custom(jen.Options{Separator: ",\n"}, byRevs[set]...)).Block(jen.Return(cond))
				}
			})
		}
		g.Return(jen.False())
	})
}

func requestsByRevs(p *ir.Protocol) ([]ir.Revs, map[ir.Revs][]jen.Code) {
	var sets []ir.Revs
	byRevs := map[ir.Revs][]jen.Code{}
	for _, m := range servers.methods(p, false) {
		if byRevs[m.ClientRevs] == nil {
			sets = append(sets, m.ClientRevs)
		}
		byRevs[m.ClientRevs] = append(byRevs[m.ClientRevs], jen.Id(m.Const))
	}
	return sets, byRevs
}
