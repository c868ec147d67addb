package protocol

import (
	"cmp"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitDecoder writes the decoder of a struct. Members that some revision requires are
// counted and asked for at the end.
//
//	// DecodeJSON reads v. A mistake is kept in d.
//	func (v *Root) DecodeJSON(d *wire.Decoder, rev Revision) {
//		if !d.Object() {
//			return
//		}
//		var hasURI bool
//		for d.Next() {
//			switch string(d.Name()) {
//			case "uri":
//				v.URI, hasURI = d.String(), true
//			default:
//				d.Extra(&v.Extra)
//			}
//		}
//		if !hasURI {
//			d.Missing("uri")
//		}
//	}
func emitDecoder(f *protocolFile, s *ir.Struct) {
	dec := &decoder{p: f.p, s: s}
	body := dec.loop()
	checks := dec.checks()
	rev := "_"
	if dec.usesRev {
		rev = "rev"
	}
	f.doc("DecodeJSON reads v. Members that the revision requires must be there; a mistake is kept in d.")
	f.Func().Params(jen.Id("v").Add(jenutil.Ptr(s.Go))).Id("DecodeJSON").
		Params(jen.Id("d").Add(jenutil.Decoder()), jen.Id(rev).Add(revision())).
		BlockFunc(func(g *jen.Group) {
			g.If(jen.Op("!").Id("d").Dot("Object").Call()).Block(jen.Return())
			if len(dec.seen) > 0 {
				g.Var().ListFunc(func(l *jen.Group) { names(l, dec.seen) }).Bool()
			}
			g.Add(body)
			for _, c := range checks {
				g.Add(c)
			}
		})
	f.Line()
}

func names(g *jen.Group, list []string) {
	for _, n := range list {
		g.Id(n)
	}
}

// decoder collects the parts of one DecodeJSON.
type decoder struct {
	p       *ir.Protocol
	s       *ir.Struct
	seen    []string
	usesRev bool
}

func (c *decoder) loop() jen.Code {
	if len(c.s.Fields) == 0 {
		return jen.For(jen.Id("d").Dot("Next").Call()).Block(c.extra())
	}
	return jen.For(jen.Id("d").Dot("Next").Call()).Block(
		jen.Switch(jen.String().Call(jen.Id("d").Dot("Name").Call())).BlockFunc(func(g *jen.Group) {
			for _, list := range byProperty(c.s.Fields) {
				g.Case(jen.Lit(list[0].JSON)).Block(c.property(list)...)
			}
			g.Default().Block(c.extra())
		}),
	)
}

// byProperty groups the fields of a struct by the property that they are read from, in their order.
func byProperty(fields []*ir.Field) [][]*ir.Field {
	var out [][]*ir.Field
	for _, f := range fields {
		i := slices.IndexFunc(out, func(l []*ir.Field) bool { return l[0].JSON == f.JSON })
		if i < 0 {
			out = append(out, []*ir.Field{f})
			continue
		}
		out[i] = append(out[i], f)
	}
	return out
}

// property returns the statements that read a property. The revision decides which of its fields it is; in a revision
// that has none of them, the property is one that nobody knows.
//
//	case "size":
//		if rev < Revision20250618 {
//			d.Extra(&v.Extra)
//			continue
//		}
//		if rev >= Revision20990101 {
//			v.SizeFloat = d.Float()
//		} else {
//			v.Size = d.Int()
//		}
func (c *decoder) property(list []*ir.Field) []jen.Code {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *ir.Field) int { return cmp.Compare(a.Revs.First(), b.Revs.First()) })
	known := revsOf(list) & c.s.Revs
	code := c.member(list[0])
	for _, f := range list[1:] {
		c.usesRev = true
		code = []jen.Code{jen.If(revAmong(c.p, f.Revs, known)).Block(c.member(f)...).Else().Block(code...)}
	}
	if unknown := revIn(c.p, c.s.Revs&^known, c.s.Revs); unknown != nil {
		c.usesRev = true
		code = append([]jen.Code{jen.If(unknown).Block(c.extra(), jen.Continue())}, code...)
	}
	return code
}

