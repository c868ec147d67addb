package server

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitRef writes the type that listers yield, and the function that gives it its URI.
//
//	// NoteRef names one resource notes:///{name} in a list.
//	type NoteRef struct {
//		// Name is the variable name.
//		Name string
//		// RefInfo is what the list says about this one; empty fields but Title are taken from the template.
//		mcp.RefInfo
//	}
//
//	// noteEntry is what lists say about r; it appends the URI to b.
//	func noteEntry(b []byte, r NoteRef) mcprt.Ref {
//		return mcprt.Ref{URI: appendNoteURI(b, r.Name), Name: r.Name, Info: mcprt.RefInfo(r.RefInfo)}
//	}
func emitRef(f *serverFile, r *ir.Resource) {
	if r.List == nil || r.List.Walk || !f.first(r.Names.Ref) {
		return
	}
	args := []jen.Code{jen.Id("b")}
	var fields []jen.Code
	for _, v := range r.Vars {
		fields = append(fields, jenutil.Note(refDoc(v)), jenutil.Ident(v.GoName).Add(jenutil.GoType(refType(v))))
		args = append(args, refArg(v))
	}
	fields = append(fields,
		jenutil.Note("RefInfo is what the list says about this one; empty fields but Title are taken from the template."),
		jenutil.MCP("RefInfo"))
	f.note(r.Names.Ref + " names one resource " + r.URI + " in a list.")
	f.Type().Add(jenutil.Ident(r.Names.Ref)).Struct(fields...)
	if !f.first(r.Names.Entry) {
		return
	}
	var m jenutil.Members
	m.Add("URI", jenutil.Ident(f.appendName(r)).Call(args...))
	if name := refName(r); name != nil {
		m.Add("Name", name)
	}
	m.Add("Info", jenutil.RT("RefInfo").Call(jen.Id("r").Dot("RefInfo")))
	literal := m.Inline()
	if len(r.Vars) > 1 {
		literal = m.Lines("")
	}
	f.note(r.Names.Entry + " is what lists say about r; it appends the URI to b.")
	f.Func().Add(jenutil.Ident(r.Names.Entry)).Params(jen.Id("b").Index().Byte(),
		jen.Id("r").Add(jenutil.Ident(r.Names.Ref))).Add(jenutil.RT("Ref")).
		Block(jen.Return(jenutil.RT("Ref").Add(literal)))
}

// refDoc is the comment of a field of a reference.
func refDoc(v *ir.Var) string {
	doc := v.GoName + " is the variable " + v.Name
	switch {
	case v.Pointer:
		doc += "; nil leaves it out"
	case trueByDefault(v):
		doc += "; nil stands for true"
	case zeroIsDefault(v) || v.HasDefault && v.Kind == ir.VarTime:
		doc += "; zero stands for " + defaultText(v)
	}
	if v.Desc != "" {
		return doc + ": " + strings.TrimSuffix(v.Desc, ".") + "."
	}
	return doc + "."
}

// trueByDefault says that the zero value of a boolean is not its default.
func trueByDefault(v *ir.Var) bool {
	return v.Kind == ir.VarBool && v.HasDefault && !v.Pointer && isTrue(v.Default)
}

// zeroIsDefault says that a reference replaces the zero value by the default.
func zeroIsDefault(v *ir.Var) bool {
	switch v.Kind {
	case ir.VarBool, ir.VarTime, ir.VarText, ir.VarSlice:
		return false
	}
	return v.HasDefault && !v.Pointer
}

// refType is the type of a field of a reference.
func refType(v *ir.Var) *ir.GoType {
	if trueByDefault(v) {
		return &ir.GoType{Kind: ir.GoPointer, Elem: v.Type}
	}
	return paramType(v)
}

// refArg is the argument of the builder for a field of a reference.
//
//	cmp.Or(r.Limit, 100)
func refArg(v *ir.Var) jen.Code {
	field := jen.Id("r").Dot(jenutil.Name(v.GoName))
	switch {
	case trueByDefault(v):
		return field.Clone().Op("==").Nil().Op("||").Add(jenutil.Deref(field))
	case zeroIsDefault(v):
		return jen.Qual("cmp", "Or").Call(field, valueLit(v, v.Default))
	}
	return field
}

// refName is what programs call an instance: the variables of the path with slashes between them.
// It is nil if there are none.
//
//	r.Project + "/" + strconv.Itoa(r.Number)
func refName(r *ir.Resource) *jen.Statement {
	var name *jen.Statement
	for _, v := range r.Vars {
		text := refText(v)
		switch {
		case text == nil:
		case name == nil:
			name = text
		default:
			name = name.Op("+").Lit("/").Op("+").Add(text)
		}
	}
	return name
}

// refText is the text of a variable of the path in a reference; nil for one of the query, and for a
// list of anything but strings.
func refText(v *ir.Var) *jen.Statement {
	field := jen.Id("r").Dot(jenutil.Name(v.GoName))
	switch {
	case v.Op.InQuery():
		return nil
	case v.Kind != ir.VarSlice:
		return varText(v, field)
	case isBasic(v.Elem.Type, "string"):
		return jen.Qual("strings", "Join").Call(field, jen.Lit("/"))
	}
	return nil
}
