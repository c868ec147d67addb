package gotype

import (
	"go/types"
	"slices"
	"strings"
)

// SelectorOf is selector for a path through embedded fields.
func (b *Scope) SelectorOf(t types.Type, path []*types.Var) (string, bool) {
	names, hidden := make([]string, len(path)), false
	for i, v := range path {
		names[i] = v.Name()
		hidden = hidden || !v.Exported() && v.Pkg().Path() != b.Pkg.Path
	}
	if !hidden {
		return strings.Join(names, "."), true
	}
	last := path[len(path)-1]
	obj, _, _ := types.LookupFieldOrMethod(t, true, b.Pkg.Types, last.Name())
	return last.Name(), obj == last && obj.Exported()
}

// Writable is namable for a type whose parts without a name are written out.
func (b *Scope) Writable(t types.Type) bool {
	switch t := t.(type) {
	case *types.Named:
		if !b.reachable(t.Obj()) {
			return false
		}
		for arg := range t.TypeArgs().Types() {
			if !b.Writable(arg) {
				return false
			}
		}
		return true
	case *types.Struct:
		for f := range t.Fields() {
			if !f.Exported() && f.Pkg().Path() != b.Pkg.Path || !b.Writable(f.Type()) {
				return false
			}
		}
		return true
	case *types.Interface:
		for m := range t.Methods() {
			if !m.Exported() && m.Pkg().Path() != b.Pkg.Path || !b.Writable(m.Signature()) {
				return false
			}
		}
		return true
	case *types.Signature:
		return b.allWritable(t.Params()) && b.allWritable(t.Results())
	case *types.Map:
		return b.Writable(t.Key()) && b.Writable(t.Elem())
	case interface{ Elem() types.Type }: // pointers, lists, channels
		return b.Writable(t.Elem())
	}
	return b.Namable(t)
}

func (b *Scope) allWritable(list *types.Tuple) bool {
	for v := range list.Variables() {
		if !b.Writable(v.Type()) {
			return false
		}
	}
	return true
}

// Namable reports whether generated code can write t.
func (b *Scope) Namable(t types.Type) bool {
	switch t := t.(type) {
	case *types.Alias:
		return b.reachable(t.Obj()) && b.allNamable(t.TypeArgs()) || b.Namable(t.Rhs())
	case *types.Basic:
		return true
	case *types.Named:
		return b.reachable(t.Obj()) && b.allNamable(t.TypeArgs())
	case *types.Pointer:
		return b.Namable(t.Elem())
	case *types.Slice:
		return b.Namable(t.Elem())
	case *types.Array:
		return b.Namable(t.Elem())
	case *types.Map:
		return b.Namable(t.Key()) && b.Namable(t.Elem())
	case *types.Interface:
		return t.Empty()
	}
	return false
}

func (b *Scope) allNamable(list *types.TypeList) bool {
	for t := range list.Types() {
		if !b.Namable(t) {
			return false
		}
	}
	return true
}

// reachable reports whether generated code may refer to a type by its name: it stands at the top of its package,
// is exported or of the package itself, and that package may be imported.
func (b *Scope) reachable(obj *types.TypeName) bool {
	pkg := obj.Pkg()
	switch {
	case pkg == nil || obj.Parent() != pkg.Scope():
		return pkg == nil
	case pkg.Path() == b.Pkg.Path:
		return true
	}
	return obj.Exported() && pkg.Name() != "main" && importableFrom(pkg.Path(), b.Pkg.Path)
}

// importableFrom reports whether the package at from may import the one at path: packages below a folder
// "internal" are for those around that folder.
func importableFrom(path, from string) bool {
	elems := strings.Split(path, "/")
	if elems[0] == "vendor" { // of the standard library
		return false
	}
	for i, elem := range slices.Backward(elems) {
		if elem == "internal" {
			parent := strings.Join(elems[:i], "/")
			return parent != "" && (from == parent || strings.HasPrefix(from, parent+"/"))
		}
	}
	return true
}

// IsEnum reports whether the type has an enum directive.
func (b *Scope) IsEnum(obj *types.TypeName) bool { return b.Res.IsEnum(obj) }
