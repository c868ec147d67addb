package feature

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// WrongField reports that the field f of the struct called of, which an option names, is not what the option wants.
func (b *Context) WrongField(ref directive.Ref, f *types.Var, of, want string) {
	from, to := source.ValueOf(ref.Arg)
	b.Report("MCP303", from, to, fmt.Sprintf("`%s` names %s of `%s`, and field `%s` is `%s`", ref.Arg.Option, want,
		of, f.Name(), b.TypeText(f.Type())),
		b.Related(f.Pos(), f.Pos(), "declared here"), report.Fix("name a field that is "+want))
}

// Field returns the field of the struct t, called of, that an option names; nil if it names none, or is not set.
func (b *Context) Field(ref directive.Ref, t types.Type, of string) *types.Var {
	if !ref.Set() {
		return nil
	}
	obj, _, indirect := types.LookupFieldOrMethod(t, false, b.Pkg.Types, ref.V)
	f, ok := obj.(*types.Var)
	from, to := source.ValueOf(ref.Arg)
	switch {
	case !ok:
		b.Report("MCP501", from, to, fmt.Sprintf("`%s=%s` names no field of `%s`", ref.Arg.Option, ref.V, of),
			report.Hint("fields: "+strings.Join(fieldNames(t), ", ")), report.Fix("name one of them"),
			b.Meant(from, to, ref.V, fieldNames(t)))
		return nil
	case indirect:
		b.Report("MCP501", from, to, fmt.Sprintf("`%s=%s` names a field behind a pointer, which may be nil", ref.Arg.Option,
			ref.V), report.Fix("embed the struct itself"))
		return nil
	}
	return f
}

// fieldNames returns the names of the fields of a struct.
func fieldNames(t types.Type) (names []string) {
	s, _ := t.Underlying().(*types.Struct)
	for f := range s.Fields() {
		names = append(names, f.Name())
	}
	return names
}
