package server

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitBuilder writes the typed URI builder of a template.
//
//	// NoteURI returns the URI of a resource notes:///{name}.
//	func NoteURI(name string) string {
//		b := append(make([]byte, 0, 64), "notes:///"...)
//		b = wire.AppendSegment(b, name)
//		return string(b)
//	}
//
// Lists that show instances and topics append URIs to a buffer of theirs, and the builder shares the code:
//
//	func NoteURI(name string) string {
//		return string(appendNoteURI(make([]byte, 0, 64), name))
//	}
//
//	// appendNoteURI appends NoteURI(name) to b.
//	func appendNoteURI(b []byte, name string) []byte {
//		b = append(b, "notes:///"...)
//		return wire.AppendSegment(b, name)
//	}
func emitBuilder(f *serverFile, r *ir.Resource) {
	if r.Template == nil || !f.first(r.Names.URI) {
		return
	}
	doc := []string{r.Names.URI + " returns the URI of a resource " + r.URI + "."}
	if omits := omittedNote(r, f.localNames(r)); omits != "" {
		doc = append(doc, omits)
	}
	f.note(doc...)
	names, room := f.localNames(r), jen.Make(jen.Index().Byte(), jen.Lit(0), jen.Lit(capacity(r)))
	builder := f.Func().Add(jenutil.Ident(r.Names.URI)).Params(paramList(f.varParams(r))...).String()
	text := func(b jen.Code) jen.Code { return jen.Return(jen.String().Call(b)) }
	called := f.appendName(r)
	if called == "" {
		u := uriBuilder{r: r, names: names, room: room}
		builder.Block(append(u.build(), text(jen.Id("b")))...)
		return
	}
	builder.Block(text(jenutil.Ident(called).Call(append([]jen.Code{room}, idents(names)...)...)))
	f.note(called + " appends " + r.Names.URI + "(" + strings.Join(names, ", ") + ") to b.")
	u := uriBuilder{r: r, names: names}
	params := append([]jen.Code{jen.Id("b").Index().Byte()}, paramList(f.varParams(r))...)
	f.Func().Add(jenutil.Ident(called)).Params(params...).Index().Byte().
		Block(append(u.build(), jen.Return(jen.Id("b")))...)
}

// appendName is the function that appends URIs of r, if a server of the package needs it.
func (f *serverFile) appendName(r *ir.Resource) string {
	if f.appends == nil {
		f.appends = map[string]string{}
		for _, s := range f.pkg.Servers {
			for _, o := range s.Resources {
				f.appends[o.Names.URI] = cmp.Or(f.appends[o.Names.URI], o.Names.Append)
			}
		}
	}
	return f.appends[r.Names.URI]
}

// omittedNote tells which values a builder leaves out of the query.
func omittedNote(r *ir.Resource, names []string) string {
	var omitted, pointers []string
	for _, q := range r.Template.Query {
		switch v := r.Vars[q.Var]; {
		case v.Pointer:
			pointers = append(pointers, names[q.Var])
		case v.HasDefault && v.Kind == ir.VarTime:
			omitted = append(omitted, names[q.Var]+" if it is zero, which stands for "+v.Default)
		case v.HasDefault:
			omitted = append(omitted, names[q.Var]+" if it is "+defaultText(v))
		}
	}
	if pointers != nil {
		omitted = append(omitted, wordList(pointers)+" if nil")
	}
	if omitted == nil {
		return ""
	}
	return "It leaves out " + wordList(omitted) + "."
}

// defaultText is a default for readers: text in quotes, other values as they are.
func defaultText(v *ir.Var) string {
	if v.Kind == ir.VarString || v.Kind == ir.VarText {
		return strconv.Quote(v.Default)
	}
	return v.Default
}

// uriBuilder collects the statements of a builder's body. lit is text that has not been written yet, and room
// makes the buffer, which else is a parameter.
type uriBuilder struct {
	r     *ir.Resource
	names []string
	room  jen.Code
	lit   string
	begun bool
	body  []jen.Code
}

func (u *uriBuilder) build() []jen.Code {
	u.lit = u.r.Template.Scheme + "://"
	if u.r.Template.Opaque {
		u.lit = u.r.Template.Scheme + ":"
	}
	for i, seg := range u.r.Template.Segments {
		if i > 0 {
			u.lit += "/"
		}
		for _, part := range seg {
			if part.Var < 0 {
				u.lit += part.Lit
				continue
			}
			u.path(u.r.Vars[part.Var], part.Var)
		}
	}
	u.flush()
	for _, q := range u.r.Template.Query {
		u.add(queryCode(u.r.Vars[q.Var], q.Param, u.names[q.Var]))
	}
	return u.body
}

func (u *uriBuilder) add(code jen.Code) { u.body = append(u.body, code) }

// flush writes the literal text that has come together.
//
//	b := append(make([]byte, 0, 64), "notes:///"...)
//	b = append(b, '/')
func (u *uriBuilder) flush() {
	text := u.lit
	u.lit = ""
	switch {
	case !u.begun && u.room != nil:
		u.begun = true
		u.add(jen.Id("b").Op(":=").Append(u.room, jenutil.Spread(jen.Lit(text))))
	case len(text) == 1:
		u.add(jenutil.Append("b", jen.LitRune(rune(text[0]))))
	case text != "":
		u.add(jenutil.Append("b", jenutil.Spread(jen.Lit(text))))
	}
}

