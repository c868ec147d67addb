package server

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitStruct writes what keeps or gives the values of an annotated struct, and how clients see one.
func emitStruct(f *serverFile, s *ir.Server, r *ir.Resource) {
	if r.Struct == nil || !f.first(r.Struct.Names.Keeper) {
		return
	}
	switch r.Struct.Kind {
	case ir.StructHolder:
		emitHolder(f, r)
	case ir.StructStore:
		emitStore(f, r)
	case ir.StructSource:
		emitSource(f, s, r)
	}
	emitStructEntry(f, r)
	emitStructContents(f, r)
}

// implFields are the fields of Impl structs that take what keeps the values of r: ConfigImpl.Settings.
func (f *serverFile) implFields(r *ir.Resource) string {
	var fields []string
	for _, s := range f.pkg.Servers {
		if slices.ContainsFunc(s.Receivers, func(x ir.Receiver) bool { return x.Doc != "" && x.Field == r.Struct.Field }) {
			fields = append(fields, s.Names.Impl+"."+r.Struct.Field)
		}
	}
	return wordList(fields)
}

// emitHolder writes the type that keeps the only value.
//
//	// SettingsHolder keeps the value of config:///settings and tells its subscribers of changes.
//	type SettingsHolder = mcp.Holder[Settings]
//
//	// NewSettingsHolder returns a holder of v, for ConfigImpl.Settings.
//	func NewSettingsHolder(v Settings) *SettingsHolder {
//		return mcprt.NewHolder(v, settingsEntry, settingsContents)
//	}
func emitHolder(f *serverFile, r *ir.Resource) {
	n := r.Struct.Names
	f.note(n.Keeper + " keeps the value of " + r.URI + " and tells its subscribers of changes.")
	f.Type().Add(jenutil.Ident(n.Keeper)).Op("=").Add(jenutil.MCP("Holder")).Types(jenutil.GoType(r.Struct.Type))
	f.note(n.New + " returns a holder of v, for " + f.implFields(r) + ".")
	f.Func().Add(jenutil.Ident(n.New)).Params(jen.Id("v").Add(jenutil.GoType(r.Struct.Type))).
		Add(jenutil.PtrTo(jenutil.Ident(n.Keeper))).Block(
		jen.Return(jenutil.RT("NewHolder").Call(jen.Id("v"), jenutil.Ident(r.Names.Entry), jenutil.Ident(n.Contents))))
}

// emitStore writes the type that keeps one value for each key.
//
//	// NoteStore keeps the values of notes:///{id} and tells clients of changes.
//	type NoteStore = mcp.Store[string, Note]
//
//	// NewNoteStore returns an empty store, for NotesImpl.Note.
//	func NewNoteStore() *NoteStore {
//		return mcprt.NewStore(mcprt.StoreConfig[string, Note]{
//			Key: func(v Note) string { return v.ID },
//			…
//		})
//	}
func emitStore(f *serverFile, r *ir.Resource) {
	n := r.Struct.Names
	key := f.structKey(r)
	types := []jen.Code{key, jenutil.GoType(r.Struct.Type)}
	emitKey(f, r)
	f.note(n.Keeper + " keeps the values of " + r.URI + " and tells clients of changes.")
	f.Type().Add(jenutil.Ident(n.Keeper)).Op("=").Add(jenutil.MCP("Store")).Types(types...)
	var m jenutil.Members
	m.Add("Key", jen.Func().Params(jen.Id("v").Add(jenutil.GoType(r.Struct.Type))).Add(key).Block(jen.Return(f.keyOf(r))))
	m.Add("Compare", f.compareCode(r))
	m.Add("Vars", f.readKey(r, r.Names.ReadVars, jen.Id("v").Add(jenutil.PtrTo(jenutil.RT("Vars"))), "v"))
	m.Add("Parse", f.readKey(r, r.Names.Parse, jen.Id("uri").String(), "uri"))
	m.Add("Entry", jenutil.Ident(r.Names.Entry))
	m.Add("Contents", jenutil.Ident(n.Contents))
	f.note(n.New + " returns an empty store, for " + f.implFields(r) + ".")
	f.Func().Add(jenutil.Ident(n.New)).Params().Add(jenutil.PtrTo(jenutil.Ident(n.Keeper))).Block(
		jen.Return(jenutil.RT("NewStore").Call(jenutil.RT("StoreConfig").Types(types...).Add(m.Lines("")))))
}

