package protocol

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// emitUnionEncoder writes the function that appends a member of a union. A member that a
// revision does not have becomes what the exceptions say.
//
//	func AppendContentBlock(b []byte, rev Revision, v ContentBlock) []byte {
//		switch v := v.(type) {
//		case nil:
//			return append(b, "null"...)
//		case *AudioContent:
//			if rev < Revision20250326 {
//				t := TextContent{Text: "[audio: " + v.MIMEType + "]"}
//				return t.AppendJSON(b, rev)
//			}
//		}
//		return v.AppendJSON(b, rev)
//	}
func emitUnionEncoder(f *protocolFile, u *ir.Union) {
	f.doc("Append" + u.Go + " appends v as the revision writes it; nil is null." + downgradeNote(u))
	f.Func().Id("Append"+u.Go).
		Params(jen.Id("b").Index().Byte(), jen.Id("rev").Add(revision()), jen.Id("v").Id(u.Go)).Index().Byte().
		BlockFunc(func(g *jen.Group) {
			null := jen.Return(jen.Append(jen.Id("b"), jen.Lit("null").Op("...")))
			if downgradeNote(u) == "" {
				g.If(jen.Id("v").Op("==").Nil()).Block(null)
			} else {
				g.Switch(jen.Id("v").Op(":=").Id("v").Assert(jen.Type())).BlockFunc(func(g *jen.Group) {
					g.Case(jen.Nil()).Block(null)
					downgradeCases(g, f.p, u, false)
					coreCase(g, f.p, u)
				})
			}
			g.Return(jen.Id("v").Dot("AppendJSON").Call(jen.Id("b"), jen.Id("rev")))
		})
	f.Line()
}

func downgradeNote(u *ir.Union) string {
	var to []string
	for _, v := range u.Variants {
		if v.Downgrade != nil && !slices.Contains(to, "a "+shortName(v.Downgrade.To)) {
			to = append(to, "a "+shortName(v.Downgrade.To))
		}
	}
	if to == nil {
		return ""
	}
	return " A member that the revision does not have becomes " + strings.Join(to, " or ") + "."
}

// downgradeCases handles the members that the package declares, or those that it has from the core.
func downgradeCases(g *jen.Group, p *ir.Protocol, u *ir.Union, foreign bool) {
	for _, v := range u.Variants {
		if v.Downgrade == nil || isForeign(v.Struct) != foreign {
			continue
		}
		g.Case(jen.Op("*").Add(typeName(v.Struct))).Block(
			jen.If(revIn(p, u.Revs&^v.Revs, u.Revs)).Block(
				jen.Id("t").Op(":=").Add(typeName(v.Downgrade.To)).Values(downgraded(v.Downgrade)),
				jen.Return(jen.Id("t").Dot("AppendJSON").Call(jen.Id("b"), revFor(v.Downgrade.To))),
			),
		)
	}
}

func downgraded(d *ir.Downgrade) jen.Dict {
	fields := jen.Dict{}
	for _, name := range d.Copy {
		fields[jen.Id(name)] = jen.Id("v").Dot(name)
	}
	if d.Field != "" {
		fields[jen.Id(d.Field)] = parts(d)
	}
	return fields
}

func parts(d *ir.Downgrade) *jen.Statement {
	var out *jen.Statement
	for _, p := range d.Parts {
		part := jen.Lit(p.Text)
		if p.Field != "" {
			part = jen.Id("v").Dot(p.Field)
		}
		if out == nil {
			out = part
			continue
		}
		out = out.Op("+").Add(part)
	}
	if out == nil {
		return jen.Lit("")
	}
	return out
}