// revsOf returns the revisions that have a property with these fields.
func revsOf(list []*ir.Field) (revs ir.Revs) {
	for _, f := range list {
		revs |= f.Revs
	}
	return revs
}

// extra keeps a member that the revision does not know.
func (c *decoder) extra() jen.Code {
	return jen.Id("d").Dot("Extra").Call(jen.Op("&").Id("v").Dot("Extra"))
}

// checks asks for the members that must be there.
func (c *decoder) checks() []jen.Code {
	var out []jen.Code
	for _, f := range c.s.Fields {
		if f.Required == 0 {
			continue
		}
		cond := jen.Op("!").Id(hasName(f))
		if rev := revIn(c.p, f.Required, c.s.Revs); rev != nil {
			c.usesRev = true
			if len(runs(f.Required&c.s.Revs, c.s.Revs)) > 1 {
				rev = jen.Parens(rev)
			}
			cond = and(cond, rev)
		}
		out = append(out, jen.If(cond).Block(jen.Id("d").Dot("Missing").Call(jen.Lit(f.JSON))))
	}
	return out
}

func hasName(f *ir.Field) string { return "has" + f.Go }

// member returns the statements that read one member.
func (c *decoder) member(f *ir.Field) []jen.Code {
	has := ""
	if f.Required != 0 {
		has = hasName(f)
		c.seen = append(c.seen, has)
	}
	if f.Const != "" {
		return []jen.Code{jen.Id(has).Op("=").Id("d").Dot("Literal").Call(jen.Lit(f.Const))}
	}
	code := c.read(f)
	if f.Type.Null {
		code = []jen.Code{jen.If(c.notNull(f)).Block(code...)}
	}
	if has != "" {
		code = append(code, jen.Id(has).Op("=").True())
	}
	return code
}

// notNull returns the condition that a value which may be null, in all revisions of the field or some, is not.
//
//	rev < Revision20990101 || !d.Null()
func (c *decoder) notNull(f *ir.Field) *jen.Statement {
	value := jen.Op("!").Id("d").Dot("Null").Call()
	if never := revIn(c.p, f.Revs&^f.Type.NullIn, f.Revs); f.Type.NullIn != 0 && never != nil {
		c.usesRev = true
		return never.Op("||").Add(value)
	}
	return value
}

// Most requests of a client have the same requestMeta, but for its member progressToken.
const (
	requestMeta   = "RequestMetaObject"
	progressToken = "progressToken"
)

// tokenField returns the field of s that holds the token; nil for another struct.
func tokenField(s *ir.Struct) *ir.Field {
	if s.Go != requestMeta {
		return nil
	}
	i := slices.IndexFunc(s.Fields, func(f *ir.Field) bool {
		return f.JSON == progressToken && f.Type.Kind == ir.KindID && !f.Type.Ptr
	})
	if i < 0 {
		return nil
	}
	return s.Fields[i]
}

// recalls reports whether a value of the type named name is remembered.
func (c *decoder) recalls(name string) bool {
	return slices.ContainsFunc(c.p.Structs, func(s *ir.Struct) bool { return s.Go == name && tokenField(s) != nil })
}

// emitToken writes the method that finds the token.
//
//	// progressToken finds the member that differs from one request to the next.
//	func (v *RequestMetaObject) progressToken() *wire.ID { return &v.ProgressToken }
func emitToken(f *protocolFile, s *ir.Struct) {
	field := tokenField(s)
	if field == nil {
		return
	}
	f.doc(progressToken + " finds the member that differs from one request to the next.")
	f.Func().Params(jen.Id("v").Add(jenutil.Ptr(s.Go))).Id(progressToken).Params().Op("*").Add(jenutil.Wire("ID")).
		Block(jen.Return(jen.Op("&").Id("v").Dot(field.Go)))
	f.Line()
}

