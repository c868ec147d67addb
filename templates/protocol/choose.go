package protocol

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitUnionDecoder writes the function that reads a member of a union. Each revision tells the members apart by what
// it says itself, and does not know those of later ones.
//
//	func DecodeContentBlock(d *wire.Decoder, rev Revision) ContentBlock {
//		switch string(d.PeekText("type")) {
//		case "text":
//			return wire.DecodeValue[TextContent](d, rev)
//		case "audio":
//			if rev >= Revision20250326 {
//				return wire.DecodeValue[AudioContent](d, rev)
//			}
//		}
//		if u := decodeUnknown(d, "type"); u != nil {
//			return u
//		}
//		return nil
//	}
func emitUnionDecoder(f *protocolFile, u *ir.Union) {
	f.doc("Decode" + u.Go + " reads a member of the union, nil after a mistake. " + decisionNote(u) +
		" An object that the revision does not know is an [Unknown].")
	emitSelector(f, u.Go, u.Revs, u.By)
}

// emitSelector writes the function that reads one of several structs as an interface.
func emitSelector(f *protocolFile, name string, revs ir.Revs, by []ir.Decision) {
	c := &selector{f.p}
	f.Func().Id("Decode"+name).
		Params(jen.Id("d").Add(jenutil.Decoder()), jen.Id("rev").Add(revision())).Id(name).
		BlockFunc(func(g *jen.Group) {
			left := revs
			for i := range by {
				dec := &by[i]
				cond := revIn(f.p, dec.Revs, left)
				if left &^= dec.Revs; cond == nil {
					c.decision(g, dec)
					return
				}
				g.If(cond).BlockFunc(func(g *jen.Group) { c.decision(g, dec) })
			}
		})
	f.Line()
}

func decisionNote(u *ir.Union) string {
	var tags []string
	for _, dec := range u.By {
		if dec.Tag != "" {
			tags = append(tags, dec.Tag)
		}
	}
	switch {
	case len(tags) == 0:
		return "The members that it has tell which."
	case len(u.By) > 1:
		return "The revision says what tells which; one that does is the member named " + tags[len(tags)-1] + "."
	default:
		return "The member named " + tags[0] + " tells which."
	}
}

// selector writes statements that return the struct which an object is.
type selector struct{ p *ir.Protocol }

// decision writes how some revisions choose.
func (c *selector) decision(g *jen.Group, dec *ir.Decision) {
	if dec.Tag == "" {
		if !c.choices(g, dec.Absent, dec.Revs) {
			c.unknown(g, "")
		}
		return
	}
	g.Switch(jen.String().Call(jen.Id("d").Dot("PeekText").Call(jen.Lit(dec.Tag)))).BlockFunc(func(g *jen.Group) {
		for _, one := range dec.Cases {
			g.CaseFunc(func(l *jen.Group) { literals(l, one.Values) }).
				BlockFunc(func(g *jen.Group) { c.choices(g, one.Choices, dec.Revs) })
		}
		if dec.Absent != nil {
			g.Case(jen.Lit("")).BlockFunc(func(g *jen.Group) { c.choices(g, dec.Absent, dec.Revs) })
		}
	})
	c.unknown(g, dec.Tag)
}

// choices writes what each revision of owner chooses. It reports whether that returns always.
func (c *selector) choices(g *jen.Group, list []ir.Choice, owner ir.Revs) (always bool) {
	left := owner
	for _, choice := range list {
		cond := revIn(c.p, choice.Revs, left)
		if left &^= choice.Revs; cond == nil {
			c.choose(g, choice)
			return choice.Variant != ""
		}
		g.If(cond).BlockFunc(func(g *jen.Group) { c.choose(g, choice) })
	}
	return false
}

// choose returns the struct whose distinguishing member is there, else what remains.
//
//	if _, ok := d.PeekMember("text"); ok {
//		return wire.DecodeValue[TextResourceContents](d, rev)
//	}
func (c *selector) choose(g *jen.Group, choice ir.Choice) {
	for _, p := range choice.Probes {
		peek := jen.Id("d").Dot("PeekMember").CallFunc(func(l *jen.Group) { literals(l, p.Path) })
		into, holds := "_", jen.Id("ok")
		if p.Value != "" {
			into, holds = "v", holds.Op("&&").Add(equals("v", p.Value))
		}
		g.If(jen.List(jen.Id(into), jen.Id("ok")).Op(":=").Add(peek), holds).Block(jen.Return(decodeVariant(p.Variant)))
	}
	if choice.Variant != "" {
		g.Return(decodeVariant(choice.Variant))
	}
}

