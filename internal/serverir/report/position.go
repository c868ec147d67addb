package report

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// TypeNode is the source of a type; nil if that was not read.
func (b *Reporter) TypeNode(obj *types.TypeName) (*ast.TypeSpec, *ast.GenDecl) {
	pkg := b.Res.PackageOf(obj)
	if pkg == nil {
		return nil, nil
	}
	for _, f := range pkg.Files {
		for _, d := range f.AST.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, s := range gen.Specs {
				if spec := s.(*ast.TypeSpec); spec.Name.Pos() == obj.Pos() {
					return spec, gen
				}
			}
		}
	}
	return nil, nil
}

// PackageName is where the first file with a directive names the package.
func (b *Reporter) PackageName() (from, to token.Pos) {
	id := b.Pkg.Decls[0].File.AST.Name
	return id.Pos(), id.End()
}

// AddTag adds a key to the tag of a field.
func (b *Reporter) AddTag(v *types.Var, text string) func(*diag.Diagnostic) {
	f := b.FieldNode(v)
	switch {
	case f == nil || len(f.Names) != 1:
		return func(*diag.Diagnostic) {}
	case f.Tag == nil:
		return b.Edit(f.Type.End(), f.Type.End(), " `"+text+"`")
	case strings.HasPrefix(f.Tag.Value, "`"):
		return b.Edit(f.Tag.End()-1, f.Tag.End()-1, " "+text)
	}
	return func(*diag.Diagnostic) {}
}

// FieldNode returns the source of a field, or nil if its package was not read from source.
func (b *Reporter) FieldNode(v *types.Var) *ast.Field {
	pkg := b.Res.PackageOf(v)
	if pkg == nil {
		return nil
	}
	return pkg.FieldAt(v.Pos())
}

// TagRange is the place of one key with its value in the tag of a field, or of the whole tag if that
// is written with escapes; invalid if its source is not known.
func (b *Reporter) TagRange(v *types.Var, key string) (from, to token.Pos) {
	f := b.FieldNode(v)
	if f == nil || f.Tag == nil {
		return token.NoPos, token.NoPos
	}
	text, raw := strings.CutPrefix(f.Tag.Value, "`")
	text = strings.TrimSuffix(text, "`")
	start, end := source.TagKey(text, key)
	if !raw || start < 0 {
		return f.Tag.Pos(), f.Tag.End()
	}
	return f.Tag.Pos() + token.Pos(1+start), f.Tag.Pos() + token.Pos(1+end)
}

// FuncNamed is the function or method of the package with that name, or nil.
func (b *Reporter) FuncNamed(name string) *ast.Ident {
	for _, f := range b.Pkg.Files {
		for _, d := range f.AST.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == name {
				return fn.Name
			}
		}
	}
	return nil
}

// FieldOr is where field f is declared, or the parameter p if that is not in a package that is read
// from source.
func (b *Reporter) FieldOr(f, p *types.Var) (from, to token.Pos) {
	if b.Res.PackageOf(f) == nil {
		return source.ParamRange(p)
	}
	return source.ParamRange(f)
}
