package publicapi

import (
	"go/types"
	"slices"
	"strings"
)

// lines describes the exported API of a package: a line for each constant, variable, function, type, field and method.
func lines(p *types.Package) []string {
	var out []string
	name := func(q *types.Package) string { return map[bool]string{false: q.Name()}[q == p] }
	for _, obj := range exported(p) {
		line := types.ObjectString(obj, name)
		if c, ok := obj.(*types.Const); ok {
			line += " = " + c.Val().ExactString()
		}
		typ, ok := obj.(*types.TypeName)
		if ok && !typ.IsAlias() {
			line, _, _ = strings.Cut(line, "{")
			out = append(out, members(typ.Type().(*types.Named), obj.Name(), name)...)
		}
		out = append(out, strings.TrimSpace(line))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// members describes the exported fields and methods of a type, those of embedded fields included.
func members(typ *types.Named, of string, name types.Qualifier) (out []string) {
	switch under := typ.Underlying().(type) {
	case *types.Struct:
		for f := range under.Fields() {
			if f.Exported() {
				out = append(out, "field "+of+"."+f.Name()+" "+types.TypeString(f.Type(), name))
			}
		}
	case *types.Interface:
		for m := range under.Methods() {
			out = append(out, method(of, m, name))
		}
		if !under.IsMethodSet() {
			out = append(out, "union "+of+" "+types.TypeString(under, name))
		}
		return out
	}
	set := types.NewMethodSet(types.NewPointer(typ))
	for sel := range set.Methods() {
		if sel.Obj().Exported() {
			out = append(out, method(of, sel.Obj().(*types.Func), name))
		}
	}
	return out
}

func method(of string, m *types.Func, name types.Qualifier) string {
	if !m.Exported() {
		return "method " + of + "." + m.Name() + " (unexported)"
	}
	return "method " + of + "." + m.Name() + strings.TrimPrefix(types.TypeString(m.Type(), name), "func")
}
