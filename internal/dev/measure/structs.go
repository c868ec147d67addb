package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"slices"
)

// owner is a type and the number of functions that belong to it.
type owner struct {
	name      string
	functions int
}

// owners returns the types of the package, those with the most functions first. A function belongs to a type if it is a
// method of it, or if it reads or writes an unexported field of it, by whatever way it comes to the field. Constructors
// do not belong to the type that they return.
func (p *pkg) owners() []owner {
	belong := make(map[string]map[token.Pos]bool)
	add := func(name string, fn *ast.FuncDecl) {
		if belong[name] == nil {
			belong[name] = make(map[token.Pos]bool)
		}
		belong[name][fn.Pos()] = true
	}
	fields := make(map[*types.Var]string)
	for _, f := range p.files {
		p.unexportedFields(f, fields)
	}
	for _, f := range p.files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if fn.Recv != nil {
				add(receiver(fn.Recv.List[0].Type), fn)
			}
			for name := range p.touched(fn, fields) {
				if !p.constructs(fn, name) {
					add(name, fn)
				}
			}
		}
	}
	var list []owner
	for name, functions := range belong {
		list = append(list, owner{name, len(functions)})
	}
	slices.SortFunc(list, func(a, b owner) int {
		return cmp.Or(cmp.Compare(b.functions, a.functions), cmp.Compare(a.name, b.name))
	})
	return list
}

// unexportedFields adds the unexported fields of structs that a file declares, with the names of their types. Fields
// of structs without a name belong to the type around them.
func (p *pkg) unexportedFields(f *ast.File, fields map[*types.Var]string) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range g.Specs {
			t, ok := s.(*ast.TypeSpec)
			if !ok {
				continue
			}
			ast.Inspect(t.Type, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok || id.IsExported() {
					return true
				}
				if v, ok := p.TypesInfo.Defs[id].(*types.Var); ok && v.IsField() {
					fields[v] = t.Name.Name
				}
				return true
			})
		}
	}
}

// touched returns the names of the types whose unexported fields a function selects, or selects something by.
func (p *pkg) touched(fn *ast.FuncDecl, fields map[*types.Var]string) map[string]bool {
	names := make(map[string]bool)
	ast.Inspect(fn, func(n ast.Node) bool {
		e, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if s := p.TypesInfo.Selections[e]; s != nil {
			for _, v := range selected(s) {
				if name, ok := fields[v.Origin()]; ok {
					names[name] = true
				}
			}
		}
		return true
	})
	return names
}

// selected returns the fields of a selection: that of its name, after the embedded ones that lead to it.
func selected(s *types.Selection) []*types.Var {
	path := s.Index()
	if s.Kind() != types.FieldVal {
		path = path[:len(path)-1] // the last is a method
	}
	var list []*types.Var
	t := s.Recv()
	for _, i := range path {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		of, ok := t.Underlying().(*types.Struct)
		if !ok {
			break
		}
		list = append(list, of.Field(i))
		t = of.Field(i).Type()
	}
	return list
}

// constructs reports whether a function is a constructor of a type: it makes a value of the type and returns one.
func (p *pkg) constructs(fn *ast.FuncDecl, name string) bool {
	f, ok := p.TypesInfo.Defs[fn.Name].(*types.Func)
	if !ok || fn.Body == nil {
		return false
	}
	returned := false
	for v := range f.Signature().Results().Variables() {
		t := v.Type()
		if pt, ok := t.(*types.Pointer); ok {
			t = pt.Elem()
		}
		n, ok := t.(*types.Named)
		returned = returned || ok && n.Obj().Pkg() == f.Pkg() && n.Obj().Name() == name
	}
	made := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			made = made || receiver(n.Type) == name
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.Ident)
			made = made || ok && f.Name == "new" && receiver(n.Args[0]) == name
		}
		return !made
	})
	return returned && made
}

// worst is how many types are printed.
const worst = 10

// printOwners prints the types of all packages to which the most functions belong.
func printOwners(w io.Writer, list []figures) {
	var all []owner
	for _, f := range list {
		for _, o := range f.owners {
			all = append(all, owner{f.path + "." + o.name, o.functions})
		}
	}
	slices.SortStableFunc(all, func(a, b owner) int { return cmp.Compare(b.functions, a.functions) })
	for _, o := range all[:min(worst, len(all))] {
		fmt.Fprintf(w, "%4d  %s\n", o.functions, o.name)
	}
}
