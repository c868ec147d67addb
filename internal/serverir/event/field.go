package event

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// idOf reads id=: a field that is a string.
func (b *builder) idOf(e *event) {
	f := b.field(e, e.spec.ID)
	switch {
	case f == nil:
	case !gotype.IsString(f.Type()):
		b.wrongField(e, e.spec.ID, f, "a string")
	default:
		e.ID, e.IDText = f.Name(), types.Identical(f.Type(), types.Typ[types.String])
	}
}

// timeOf reads time=: a field that is a time.Time.
func (b *builder) timeOf(e *event) {
	f := b.field(e, e.spec.Time)
	switch {
	case f == nil:
	case !gotype.IsNamed(f.Type(), "time", "Time"):
		b.wrongField(e, e.spec.Time, f, "a time.Time")
	default:
		e.Time = f.Name()
	}
}

// wrongField reports a field of another type than an option wants.
func (b *builder) wrongField(e *event, ref directive.Ref, f *types.Var, want string) {
	from, to := source.ValueOf(ref.Arg)
	b.Report("MCP303", from, to, fmt.Sprintf("`%s` names %s of `%s`, and field `%s` is `%s`", ref.Arg.Option, want,
		e.decl.Name, f.Name(), b.TypeText(f.Type())),
		b.Related(f.Pos(), f.Pos(), "declared here"), report.Fix("name a field that is "+want))
}

// field returns the field of the payload that an option names; nil for none.
func (b *builder) field(e *event, ref directive.Ref) *types.Var {
	if !ref.Set() {
		return nil
	}
	obj, _, indirect := types.LookupFieldOrMethod(e.payload, false, b.Pkg.Types, ref.V)
	f, ok := obj.(*types.Var)
	from, to := source.ValueOf(ref.Arg)
	switch {
	case !ok:
		b.Report("MCP501", from, to, fmt.Sprintf("`%s=%s` names no field of `%s`", ref.Arg.Option, ref.V, e.decl.Name),
			report.Hint("fields: "+strings.Join(fieldNames(e.payload), ", ")), report.Fix("name one of them"),
			b.Meant(from, to, ref.V, fieldNames(e.payload)))
		return nil
	case indirect:
		b.Report("MCP501", from, to, fmt.Sprintf("`%s=%s` names a field behind a pointer, which may be nil", ref.Arg.Option,
			ref.V), report.Fix("embed the struct itself"))
		return nil
	}
	return f
}

// fieldNames are the names of the fields of a struct.
func fieldNames(t types.Type) (names []string) {
	s, _ := t.Underlying().(*types.Struct)
	for f := range s.Fields() {
		names = append(names, f.Name())
	}
	return names
}
