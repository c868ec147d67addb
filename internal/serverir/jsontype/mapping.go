package jsontype

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// MapType reads a type directive. It comes before all that looks at types.
func (b *Types) MapType(d *load.Decl, spec *directive.TypeOf) {
	sig := source.Signature(d)
	if sig == nil {
		return
	}
	t, base, in, wrong := b.mappedBy(sig)
	if wrong != "" {
		from, to := source.NameOf(d)
		b.Report("MCP401", from, to, "the mapping of a type "+wrong, report.Hint("valid form: "+directive.TypeForm),
			report.Fix("func(s string) (T, error), or func(v T) string"))
		return
	}
	if strings.Contains(bodyNames, " "+strings.TrimRight(d.Name, "0123456789")+" ") {
		from, to := source.NameOf(d)
		b.Report("MCP803", from, to, fmt.Sprintf("generated functions have a variable `%s`, which hides this function",
			d.Name), report.Fix("rename it"))
		return
	}
	f := &MapFunc{Decl: d, spec: spec, Fails: sig.Results().Len() == 2}
	text := types.TypeString(types.Unalias(t), nil)
	m := b.mappings[text]
	if m == nil {
		m = &Mapping{Type: t, Base: base, first: d}
		b.mappings[text] = m
		if b.Namable(t) && !b.Namable(types.Unalias(t)) {
			b.otherNames[text] = t
		}
	}
	slot, other := &m.Parse, m.Print
	if !in {
		slot, other = &m.Print, m.Parse
	}
	from, to := source.NameOf(d)
	switch {
	case *slot != nil:
		ofrom, oto := source.NameOf((*slot).Decl)
		verb := map[bool]string{true: "reads", false: "writes"}[in]
		b.Report("MCP410", from, to, fmt.Sprintf("`%s` %s `%s`, which `%s` does already", d.Name, verb, b.TypeText(t),
			(*slot).Decl.Name),
			b.Related(ofrom, oto, "the first one"), report.Fix("remove one of the directives"))
		return
	case other != nil && m.Base != base:
		ofrom, oto := source.NameOf(other.Decl)
		b.Report("MCP410", from, to, fmt.Sprintf("`%s` is %s here, and %s in `%s`", b.TypeText(t), base, m.Base,
			other.Decl.Name),
			b.Related(ofrom, oto, "the other one"), report.Fix("take and return the same type"))
		return
	}
	*slot = f
	b.mappedOptions(m, f, other)
}

// bodyNames are the variables of generated functions that read and write values, less the numbers behind them.
const bodyNames = " d e v n k x i ok name seen "

// mappedBy finds out what a function maps: t to base, or back. wrong says what does not fit.
func (b *Types) mappedBy(sig *types.Signature) (t types.Type, base *types.Basic, in bool, wrong string) {
	params, results := sig.Params(), sig.Results()
	switch {
	case sig.TypeParams().Len() > 0:
		return nil, nil, false, "cannot have type parameters"
	case sig.Variadic() || params.Len() != 1:
		return nil, nil, false, "takes one value"
	case results.Len() == 0 || results.Len() > 2 || results.Len() == 2 && !gotype.IsError(results.At(1).Type()) ||
		gotype.IsError(results.At(0).Type()):
		return nil, nil, false, "returns one value, and perhaps an error"
	}
	param, result := params.At(0).Type(), results.At(0).Type()
	read, write := jsonBase(param), jsonBase(result)
	switch {
	case read != nil && write != nil:
		return nil, nil, false, "is about a type with a name: predeclared types are JSON already"
	case read == nil && write == nil:
		return nil, nil, false, "takes or returns a string, int64, float64 or bool"
	case read != nil && results.Len() == 1:
		return nil, nil, false, "that reads values returns an error too: what clients send may be wrong"
	case read != nil:
		t, base, in = result, read, true
	default:
		t, base = param, write
	}
	named, ok := types.Unalias(t).(*types.Named)
	switch {
	case !ok:
		return nil, nil, false, fmt.Sprintf(
			"is about a type with a name, and `%s` has none: pointers and lists follow what they hold", b.TypeText(t))
	case types.IsInterface(named), gotype.IsNamed(t, "encoding/json", "RawMessage"):
		return nil, nil, false, fmt.Sprintf("cannot be about `%s`, which holds any value", b.TypeText(t))
	}
	return t, base, in, ""
}

// jsonBase is t if it is one of the types that values may have as JSON; else nil.
func jsonBase(t types.Type) *types.Basic {
	basic, ok := types.Unalias(t).(*types.Basic)
	if ok && slices.Contains([]types.BasicKind{types.String, types.Int64, types.Float64, types.Bool}, basic.Kind()) {
		return basic
	}
	return nil
}

// mappedOptions reads the options of f. Those of the other function say the same, or nothing.
func (b *Types) mappedOptions(m *Mapping, f, other *MapFunc) {
	for _, k := range []struct {
		own    *directive.Arg
		value  string
		theirs func(*directive.TypeOf) *directive.Arg
		to     *string
	}{
		{f.spec.Format.Arg, f.spec.Format.V, func(s *directive.TypeOf) *directive.Arg { return s.Format.Arg }, &m.Format},
		{f.spec.Desc.Arg, f.spec.Desc.V, func(s *directive.TypeOf) *directive.Arg { return s.Desc.Arg }, &m.desc},
	} {
		if k.own == nil {
			continue
		}
		from, to := source.ValueOf(k.own)
		if *k.to != "" && *k.to != k.value {
			ofrom, oto := source.ValueOf(k.theirs(other.spec))
			b.Report("MCP410", from, to, fmt.Sprintf("`%s=` is another one than that of `%s`", k.own.Option, other.Decl.Name),
				b.Related(ofrom, oto, "the other one"),
				report.Fix("write it once"))
		}
		*k.to = cmp.Or(*k.to, k.value)
	}
	if arg := f.spec.Format.Arg; arg != nil && m.Base.Kind() != types.String {
		b.Report("MCP109", arg.Pos, arg.End,
			fmt.Sprintf("`format` is for strings, and `%s` is %s as JSON", b.TypeText(m.Type),
				m.Base), report.Fix("remove it"))
	}
}

// UnusedMappings warns of types that no value has. A function for a direction that is not needed is no mistake.
func (b *Types) UnusedMappings() {
	if b.Unparsed {
		return // what uses them may not have been recognised
	}
	source.EachSpec(b.Pkg, func(d *load.Decl, _ *directive.TypeOf) {
		for _, m := range b.mappings {
			if m.first != d || m.Reported || m.Parse != nil && m.Parse.Used || m.Print != nil && m.Print.Used {
				continue
			}
			from, to := source.NameOf(d)
			b.Report("MCP411", from, to, fmt.Sprintf("nothing in this package is a `%s` as JSON", b.TypeText(m.Type)),
				report.Fix("remove the directive"))
		}
	})
}

// Schema describes the values as JSON.
func (m *Mapping) Schema() *jsonschema.Type {
	kind := map[types.BasicKind]jsonschema.Kind{
		types.String: jsonschema.String, types.Int64: jsonschema.Integer, types.Float64: jsonschema.Number,
		types.Bool: jsonschema.Bool,
	}[m.Base.Kind()]
	return &jsonschema.Type{Kind: kind, Format: m.Format, Description: m.desc}
}
