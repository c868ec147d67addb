package jenutil

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// GoType returns a Go type as source names it: *Notes, []string, iter.Seq2[NoteRef, error].
func GoType(t *ir.GoType) *jen.Statement {
	switch t.Kind {
	case ir.GoPointer:
		return PtrTo(GoType(t.Elem))
	case ir.GoSlice:
		return jen.Index().Add(GoType(t.Elem))
	case ir.GoArray:
		return jen.Index(jen.Lit(int(t.Len))).Add(GoType(t.Elem))
	case ir.GoMap:
		return jen.Map(GoType(t.Key)).Add(GoType(t.Elem))
	case ir.GoChan:
		return chanType(t)
	case ir.GoFunc:
		return jen.Func().Params(paramTypes(t)...).Add(results(t))
	case ir.GoStruct:
		return structType(t)
	case ir.GoInterface:
		return interfaceType(t)
	}
	return namedType(t)
}

func namedType(t *ir.GoType) *jen.Statement {
	name := Ident(t.Name)
	if t.Path != "" {
		name = jen.Qual(t.Path, t.Name)
	}
	if len(t.Args) == 0 {
		return name
	}
	return name.Types(GoTypes(t.Args)...)
}

// GoTypes returns the types of a list.
func GoTypes(list []*ir.GoType) []jen.Code {
	var out []jen.Code
	for _, t := range list {
		out = append(out, GoType(t))
	}
	return out
}

func chanType(t *ir.GoType) *jen.Statement {
	elem := GoType(t.Elem)
	switch t.Dir {
	case 1:
		return jen.Chan().Op("<-").Parens(elem)
	case 2:
		return jen.Op("<-").Chan().Add(elem)
	}
	return jen.Chan().Parens(elem)
}

// paramTypes are the parameters of a function type; the slice of a variadic one turns into ...T.
func paramTypes(t *ir.GoType) []jen.Code {
	out := GoTypes(t.Params)
	if last := len(out) - 1; t.Variadic && last >= 0 {
		out[last] = jen.Op("...").Add(GoType(t.Params[last].Elem))
	}
	return out
}

// results are nothing for no result, T for one, (T, error) for several.
func results(t *ir.GoType) jen.Code {
	switch len(t.Results) {
	case 0:
		return jen.Null()
	case 1:
		return GoType(t.Results[0])
	}
	return jen.Params(GoTypes(t.Results)...)
}

// structType returns struct{ A int; B string }.
func structType(t *ir.GoType) *jen.Statement {
	if len(t.Fields) == 0 {
		return jen.Struct()
	}
	var fields []jen.Code
	for _, f := range t.Fields {
		field := GoType(f.Type)
		if f.Name != "" {
			field = Ident(f.Name).Add(field)
		}
		if f.Tag != "" {
			field = field.Lit(f.Tag)
		}
		fields = append(fields, field)
	}
	return jen.Custom(jen.Options{Open: "struct{ ", Close: " }", Separator: "; "}, fields...)
}

// Method returns a method of an interface: Close() error.
func Method(name string, t *ir.GoType) *jen.Statement {
	return Ident(name).Params(paramTypes(t)...).Add(results(t))
}

// interfaceType returns interface{ io.Reader; Close() error }.
func interfaceType(t *ir.GoType) *jen.Statement {
	if len(t.Fields) == 0 {
		return jen.Interface()
	}
	var methods []jen.Code
	for _, f := range t.Fields {
		if f.Name == "" {
			methods = append(methods, GoType(f.Type))
			continue
		}
		methods = append(methods, Method(f.Name, f.Type))
	}
	return jen.Custom(jen.Options{Open: "interface{ ", Close: " }", Separator: "; "}, methods...)
}