// path writes a variable of the path. Before each element of a list stands a slash.
//
//	b = wire.AppendSegment(b, name)
func (u *uriBuilder) path(v *ir.Var, i int) {
	name := u.names[i]
	if v.Kind == ir.VarSlice {
		u.lit = strings.TrimSuffix(u.lit, "/")
		u.flush()
		u.add(jen.For(jen.List(jen.Id("_"), jen.Id("e")).Op(":=").Range().Add(jenutil.Ident(name))).Block(
			jenutil.Append("b", jen.LitRune('/')),
			segmentText(v, textOf(v.Elem, jen.Id("e")))))
		return
	}
	u.flush()
	u.add(segmentText(v, varText(v, jenutil.Ident(name))))
}

// segmentText appends the text of v or of an element of it, encoded as the template asks.
func segmentText(v *ir.Var, text jen.Code) jen.Code {
	args := []jen.Code{jen.Id("b"), text}
	form := "AppendSegment"
	switch {
	case v.Op == uritemplate.OpReserved && v.Kind != ir.VarSlice:
		form = "AppendReserved"
	case separators(v) != "":
		form = "AppendSegmentBut"
		args = append(args, jen.Lit(separators(v)))
	}
	return jen.Id("b").Op("=").Add(jenutil.Wire(form)).Call(args...)
}

// separators are the characters that the builder must encode and that a value of v can have.
func separators(v *ir.Var) string {
	can := func(alphabet string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(alphabet, r) {
				return r
			}
			return -1
		}, v.Escape)
	}
	switch v.Kind {
	case ir.VarUint:
		return can("0123456789")
	case ir.VarInt:
		return can("-0123456789")
	case ir.VarBool:
		return can("truefalse")
	case ir.VarEnum:
		return can(strings.Join(v.Values, ""))
	}
	return v.Escape
}

// queryCode writes a variable of the query, unless the URI means the same without it.
//
//	if limit != 100 {
//		b = wire.AppendParam(b, "limit", strconv.Itoa(limit))
//	}
func queryCode(v *ir.Var, param, name string) jen.Code {
	write := func(text jen.Code) jen.Code {
		return jen.Id("b").Op("=").Add(jenutil.Wire("AppendParam")).Call(jen.Id("b"), jen.Lit(param), text)
	}
	switch {
	case v.Kind == ir.VarSlice:
		each := jen.List(jen.Id("_"), jen.Id("e")).Op(":=").Range().Add(jenutil.Ident(name))
		return jen.For(each).Block(write(textOf(v.Elem, jen.Id("e"))))
	case v.Pointer:
		return jen.If(jenutil.Ident(name).Op("!=").Nil()).Block(write(varText(v, jenutil.Ident(name))))
	case v.HasDefault && v.Kind == ir.VarText:
		text := jen.Id("p").Op(":=").Add(varText(v, jenutil.Ident(name)))
		return jen.If(text, jen.Id("p").Op("!=").Lit(v.Default)).Block(write(jen.Id("p")))
	case v.HasDefault && v.Kind == ir.VarBool:
		return jen.If(differs(v, jenutil.Ident(name))).Block(write(jen.Lit(strconv.FormatBool(!isTrue(v.Default)))))
	case v.HasDefault:
		return jen.If(differs(v, jenutil.Ident(name))).Block(write(varText(v, jenutil.Ident(name))))
	}
	return write(varText(v, jenutil.Ident(name)))
}

// capacity is how many bytes a builder makes room for: enough for usual values.
func capacity(r *ir.Resource) int {
	n := len(r.URI)
	for _, v := range r.Vars {
		n += 24
		if v.Kind == ir.VarSlice || v.Op == uritemplate.OpReserved {
			n += 40
		}
	}
	size := 64
	for size < n {
		size *= 2
	}
	return size
}

// emitParser writes the inverse of the builder, and the struct that it returns.
//
//	func ParseNoteURI(uri string) (NoteVars, error) {
//		var v mcprt.Vars
//		if routeNotes(uri, &v) != notesNote {
//			return NoteVars{}, mcprt.NotFound(uri)
//		}
//		return readNoteVars(&v)
//	}
func emitParser(f *serverFile, s *ir.Server, r *ir.Resource) {
	if r.Template == nil || !f.first(r.Names.Parse) {
		return
	}
	vars := jenutil.AddrOf(jen.Id("v"))
	emitVarsType(f, r)
	wrong := []jen.Code{jenutil.Ident(r.Names.Vars).Values(), jenutil.RT("NotFound").Call(jen.Id("uri"))}

	f.note(r.Names.Parse + " returns the variables of a URI " + r.URI +
		". It fails if uri is of another form or has a value out of range.")
	f.Func().Add(jenutil.Ident(r.Names.Parse)).Params(jen.Id("uri").String()).
		Params(jenutil.Ident(r.Names.Vars), jen.Error()).
		Block(
			jen.Var().Id("v").Add(jenutil.RT("Vars")),
			jen.If(jenutil.Ident(s.Names.Route).Call(jen.Id("uri"),
				vars).Op("!=").Add(jenutil.Ident(r.Names.Place))).Block(jen.Return(wrong...)),
			jen.Return(jenutil.Ident(r.Names.ReadVars).Call(jenutil.AddrOf(jen.Id("v")))))
}
