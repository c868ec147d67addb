package protocol

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
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
		Params(jen.Id("b").Index().Byte(), jen.Id("rev").Add(revision(f.p)), jen.Id("v").Id(u.Go)).Index().Byte().
		BlockFunc(func(g *jen.Group) {
			null := jen.Return(jen.Append(jen.Id("b"), jen.Lit("null").Op("...")))
			if downgradeNote(u) == "" {
				g.If(jen.Id("v").Op("==").Nil()).Block(null)
			} else {
				g.Switch(jen.Id("v").Op(":=").Id("v").Assert(jen.Type())).BlockFunc(func(g *jen.Group) {
					g.Case(jen.Nil()).Block(null)
					downgradeCases(g, f.p, u)
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

func downgradeCases(g *jen.Group, p *ir.Protocol, u *ir.Union) {
	for _, v := range u.Variants {
		if v.Downgrade == nil {
			continue
		}
		g.Case(jen.Op("*").Add(typeName(v.Struct))).Block(
			jen.If(revIn(p, u.Revs&^v.Revs, u.Revs)).Block(
				jen.Id("t").Op(":=").Add(typeName(v.Downgrade.To)).Values(downgraded(v.Downgrade)),
				jen.Return(jen.Id("t").Dot("AppendJSON").Call(jen.Id("b"), jen.Id("rev"))),
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

// emitUnionDecoder writes the function that reads a member of a union.
//
//	func DecodeContentBlock(d *wire.Decoder, rev Revision) ContentBlock {
//		switch string(d.PeekText("type")) {
//		case "text":
//			return wire.DecodeValue[TextContent](d, rev)
//		}
//		d.Fail("has no known type")
//		return nil
//	}
func emitUnionDecoder(f *protocolFile, u *ir.Union) {
	f.doc("Decode" + u.Go + " reads a member of the union, nil after a mistake. " + decisionNote(u))
	f.Func().Id("Decode"+u.Go).
		Params(jen.Id("d").Add(jenutil.Decoder()), jen.Id("rev").Add(revision(f.p))).Id(u.Go).
		BlockFunc(func(g *jen.Group) {
			if u.By.Tag == "" {
				probes(g, u.By.Probes)
				rest(g, u, "is no known form of "+u.Schema)
				return
			}
			g.Switch(jen.String().Call(jen.Id("d").Dot("PeekText").Call(jen.Lit(u.By.Tag)))).BlockFunc(func(g *jen.Group) {
				for _, c := range u.By.Cases {
					g.CaseFunc(func(l *jen.Group) { literals(l, c.Values) }).BlockFunc(func(g *jen.Group) {
						probes(g, c.Probes)
						g.Return(decodeVariant(c.Variant))
					})
				}
				if u.By.Absent != "" {
					g.Case(jen.Lit("")).Block(jen.Return(decodeVariant(u.By.Absent)))
				}
			})
			g.Id("d").Dot("Fail").Call(jen.Lit("has no known " + u.By.Tag))
			g.Return(jen.Nil())
		})
	f.Line()
}

func decisionNote(u *ir.Union) string {
	if u.By.Tag != "" {
		return "The member named " + u.By.Tag + " tells which."
	}
	return "The members that it has tell which."
}

func literals(g *jen.Group, list []string) {
	for _, s := range list {
		g.Lit(s)
	}
}

// probes returns the variant whose distinguishing member is there.
//
//	if _, ok := d.PeekMember("text"); ok {
//		return wire.DecodeValue[TextResourceContents](d, rev)
//	}
func probes(g *jen.Group, list []ir.Probe) {
	for _, p := range list {
		peek := jen.Id("d").Dot("PeekMember").CallFunc(func(l *jen.Group) { literals(l, p.Path) })
		g.If(jen.List(jen.Id("_"), jen.Id("ok")).Op(":=").Add(peek), jen.Id("ok")).Block(jen.Return(decodeVariant(p.Variant)))
	}
}

func rest(g *jen.Group, u *ir.Union, reason string) {
	if u.By.Absent != "" {
		g.Return(decodeVariant(u.By.Absent))
		return
	}
	g.Id("d").Dot("Fail").Call(jen.Lit(reason))
	g.Return(jen.Nil())
}

func decodeVariant(name string) *jen.Statement {
	return jenutil.Wire("DecodeValue").Index(typeName(name)).Call(jen.Id("d"), jen.Id("rev"))
}
