package protocol

import (
	"bytes"
	"encoding/json"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitCodecs writes the encoders and decoders of the structs of one group.
func emitCodecs(f *protocolFile) {
	f.empty = true
	for _, s := range f.p.Structs {
		if s.Group == f.group {
			f.empty = false
			emitEncoder(f, s)
			emitDecoder(f, s)
			emitToken(f, s)
		}
	}
}

// emitEncoder writes the encoder of a struct. Constant text between members is one append.
//
//	// AppendJSON appends v as revision rev writes it.
//	func (v *Root) AppendJSON(b []byte, rev Revision) []byte {
//		b = append(b, `{"uri":`...)
//		b = wire.AppendString(b, v.URI)
//		b = append(b, ',')
//		if v.Name != "" {
//			b = append(b, `"name":`...)
//			b = wire.AppendString(b, v.Name)
//			b = append(b, ',')
//		}
//		b = v.Extra.Append(b)
//		return wire.EndObject(b)
//	}
func emitEncoder(f *protocolFile, s *ir.Struct) {
	e := &encoder{p: f.p, s: s, text: "{"}
	for _, field := range s.Fields {
		e.field(field)
	}
	e.endIf()
	e.flush()
	rev := "_"
	if e.usesRev {
		rev = "rev"
	}
	f.doc("AppendJSON appends v to b as the revision writes it.")
	f.Func().Params(jen.Id("v").Add(jenutil.Ptr(s.Go))).Id("AppendJSON").
		Params(jen.Id("b").Index().Byte(), jen.Id(rev).Add(revision())).Index().Byte().
		BlockFunc(func(g *jen.Group) {
			some := propertiesOfSome(s)
			if some != nil {
				g.Id("start").Op(":=").Len(jen.Id("b"))
			}
			for _, c := range e.code {
				g.Add(c)
			}
			g.Add(appendExtra(some))
			g.Return(jenutil.Wire("EndObject").Call(jen.Id("b")))
		})
	f.Line()
}

// propertiesOfSome returns the names of the properties that not all revisions of a struct have. Where a revision does
// not have them, they are read as members that nobody knows.
func propertiesOfSome(s *ir.Struct) (names []string) {
	for _, list := range byProperty(s.Fields) {
		if s.Revs&^revsOf(list) != 0 {
			names = append(names, list[0].JSON)
		}
	}
	return names
}

// appendExtra writes the members that nobody knows. One that an older revision has read may be a member of this one.
//
//	b = v.Extra.Append(b)
//	b = v.Extra.AppendBeside(b, start, "title", "icons")
func appendExtra(some []string) *jen.Statement {
	assign := jen.Id("b").Op("=").Id("v").Dot("Extra")
	if some == nil {
		return assign.Dot("Append").Call(jen.Id("b"))
	}
	args := append([]jen.Code{jen.Id("b"), jen.Id("start")}, jenutil.Strings(some)...)
	return assign.Dot("AppendBeside").Call(args...)
}

// encoder collects the statements of one AppendJSON.
type encoder struct {
	p       *ir.Protocol
	s       *ir.Struct
	text    string // constant text that is not appended yet
	code    []jen.Code
	cond    *jen.Statement // of the block that is open
	body    []jen.Code
	usesRev bool
}

func (e *encoder) add(c jen.Code) { e.code = append(e.code, c) }

func (e *encoder) flush() {
	if e.text != "" {
		e.add(jenutil.AppendText(e.text))
		e.text = ""
	}
}

func (e *encoder) field(f *ir.Field) {
	key := jsonString(f.JSON) + ":"
	rev := revIn(e.p, f.Revs, e.s.Revs)
	if rev != nil {
		e.usesRev = true
		if len(runs(f.Revs&e.s.Revs, e.s.Revs)) > 1 {
			rev = jen.Parens(rev)
		}
	}
	if f.Widens != nil {
		e.widened(f, rev)
		return
	}
	cond := and(e.written(f), rev)
	for _, n := range f.Narrow {
		cond = and(cond, e.fits(f, n))
	}
	if f.Const != "" {
		key += jsonString(f.Const) + ","
	}
	if cond == nil {
		e.endIf()
		e.text += key
		if f.Const == "" {
			e.flush()
			e.add(e.value(f))
			e.text = ","
		}
		return
	}
	body := []jen.Code{jenutil.AppendText(key)}
	if f.Const == "" {
		body = append(body, e.value(f), jenutil.AppendText(","))
	}
	e.startIf(cond, body)
}

// widened writes the code for a field that holds the values of an older one: that is written if only it was set.
//
//	if rev >= Revision20990101 {
//		if v.TTLMsFloat != 0 {
//			…
//		} else {
//			…
//		}
//	}
func (e *encoder) widened(f *ir.Field, rev *jen.Statement) {
	write := func(f *ir.Field) []jen.Code {
		key := jsonString(f.JSON) + ":"
		if f.Const != "" {
			return []jen.Code{jenutil.AppendText(key + jsonString(f.Const) + ",")}
		}
		return []jen.Code{jenutil.AppendText(key), e.value(f), jenutil.AppendText(",")}
	}
	code := jen.If(isSet(f)).Block(write(f)...)
	older := e.present(f.Widens)
	switch {
	case older == nil:
		code.Else().Block(write(f.Widens)...)
	case f.Required == 0 || f.Type.Ptr && !f.Type.Null:
		code.Else().If(older).Block(write(f.Widens)...)
	default:
		code.Else().If(older).Block(write(f.Widens)...).Else().Block(write(f)...)
	}
	if rev == nil {
		rev = jen.True()
	}
	e.startIf(rev, []jen.Code{code})
}

// isSet returns the condition that somebody has set a field, for one that has a value which says so.
func isSet(f *ir.Field) *jen.Statement {
	v, kind := jen.Id("v").Dot(f.Go), f.Type.Kind
	switch {
	case !f.Type.Ptr && kind == ir.KindFloat:
		return v.Op("!=").Lit(0)
	case !f.Type.Ptr && (kind == ir.KindString || kind == ir.KindEnum):
		return v.Op("!=").Lit("")
	case !f.Type.Ptr && kind == ir.KindID:
		return jen.Op("!").Add(v).Dot("IsZero").Call()
	default:
		return v.Op("!=").Nil()
	}
}

// jsonString quotes a name or constant as JSON does.
func jsonString(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) //nolint:errchkjson // neither a string nor a buffer can fail
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// startIf adds statements under a condition. Neighbours with the same condition share it.
func (e *encoder) startIf(cond *jen.Statement, body []jen.Code) {
	if e.cond == nil || e.cond.GoString() != cond.GoString() {
		e.endIf()
		e.flush()
		e.cond = cond
	}
	e.body = append(e.body, body...)
}

func (e *encoder) endIf() {
	if e.cond != nil {
		e.add(jen.If(e.cond).Block(e.body...))
		e.cond, e.body = nil, nil
	}
}

// present returns the condition under which an optional member is written, nil for one
// that is always written where it exists.
func (e *encoder) present(f *ir.Field) *jen.Statement {
	if f.Const != "" {
		return nil
	}
	v := jen.Id("v").Dot(f.Go)
	required := f.Required == f.Revs
	switch {
	case f.Type.Ptr && f.Type.Null && required:
		return nil
	case f.Type.Ptr:
		return v.Op("!=").Nil()
	case required:
		return nil
	}
	switch f.Type.Kind {
	case ir.KindBool, ir.KindInt, ir.KindFloat, ir.KindStruct:
		return nil // it was required when the field came, so it has no value that says absent
	case ir.KindString, ir.KindEnum:
		return v.Op("!=").Lit("")
	case ir.KindID:
		return jen.Op("!").Add(v).Dot("IsZero").Call()
	case ir.KindObject: // what is no object has no place there in any revision
		return jenutil.Wire("KindOf").Call(v).Op("==").Add(jenutil.Wire("KindObject"))
	default:
		return v.Op("!=").Nil()
	}
}

// written is present, or in a revision that asks for the member. What cannot be made up, a
// struct or an id, is left out there too.
//
//	(v.Name != "" || rev >= Revision20260728)
func (e *encoder) written(f *ir.Field) *jen.Statement {
	cond := e.present(f)
	if cond == nil || f.Required == 0 || f.Type.Ptr && !f.Type.Null || f.Type.Kind == ir.KindID {
		return cond
	}
	required := revIn(e.p, f.Required, f.Revs)
	if required == nil {
		return nil
	}
	e.usesRev = true
	return jen.Parens(cond.Op("||").Add(required))
}

// fits returns the condition that a value is one that older revisions accept.
//
//	(rev >= Revision20260728 || wire.KindOf(v.StructuredContent) == wire.KindObject)
func (e *encoder) fits(f *ir.Field, n ir.Narrow) *jen.Statement {
	v := jen.Id("v").Dot(f.Go)
	test := jenutil.Wire("KindOf").Call(v).Op("==").Add(jenutil.Wire("KindObject"))
	if n.Member != "" {
		test = jenutil.Wire("MemberIs").Call(v, jen.Lit(n.Member), jen.Lit(n.Value))
	}
	free := revIn(e.p, f.Revs&^n.Revs, f.Revs)
	if free == nil {
		return test
	}
	e.usesRev = true
	return jen.Parens(free.Op("||").Add(test))
}

// value returns the statement that appends the value of a field.
func (e *encoder) value(f *ir.Field) jen.Code {
	v := jen.Id("v").Dot(f.Go)
	if f.Default != "" {
		v = jen.Qual("cmp", "Or").Call(v, jen.Lit(f.Default))
	}
	t := *f.Type
	if t.Ptr && t.Kind != ir.KindStruct && t.Kind != ir.KindError {
		v = jen.Op("*").Add(v)
	}
	assign := jen.Id("b").Op("=").Add(e.appendCall(&t, v))
	if !t.Ptr || !t.Null || f.Required == 0 {
		return assign
	}
	return jen.If(jen.Id("v").Dot(f.Go).Op("==").Nil()).
		Block(jenutil.AppendText("null")).Else().Block(assign)
}

var appendFuncs = map[ir.Kind]string{
	ir.KindString: "AppendString", ir.KindBytes: "AppendBase64", ir.KindBool: "AppendBool", ir.KindInt: "AppendInt",
	ir.KindFloat: "AppendFloat", ir.KindAny: "AppendRaw", ir.KindObject: "AppendObject", ir.KindEnum: "AppendText",
}

// appendCall returns the call that appends v, a value of type t.
func (e *encoder) appendCall(t *ir.Type, v *jen.Statement) *jen.Statement {
	b, rev := jen.Id("b"), revFor(t.Name)
	switch t.Kind {
	case ir.KindID, ir.KindError:
		return v.Dot("AppendJSON").Call(b)
	case ir.KindStruct:
		e.usesRev = true
		return v.Dot("AppendJSON").Call(b, rev)
	case ir.KindUnion:
		e.usesRev = true
		return funcName("Append", t.Name).Call(b, rev, v)
	case ir.KindOneOrMany:
		e.usesRev = true
		many := revIn(e.p, t.Many, e.s.Revs)
		if many == nil {
			many = jen.True()
		}
		return jenutil.Wire("AppendOneOrMany").Call(b, revFor(t.Elem.Name), v, many, funcName("Append", t.Elem.Name))
	case ir.KindList:
		return e.appendAll(t.Elem, v, "AppendSlice", "AppendList", "AppendUnions")
	case ir.KindMap:
		return e.appendAll(t.Elem, v, "AppendMap", "AppendStructMap", "AppendUnionMap")
	default:
		return jenutil.Wire(appendFuncs[t.Kind]).Call(b, v)
	}
}

// appendAll returns the call that appends a list or map whose elements have type elem.
func (e *encoder) appendAll(elem *ir.Type, v *jen.Statement, plain, structs, unions string) *jen.Statement {
	b, rev := jen.Id("b"), revFor(elem.Name)
	switch elem.Kind {
	case ir.KindStruct:
		e.usesRev = true
		return jenutil.Wire(structs).Call(b, rev, v)
	case ir.KindUnion:
		e.usesRev = true
		return jenutil.Wire(unions).Call(b, rev, v, funcName("Append", elem.Name))
	case ir.KindEnum:
		return jenutil.Wire(plain).Call(b, v, jenutil.Wire("AppendText").Index(typeName(elem.Name)))
	case ir.KindString:
		if plain == "AppendSlice" {
			return jenutil.Wire("AppendStrings").Call(b, v)
		}
	}
	return jenutil.Wire(plain).Call(b, v, elemAppender(elem))
}

func elemAppender(elem *ir.Type) *jen.Statement {
	switch elem.Kind {
	case ir.KindID:
		return jenutil.Wire("AppendID")
	case ir.KindAny:
		return jenutil.Wire("AppendAny")
	default:
		return jenutil.Wire(appendFuncs[elem.Kind])
	}
}
