package snip

import (
	"go/ast"
	"go/parser"

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
	case ir.GoStruct, ir.GoInterface:
		return typeText(t)
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

// typeText returns an anonymous struct or interface type from its source, which must be just that.
func typeText(t *ir.GoType) *jen.Statement {
	expr, err := parser.ParseExpr(t.Text)
	if err != nil || int(expr.End()-expr.Pos()) != len(t.Text) {
		panic(BadIRError{"not a type", t.Text})
	}
	switch expr.(type) {
	case *ast.StructType, *ast.InterfaceType:
		return jen.Id(t.Text)
	}
	panic(BadIRError{"not a struct or interface type", t.Text})
}
