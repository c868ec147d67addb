package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strconv"
)

// takenNames are the names that some files of a package have, and what each stands for. Declarations count before
// imports, and of several files the first counts.
type takenNames map[string]types.Object

// addFile adds the names of one file of a package.
func (t takenNames) addFile(pkg *types.Package, f *ast.File) {
	eachDeclared(f, func(id *ast.Ident, _ ast.Node) { t.declare(pkg, id) })
	for _, spec := range f.Imports {
		t.addImport(pkg, spec)
	}
}

func (t takenNames) declare(pkg *types.Package, id *ast.Ident) {
	_, isImport := t[id.Name].(*types.PkgName)
	if id.Name != "_" && id.Name != "init" && (isImport || t[id.Name] == nil) {
		t[id.Name] = types.NewVar(id.Pos(), pkg, id.Name, types.Typ[types.Invalid])
	}
}

// addImport adds the name of an import; without one that is taken for the last part of its path.
func (t takenNames) addImport(pkg *types.Package, spec *ast.ImportSpec) {
	from, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return
	}
	name := path.Base(from)
	if spec.Name != nil {
		name = spec.Name.Name
	}
	if token.IsIdentifier(name) && name != "_" && t[name] == nil {
		t[name] = types.NewPkgName(spec.Pos(), pkg, name, types.NewPackage(from, name))
	}
}