// read returns the statements that read the value of a field.
func (c *decoder) read(f *ir.Field) []jen.Code {
	v := func() *jen.Statement { return jen.Id("v").Dot(f.Go) }
	switch {
	case f.Type.Kind == ir.KindStruct && f.Type.Ptr && c.recalls(f.Type.Name):
		c.usesRev = true
		recall := jenutil.Wire("Recall").Call(jen.Id("d"), jen.Id("rev"), jen.Lit(progressToken),
			jen.Parens(jen.Op("*").Id(f.Type.Name)).Dot(progressToken))
		return []jen.Code{v().Op("=").Add(recall)}
	case f.Type.Kind == ir.KindStruct && f.Type.Ptr:
		return []jen.Code{v().Op("=").New(typeName(f.Type.Name)), c.decodeInto(v(), f.Type.Name)}
	case f.Type.Kind == ir.KindStruct:
		return []jen.Code{c.decodeInto(v(), f.Type.Name)}
	case f.Type.Kind == ir.KindError:
		return []jen.Code{v().Op("=").New(jenutil.Wire("Error")), v().Dot("DecodeJSON").Call(jen.Id("d"))}
	case f.Type.Ptr:
		return []jen.Code{v().Op("=").New(c.value(f.Type))}
	case f.Type.Kind == ir.KindAny && len(f.Narrow) > 0 && f.Narrow[0].Strict:
		c.usesRev = true
		object := jenutil.Wire("DecodeObject").Call(jen.Id("d"))
		return []jen.Code{jen.If(revAmong(c.p, f.Narrow[0].Revs, f.Revs)).Block(v().Op("=").Add(object)).
			Else().Block(v().Op("=").Add(c.value(f.Type)))}
	default:
		return []jen.Code{v().Op("=").Add(c.value(f.Type))}
	}
}

func (c *decoder) decodeInto(v *jen.Statement, name string) jen.Code {
	c.usesRev = true
	return v.Dot("DecodeJSON").Call(jen.Id("d"), revFor(name))
}

var decodeMethods = map[ir.Kind]string{
	ir.KindString: "String", ir.KindBytes: "Base64", ir.KindBool: "Bool", ir.KindInt: "Int", ir.KindFloat: "Float",
	ir.KindID: "ID", ir.KindAny: "RawCopy",
}

// value returns the expression that reads a value of type t, which is not a struct.
func (c *decoder) value(t *ir.Type) *jen.Statement {
	d := jen.Id("d")
	switch t.Kind {
	case ir.KindObject:
		return jenutil.Wire("DecodeObject").Call(d)
	case ir.KindEnum:
		return typeName(t.Name).Call(d.Dot("String").Call())
	case ir.KindUnion:
		c.usesRev = true
		return funcName("Decode", t.Name).Call(d, revFor(t.Name))
	case ir.KindOneOrMany:
		c.usesRev = true
		return jenutil.Wire("DecodeOneOrMany").Call(d, revFor(t.Elem.Name), funcName("Decode", t.Elem.Name))
	case ir.KindList:
		return c.all(t.Elem, "DecodeSlice", "DecodeList", "DecodeUnions")
	case ir.KindMap:
		return c.all(t.Elem, "DecodeMap", "DecodeStructMap", "DecodeUnionMap")
	default:
		return d.Dot(decodeMethods[t.Kind]).Call()
	}
}

// all returns the expression that reads a list or map whose elements have type elem.
func (c *decoder) all(elem *ir.Type, plain, structs, unions string) *jen.Statement {
	d, rev := jen.Id("d"), revFor(elem.Name)
	switch elem.Kind {
	case ir.KindStruct:
		c.usesRev = true
		return jenutil.Wire(structs).Index(typeName(elem.Name)).Call(d, rev)
	case ir.KindUnion:
		c.usesRev = true
		return jenutil.Wire(unions).Call(d, rev, funcName("Decode", elem.Name))
	case ir.KindEnum:
		return jenutil.Wire(plain).Call(d, jenutil.Wire("DecodeText").Index(typeName(elem.Name)))
	case ir.KindObject:
		return jenutil.Wire(plain).Call(d, jenutil.Wire("DecodeObject"))
	default:
		method := jen.Parens(jenutil.Decoder()).Dot(decodeMethods[elem.Kind])
		return jenutil.Wire(plain).Call(d, method)
	}
}
