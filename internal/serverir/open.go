package serverir

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/load"
)

// openConstants notes a type with constants that look like a full set, although no directive says that they
// are: clients are not told about them, and other values are taken. Each type is noted once in a package.
func (w *jsonChecker) openConstants(t types.Type, field *types.Var) {
	b, obj := w.b, typeName(t)
	if w.closed || !w.in && !w.described || obj == nil || b.noted[obj] || !b.seemsClosed(t) {
		return
	}
	b.noted[obj] = true
	message := fmt.Sprintf("`%s` has constants, but it takes any %s: only `//mcp:enum` limits a type to its constants",
		b.typeText(t), map[bool]string{true: "text", false: "integer"}[isString(t)])
	spec, gen := b.typeNode(obj)
	if spec == nil || obj.Pkg().Path() != b.pkg.Path {
		better := fmt.Sprintf("write //mcp:enum above `%s`, or limit the field with jsonschema:\"enum=…\"", b.typeText(t))
		if b.res.PackageOf(obj) == nil {
			better = "limit the field with jsonschema:\"enum=…\", or use a type of your own with //mcp:enum"
		}
		b.report("MCP408", w.from, w.to, message, append(w.at(field), fix(better))...)
		return
	}
	options := []func(*diag.Diagnostic){fix("write //mcp:enum above the type, or //mcp:allow MCP408 and the reason")}
	if w.from.IsValid() {
		options = append(options, b.related(w.from, w.to, "used here"))
	}
	b.report("MCP408", spec.Name.Pos(), spec.Name.End(), message, append(options, b.insertEnum(spec, gen))...)
}

// insertEnum is an edit that writes an enum directive above a type, as gofmt would lay it out.
func (b *serverBuilder) insertEnum(spec *ast.TypeSpec, gen *ast.GenDecl) func(*diag.Diagnostic) {
	at, doc := spec.Pos(), spec.Doc
	if !gen.Lparen.IsValid() {
		at, doc = gen.Pos(), gen.Doc
	}
	indent := strings.Repeat("\t", b.res.Fset.PositionFor(at, false).Column-1)
	text := "//mcp:enum\n" + indent
	if doc != nil && !isDirective(doc.List[len(doc.List)-1].Text) {
		text = "//\n" + indent + text
	}
	return b.edit(at, at, text)
}

// isDirective reports whether a comment is one that gofmt keeps apart from the text above it.
func isDirective(comment string) bool {
	word, _, found := strings.Cut(strings.TrimPrefix(comment, "//"), ":")
	return found && word != "" && strings.IndexFunc(word, func(r rune) bool { return (r < 'a' || 'z' < r) && (r < '0' || '9' < r) }) < 0
}

// typeNode is the source of a type; nil if that was not read.
func (b *serverBuilder) typeNode(obj *types.TypeName) (*ast.TypeSpec, *ast.GenDecl) {
	pkg := b.res.PackageOf(obj)
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

// seemsClosed reports whether the constants of t look as if they were its only values: two or more texts, or
// integers that count up. Limits, flags and units do not.
func (b *serverBuilder) seemsClosed(t types.Type) bool {
	obj := typeName(t)
	basic, ok := t.Underlying().(*types.Basic)
	if obj == nil || obj.Pkg() == nil || !ok || basic.Info()&(types.IsString|types.IsInteger) == 0 || b.isEnum(obj) ||
		unmarshalsText(t) || marshalsText(t) || unmarshalsJSON(t) || marshalsJSON(t) {
		return false
	}
	values := valuesOf(b.visible(obj, b.res.Constants(obj)))
	return len(values) > 1 && (basic.Info()&types.IsString != 0 || consecutive(values))
}

// visible drops constants that are not meant as values: unexported ones of an exported type.
func (b *serverBuilder) visible(obj *types.TypeName, all []load.Constant) []load.Constant {
	out := slices.DeleteFunc(slices.Clone(all), func(c load.Constant) bool { return !c.Obj.Exported() })
	if len(out) == 0 && obj.Pkg().Path() == b.pkg.Path {
		return all
	}
	return out
}

// consecutive reports whether numbers count up by one, as those made with iota do. Flags and limits
// do not; the two numbers 1 and 2 may be either, so they do not count.
func consecutive(values []any) bool {
	var last int64
	for i, v := range values {
		n, err := v.(json.Number).Int64()
		if err != nil || i > 0 && n != last+1 {
			return false
		}
		last = n
	}
	return len(values) > 2 || last != 2
}
