package publicapi

import (
	"go/types"
	"strings"
	"testing"
)

// shownInternal are the exported names that stand for an internal type, with the reason. Package mcp imports the
// internal packages, so these types cannot be declared in it.
var shownInternal = map[string]string{
	"mcp.AnswerError":            "errors pass through code of the program, and must be of one type on both sides",
	"mcp.ArgumentsError":         "as AnswerError",
	"mcp.ClientError":            "as AnswerError",
	"mcp.MissingCapabilityError": "as AnswerError",
	"mcp.VarError":               "as AnswerError",
	"mcp.ClientCapability":       "the type of a field of MissingCapabilityError",
	"mcp.Call.Vars":              "generated code reads variables of a URI through mcprt.Call, whose fields these are",
}

// TestNoInternalType: no signature, field, variable or constant that users see has a type of an internal package.
func TestNoInternalType(t *testing.T) {
	used := map[string]bool{}
	for _, p := range publicPackages(t) {
		for _, obj := range exported(p) {
			for what, shown := range shownTypes(obj) {
				name := p.Name() + "." + what
				leaked := internalIn(shown)
				switch {
				case leaked != "" && shownInternal[name] == "":
					t.Errorf("%s shows %s, a type of an internal package", name, leaked)
				case leaked != "":
					used[name] = true
				}
			}
		}
	}
	for name := range shownInternal {
		if !used[name] {
			t.Errorf("%s shows no internal type any more: remove it from the exceptions", name)
		}
	}
}

// shownTypes returns the types that an object shows to users: its own, or those of its members.
func shownTypes(obj types.Object) map[string]types.Type {
	name, isType := obj.(*types.TypeName)
	if !isType {
		return map[string]types.Type{obj.Name(): obj.Type()}
	}
	if alias, ok := name.Type().(*types.Alias); ok {
		return map[string]types.Type{obj.Name(): alias.Rhs()}
	}
	named := name.Type().(*types.Named)
	out := map[string]types.Type{}
	switch under := named.Underlying().(type) {
	case *types.Struct:
		for f := range under.Fields() {
			if f.Exported() {
				out[obj.Name()+"."+f.Name()] = f.Type()
			}
		}
	case *types.Interface:
		for m := range under.ExplicitMethods() {
			if m.Exported() {
				out[obj.Name()+"."+m.Name()] = m.Type()
			}
		}
		for e := range under.EmbeddedTypes() {
			out[obj.Name()+" embeds "+e.String()] = e
		}
	default:
		out[obj.Name()] = under
	}
	set := types.NewMethodSet(types.NewPointer(named))
	for m := range set.Methods() {
		if m.Obj().Exported() {
			out[obj.Name()+"."+m.Obj().Name()] = m.Obj().Type()
		}
	}
	return out
}

// internalIn returns the first internal type that a type is written with, or "". It does not look into types that have
// a name in a package for users.
func internalIn(t types.Type) (found string) {
	all := func(tuple *types.Tuple) {
		for v := range tuple.Variables() {
			found = first(found, internalIn(v.Type()))
		}
	}
	switch t := t.(type) {
	case *types.Alias:
		return ofInternal(t.Obj())
	case *types.Named:
		found = ofInternal(t.Obj())
		for arg := range t.TypeArgs().Types() {
			found = first(found, internalIn(arg))
		}
	case *types.Map:
		return first(internalIn(t.Key()), internalIn(t.Elem()))
	case *types.Signature:
		all(t.Params())
		all(t.Results())
		for p := range t.TypeParams().TypeParams() {
			found = first(found, internalIn(p.Constraint()))
		}
	case *types.Struct:
		for f := range t.Fields() {
			found = first(found, internalIn(f.Type()))
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			found = first(found, internalIn(m.Type()))
		}
	case interface{ Elem() types.Type }: // a pointer, slice, array or channel
		return internalIn(t.Elem())
	}
	return found
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func ofInternal(name *types.TypeName) string {
	if pkg := name.Pkg(); pkg != nil && strings.Contains(pkg.Path()+"/", "/internal/") {
		return pkg.Name() + "." + name.Name()
	}
	return ""
}