// emitKey writes the key of a struct with several variables.
//
//	// CardKey tells one Card from another: the variables of board:///{column}/{id}.
//	type CardKey = CardVars
func emitKey(f *serverFile, r *ir.Resource) {
	if r.Struct.Names.Key == "" {
		return
	}
	f.note(r.Struct.Names.Key + " tells one " + r.Struct.Type.Name + " from another: the variables of " + r.URI + ".")
	f.Type().Add(jenutil.Ident(r.Struct.Names.Key)).Op("=").Add(jenutil.Ident(r.Names.Vars))
}

// structKey is the type of the keys.
func (f *serverFile) structKey(r *ir.Resource) *jen.Statement {
	if r.Struct.Names.Key != "" {
		return jenutil.Ident(r.Struct.Names.Key)
	}
	return jenutil.GoType(r.Vars[0].Type)
}

// structField is a field of the value v: v.Base.ID.
func structField(name string) *jen.Statement { return fieldPath("v", name) }

// keyOf is the key of the value v.
//
//	CardKey{Column: v.Column, ID: v.ID}
func (f *serverFile) keyOf(r *ir.Resource) jen.Code {
	if r.Struct.Names.Key == "" {
		return structField(r.Struct.Keys[0])
	}
	var m jenutil.Members
	for i, v := range r.Vars {
		m.Add(v.GoName, structField(r.Struct.Keys[i]))
	}
	return jenutil.Ident(r.Struct.Names.Key).Add(m.Inline())
}

// readKey is a function that reads a key: the one that reads the variables, or one around it that takes the only
// variable.
//
//	func(v *mcprt.Vars) (string, error) {
//		k, err := readNoteVars(v)
//		return k.ID, err
//	}
func (f *serverFile) readKey(r *ir.Resource, read string, param jen.Code, arg string) jen.Code {
	if r.Struct.Names.Key != "" {
		return jenutil.Ident(read)
	}
	return jen.Func().Params(param).Params(f.structKey(r), jen.Error()).Block(
		jen.List(jen.Id("k"), jen.Err()).Op(":=").Add(jenutil.Ident(read)).Call(jenutil.Ident(arg)),
		jen.Return(jen.Id("k").Dot(jenutil.Name(r.Vars[0].GoName)), jen.Err()))
}

// compareCode is the order of keys: variable by variable.
//
//	func(a, b CardKey) int { return cmp.Or(cmp.Compare(a.Column, b.Column), cmp.Compare(a.ID, b.ID)) }
func (f *serverFile) compareCode(r *ir.Resource) jen.Code {
	a, b := jen.Id("a"), jen.Id("b")
	if r.Struct.Names.Key == "" {
		v := r.Vars[0]
		if compares(v) {
			return jen.Qual("cmp", "Compare").Types(f.structKey(r))
		}
		return compareFunc(f.structKey(r), compareVar(v, a, b))
	}
	var each []jen.Code
	for _, v := range r.Vars {
		each = append(each, compareVar(v, a.Clone().Dot(jenutil.Name(v.GoName)), b.Clone().Dot(jenutil.Name(v.GoName))))
	}
	return compareFunc(f.structKey(r), jen.Qual("cmp", "Or").Call(each...))
}

func compareFunc(key, result jen.Code) jen.Code {
	return jen.Func().Params(jen.List(jen.Id("a"), jen.Id("b")).Add(key)).Int().Block(jen.Return(result))
}

// compares reports whether Go itself orders values of v.
func compares(v *ir.Var) bool {
	switch v.Kind {
	case ir.VarBool, ir.VarTime, ir.VarText:
		return false
	}
	return true
}

// compareVar compares two values of a variable: those that Go does not order by their text.
func compareVar(v *ir.Var, a, b *jen.Statement) jen.Code {
	switch {
	case v.Kind == ir.VarTime:
		return a.Dot("Compare").Call(b)
	case compares(v):
		return jen.Qual("cmp", "Compare").Call(a, b)
	}
	return jen.Qual("cmp", "Compare").Call(textOf(v, a), textOf(v, b))
}

