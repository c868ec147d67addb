package jsoncheck

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
)

// openConstants notes a type with constants that look like a full set, although no directive says that they
// are: clients are not told about them, and other values are taken. Each type is noted once in a package.
func (w *checker) openConstants(t types.Type, field *types.Var) {
	b, obj := w.b, gotype.TypeName(t)
	if w.closed || !w.in && !w.described || obj == nil || b.Noted[obj] || !w.seemsClosed(t) {
		return
	}
	b.Noted[obj] = true
	message := fmt.Sprintf("`%s` has constants, but it takes any %s: only `//mcp:enum` limits a type to its constants",
		b.TypeText(t), map[bool]string{true: "text", false: "integer"}[gotype.IsString(t)])
	spec, gen := b.TypeNode(obj)
	if spec == nil || obj.Pkg().Path() != b.Pkg.Path {
		better := fmt.Sprintf("write //mcp:enum above `%s`, or limit the field with jsonschema:\"enum=…\"", b.TypeText(t))
		if b.Res.PackageOf(obj) == nil {
			better = "limit the field with jsonschema:\"enum=…\", or use a type of your own with //mcp:enum"
		}
		b.Report("MCP408", w.From, w.To, message, append(w.at(field), report.Fix(better))...)
		return
	}
	options := []func(*diag.Diagnostic){
		report.Fix("write //mcp:enum above the type, or //mcp:allow MCP408 and the reason"),
	}
	if w.From.IsValid() {
		options = append(options, b.Related(w.From, w.To, "used here"))
	}
	b.Report("MCP408", spec.Name.Pos(), spec.Name.End(), message, append(options, w.insertEnum(spec, gen))...)
}

// insertEnum is an edit that writes an enum directive above a type, as gofmt would lay it out.
func (w *checker) insertEnum(spec *ast.TypeSpec, gen *ast.GenDecl) func(*diag.Diagnostic) {
	at, doc := spec.Pos(), spec.Doc
	if !gen.Lparen.IsValid() {
		at, doc = gen.Pos(), gen.Doc
	}
	indent := strings.Repeat("\t", w.b.Res.Fset.PositionFor(at, false).Column-1)
	text := "//mcp:enum\n" + indent
	if doc != nil && !isDirective(doc.List[len(doc.List)-1].Text) {
		text = "//\n" + indent + text
	}
	return w.b.Edit(at, at, text)
}

// isDirective reports whether a comment is one that gofmt keeps apart from the text above it.
func isDirective(comment string) bool {
	word, _, found := strings.Cut(strings.TrimPrefix(comment, "//"), ":")
	odd := func(r rune) bool { return (r < 'a' || 'z' < r) && (r < '0' || '9' < r) }
	return found && word != "" && strings.IndexFunc(word, odd) < 0
}

// seemsClosed reports whether the constants of t look as if they were its only values: two or more texts, or
// integers that count up. Limits, flags and units do not.
func (w *checker) seemsClosed(t types.Type) bool {
	obj := gotype.TypeName(t)
	basic, ok := t.Underlying().(*types.Basic)
	if obj == nil || obj.Pkg() == nil || !ok || basic.Info()&(types.IsString|types.IsInteger) == 0 || w.b.IsEnum(obj) ||
		gotype.UnmarshalsText(t) || gotype.MarshalsText(t) || gotype.UnmarshalsJSON(t) || gotype.MarshalsJSON(t) {
		return false
	}
	values := gotype.ValuesOf(w.visible(obj, w.b.Res.Constants(obj)))
	return len(values) > 1 && (basic.Info()&types.IsString != 0 || consecutive(values))
}

// visible drops constants that are not meant as values: unexported ones of an exported type.
func (w *checker) visible(obj *types.TypeName, all []load.Constant) []load.Constant {
	out := slices.DeleteFunc(slices.Clone(all), func(c load.Constant) bool { return !c.Obj.Exported() })
	if len(out) == 0 && obj.Pkg().Path() == w.b.Pkg.Path {
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