// equals is the condition that a JSON text is the number or the boolean value, in any spelling.
//
//	wire.KindOf(v) == wire.KindNumber && wire.CompareNumbers(string(v), "1") == 0
func equals(text, value string) *jen.Statement {
	v := jen.String().Call(jen.Id(text))
	if value == "true" || value == "false" {
		return v.Op("==").Lit(value)
	}
	return jenutil.Wire("KindOf").Call(jen.Id(text)).Op("==").Add(jenutil.Wire("KindNumber")).
		Op("&&").Add(jenutil.Wire("CompareNumbers").Call(v, jen.Lit(value))).Op("==").Lit(0)
}

// unknown returns an object that the revision does not know.
func (c *selector) unknown(g *jen.Group, tag string) {
	g.If(jen.Id("u").Op(":=").Id("decodeUnknown").Call(jen.Id("d"), jen.Lit(tag)), jen.Id("u").Op("!=").Nil()).
		Block(jen.Return(jen.Id("u")))
	g.Return(jen.Nil())
}

func literals(g *jen.Group, list []string) {
	for _, s := range list {
		g.Lit(s)
	}
}

func decodeVariant(name string) *jen.Statement {
	v := jenutil.Wire("DecodeValue").Index(typeName(name)).Call(jen.Id("d"), revFor(name))
	if isForeign(name) {
		return jen.Id(coreType).Values(v)
	}
	return v
}

// emitUnknown declares the struct for members of unions that are not known.
func emitUnknown(f *protocolFile) {
	var unions []string
	for _, u := range f.p.Unions {
		unions = append(unions, u.Go)
	}
	text := "Unknown is an object in the place of a union or of a result that the revision does not know: of a kind " +
		"that came later, or that somebody has invented."
	if len(unions) > 0 {
		text += " It is a member of " + series(unions) + ", and of all replies."
	}
	f.doc(text)
	f.Type().Id("Unknown").StructFunc(func(g *jen.Group) {
		g.Add(jenutil.Doc("Raw is the object. It is written as it was read.", 4))
		g.Id("Raw").Qual("encoding/json", "RawMessage")
	})
	f.Line()
	f.doc("AppendJSON appends the object, in all revisions; null if Raw is not JSON.")
	f.Func().Params(jen.Id("v").Op("*").Id("Unknown")).Id("AppendJSON").
		Params(jen.Id("b").Index().Byte(), jen.Id("_").Add(revision())).Index().Byte().
		Block(jen.Return(jenutil.Wire("AppendKept").Call(jen.Id("b"), jen.Id("v").Dot("Raw"))))
	f.Line()
	f.doc("MarshalJSON returns the object.")
	f.Func().Params(jen.Id("v").Id("Unknown")).Id("MarshalJSON").Params().Params(jen.Index().Byte(), jen.Error()).
		Block(jen.Return(jenutil.Wire("AppendKept").Call(jen.Nil(), jen.Id("v").Dot("Raw")), jen.Nil()))
	f.Line()
	for _, u := range f.p.Unions {
		f.Func().Params(jenutil.Ptr("Unknown")).Id(u.Marker).Params().Block()
	}
	for _, m := range requestMethods(f.p) {
		f.Func().Params(jenutil.Ptr("Unknown")).Id(m.Marker).Params().Block()
	}
	f.Line()
	f.doc("decodeUnknown reads an object that is none of a union; nil for a mistake. With a tag, the object has a text " +
		"there: only that says that it is of another kind.")
	f.Func().Id("decodeUnknown").Params(jen.Id("d").Add(jenutil.Decoder()), jen.Id("tag").String()).Op("*").Id("Unknown").
		Block(
			jen.Id("raw").Op(":=").Add(jenutil.Wire("DecodeUnknown")).Call(jen.Id("d"), jen.Id("tag")),
			jen.If(jen.Id("raw").Op("!=").Nil()).
				Block(jen.Return(jen.Op("&").Id("Unknown").Values(jen.Dict{jen.Id("Raw"): jen.Id("raw")}))),
			jen.Return(jen.Nil()),
		)
	f.Line()
}