// emitStructEntry writes what lists say about a value.
//
//	// noteEntry is what lists say about v; it appends the URI to b.
//	func noteEntry(b []byte, v Note) mcprt.Ref {
//		return mcprt.Ref{
//			URI:  appendNoteURI(b, v.ID),
//			Name: v.ID,
//			Info: mcp.RefInfo{Title: v.Title, Modified: v.Updated},
//		}
//	}
func emitStructEntry(f *serverFile, r *ir.Resource) {
	if !f.first(r.Names.Entry) {
		return
	}
	var m jenutil.Members
	uri := jen.Append(jen.Id("b"), jenutil.Spread(jen.Lit(r.URI)))
	if r.Template != nil {
		args := []jen.Code{jen.Id("b")}
		for _, key := range r.Struct.Keys {
			args = append(args, structField(key))
		}
		uri = jenutil.Ident(f.appendName(r)).Call(args...)
	}
	m.Add("URI", uri)
	if name := structName(r); name != nil {
		m.Add("Name", name)
	}
	if info := refInfo(r); len(info) > 0 {
		literal := info.Inline()
		if len(info) > 3 {
			literal = info.Lines("")
		}
		m.Add("Info", jenutil.RT("RefInfo").Add(literal))
	}
	v := "v"
	if r.Template == nil && len(m) == 1 {
		v = "_"
	}
	f.note(r.Names.Entry + " is what lists say about " + map[string]string{"v": "v", "_": "the value"}[v] +
		"; it appends the URI to b.")
	f.Func().Add(jenutil.Ident(r.Names.Entry)).Params(jen.Id("b").Index().Byte(),
		jenutil.Ident(v).Add(jenutil.GoType(r.Struct.Type))).Add(jenutil.RT("Ref")).Block(
		jen.Return(jenutil.RT("Ref").Add(m.Lines(""))))
}

// structName is what programs call a value: the field tagged so, else the variables of the path.
func structName(r *ir.Resource) *jen.Statement {
	if field := r.Struct.Name; field != nil {
		return stringField(field)
	}
	var name *jen.Statement
	for i, v := range r.Vars {
		switch {
		case v.Op.InQuery():
		case name == nil:
			name = textOf(v, structField(r.Struct.Keys[i]))
		default:
			name = name.Op("+").Lit("/").Op("+").Add(textOf(v, structField(r.Struct.Keys[i])))
		}
	}
	return name
}

// stringField is a field as a string.
func stringField(field *ir.ResourceField) *jen.Statement {
	return as(field.Type, "string", structField(field.Name))
}

// refInfo is what the tagged fields say about a value.
func refInfo(r *ir.Resource) jenutil.Members {
	var m jenutil.Members
	text := func(member string, field *ir.ResourceField) {
		if field != nil {
			m.Add(member, stringField(field))
		}
	}
	s := r.Struct
	text("Title", s.Title)
	text("Description", s.Desc)
	text("MIMEType", s.MIME)
	switch {
	case s.Size != nil:
		m.Add("Size", jen.New(as(s.Size.Type, "int64", structField(s.Size.Name))))
	case s.Kind == ir.StructSource && s.Body != nil:
		m.Add("Size", jen.New(jen.Int64().Call(jen.Len(structField(s.Body.Name)))))
	}
	if s.Modified != nil {
		m.Add("Modified", structField(s.Modified.Name))
	}
	if s.Priority != nil {
		m.Add("Priority", jen.New(as(s.Priority.Type, "float64", structField(s.Priority.Name))))
	}
	if s.Audience != nil {
		m.Add("Audience", jenutil.RT("Roles").Call(jenutil.Spread(structField(s.Audience.Name))))
	}
	return m
}

// emitStructContents writes what clients read of a value.
//
//	// noteContents is what clients read of v, unless err is set.
//	func noteContents(v Note, err error) (mcprt.Contents, error) {
//		return mcprt.AsText(v.Body, err)
//	}
func emitStructContents(f *serverFile, r *ir.Resource) {
	n := r.Struct.Names.Contents
	f.note(n + " is what clients read of v, unless err is set.")
	f.Func().Add(jenutil.Ident(n)).Params(jen.Id("v").Add(jenutil.GoType(r.Struct.Type)), jen.Err().Error()).
		Params(jenutil.RT("Contents"), jen.Error()).
		Block(jen.Return(structContents(r)))
}

// structContents turns v and err into contents: mcprt.AsText(v.Body, err).
func structContents(r *ir.Resource) jen.Code {
	s := r.Struct
	value := jenutil.AddrOf(jen.Id("v"))
	if s.Body != nil {
		value = structField(s.Body.Name)
	}
	var contents *jen.Statement
	if r.Encode != nil {
		contents = jenutil.RT("EncodeContents").Call(jenutil.Ident(r.Encode.Name), value, jen.Err())
	} else {
		contents = jenutil.RT(asResult[r.Result]).Call(value, jen.Err())
	}
	if s.MIME == nil {
		return contents
	}
	return jenutil.RT("WithType").Call(stringField(s.MIME)).Call(contents)
}
