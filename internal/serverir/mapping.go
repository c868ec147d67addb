package serverir

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
)

// mapping is a type that functions with a type directive read and write.
type mapping struct {
	// typ is the type, and base what it is as JSON: string, int64, float64 or bool.
	typ  types.Type
	base *types.Basic
	// format and desc go into schemas; empty for none.
	format, desc string
	// parse reads values and print writes them; nil for a direction that is not declared.
	parse, print *mapFunc
	// first is the function that declares it first.
	first *load.Decl
	// reported says that the lack of one of them was reported.
	reported bool
}

// mapFunc is one function of a mapping.
type mapFunc struct {
	decl *load.Decl
	spec *directive.TypeOf
	// fails says that a function that writes returns an error too.
	fails bool
	// used says that some value is read or written by it.
	used bool
}

// mappingOf returns the mapping of t, or nil.
func (b *serverBuilder) mappingOf(t types.Type) *mapping {
	if len(b.mappings) == 0 {
		return nil
	}
	return b.mappings[types.TypeString(types.Unalias(t), nil)]
}

// mapType reads a type directive. It comes before all that looks at types.
func (b *serverBuilder) mapType(d *load.Decl, spec *directive.TypeOf) {
	b.mappingLines(d)
	sig := signature(d)
	if sig == nil {
		return
	}
	t, base, in, wrong := b.mappedBy(sig)
	if wrong != "" {
		from, to := nameOf(d)
		b.report("MCP401", from, to, "the mapping of a type "+wrong, hint("valid form: "+directive.TypeForm),
			fix("func(s string) (T, error), or func(v T) string"))
		return
	}
	if strings.Contains(bodyNames, " "+strings.TrimRight(d.Name, "0123456789")+" ") {
		from, to := nameOf(d)
		b.report("MCP803", from, to, fmt.Sprintf("generated functions have a variable `%s`, which hides this function",
			d.Name), fix("rename it"))
		return
	}
	f := &mapFunc{decl: d, spec: spec, fails: sig.Results().Len() == 2}
	text := types.TypeString(types.Unalias(t), nil)
	m := b.mappings[text]
	if m == nil {
		m = &mapping{typ: t, base: base, first: d}
		b.mappings[text] = m
		if b.namable(t) && !b.namable(types.Unalias(t)) {
			b.otherNames[text] = t
		}
	}
	slot, other := &m.parse, m.print
	if !in {
		slot, other = &m.print, m.parse
	}
	from, to := nameOf(d)
	switch {
	case *slot != nil:
		ofrom, oto := nameOf((*slot).decl)
		verb := map[bool]string{true: "reads", false: "writes"}[in]
		b.report("MCP410", from, to, fmt.Sprintf("`%s` %s `%s`, which `%s` does already", d.Name, verb, b.typeText(t),
			(*slot).decl.Name),
			b.related(ofrom, oto, "the first one"), fix("remove one of the directives"))
		return
	case other != nil && m.base != base:
		ofrom, oto := nameOf(other.decl)
		b.report("MCP410", from, to, fmt.Sprintf("`%s` is %s here, and %s in `%s`", b.typeText(t), base, m.base,
			other.decl.Name),
			b.related(ofrom, oto, "the other one"), fix("take and return the same type"))
		return
	}
	*slot = f
	b.mappedOptions(m, f, other)
}

// mappingLines refuses refining directives of a function that maps a type: it is no feature that clients see.
func (b *serverBuilder) mappingLines(d *load.Decl) {
	for _, m := range d.Directives {
		switch m.Spec.(type) {
		// the last three are reported with those of other functions
		case *directive.TypeOf, *directive.Allow, *directive.Access, *directive.Limit, *directive.Use:
			continue
		}
		if !m.Bad {
			b.report("MCP108", m.NamePos, m.NameEnd(), fmt.Sprintf("`%s` cannot stand on a type function", m.Name),
				fix("remove the line"))
		}
	}
}

// embedded refuses a mapped type that is embedded without a name: encoding/json would take its fields apart.
func (w *jsonChecker) embedded(t types.Type) {
	s, ok := deref(types.Unalias(t)).Underlying().(*types.Struct)
	for i := 0; ok && i < s.NumFields(); i++ {
		f := s.Field(i)
		elem, _ := pointedTo(f.Type())
		name, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		if f.Embedded() && name == "" && w.b.mappingOf(elem) != nil {
			w.unsupported(f, token.NoPos, token.NoPos,
				fmt.Sprintf("the embedded field %s, whose type is mapped and which has no name in JSON,",
					f.Name()), "give it a name in its json tag")
		}
	}
}

// bodyNames are the variables of generated functions that read and write values, less the numbers behind them.
const bodyNames = " d e v n k x i ok name seen "

// mappedBy finds out what a function maps: t to base, or back. wrong says what does not fit.
func (b *serverBuilder) mappedBy(sig *types.Signature) (t types.Type, base *types.Basic, in bool, wrong string) {
	params, results := sig.Params(), sig.Results()
	switch {
	case sig.TypeParams().Len() > 0:
		return nil, nil, false, "cannot have type parameters"
	case sig.Variadic() || params.Len() != 1:
		return nil, nil, false, "takes one value"
	case results.Len() == 0 || results.Len() > 2 || results.Len() == 2 && !isError(results.At(1).Type()) ||
		isError(results.At(0).Type()):
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
		return nil, nil, false, fmt.Sprintf("is about a type with a name, and `%s` has none: pointers and lists follow what they hold", b.typeText(t))
	case types.IsInterface(named), isNamed(t, "encoding/json", "RawMessage"):
		return nil, nil, false, fmt.Sprintf("cannot be about `%s`, which holds any value", b.typeText(t))
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
func (b *serverBuilder) mappedOptions(m *mapping, f, other *mapFunc) {
	for _, k := range []struct {
		own    *directive.Arg
		value  string
		theirs func(*directive.TypeOf) *directive.Arg
		to     *string
	}{
		{f.spec.Format.Arg, f.spec.Format.V, func(s *directive.TypeOf) *directive.Arg { return s.Format.Arg }, &m.format},
		{f.spec.Desc.Arg, f.spec.Desc.V, func(s *directive.TypeOf) *directive.Arg { return s.Desc.Arg }, &m.desc},
	} {
		if k.own == nil {
			continue
		}
		from, to := valueOf(k.own)
		if *k.to != "" && *k.to != k.value {
			ofrom, oto := valueOf(k.theirs(other.spec))
			b.report("MCP410", from, to, fmt.Sprintf("`%s=` is another one than that of `%s`", k.own.Option, other.decl.Name),
				b.related(ofrom, oto, "the other one"),
				fix("write it once"))
		}
		*k.to = cmp.Or(*k.to, k.value)
	}
	if arg := f.spec.Format.Arg; arg != nil && m.base.Kind() != types.String {
		b.report("MCP109", arg.Pos, arg.End, fmt.Sprintf("`format` is for strings, and `%s` is %s as JSON", b.typeText(m.typ),
			m.base), fix("remove it"))
	}
}

// useMapping notes that values of a mapped type are read or written, and reports a function that is not there.
func (w *jsonChecker) useMapping(m *mapping, field *types.Var) {
	f, other, verb, form := m.parse, m.print, "reads", "func(%[1]s) (%[2]s, error)"
	if !w.in {
		f, other, verb, form = m.print, m.parse, "writes", "func(%[2]s) %[1]s"
	}
	if f != nil {
		if !f.used {
			w.b.guard(f.decl, "")
		}
		f.used = true
		return
	}
	if w.found++; m.reported {
		return
	}
	m.reported = true
	from, to := nameOf(other.decl)
	text := w.b.typeText(m.typ)
	ufrom, uto := w.from, w.to
	if field != nil && w.b.res.PackageOf(field) != nil {
		ufrom, uto = paramRange(field)
	}
	w.b.report("MCP410", from, to, fmt.Sprintf("`%s` has a mapping, and no function %s it", text, verb),
		w.b.related(ufrom, uto, "needed here"),
		fix(fmt.Sprintf("add a function //mcp:type "+form, m.base, text)))
}

// unusedMappings warns of types that no value has. A function for a direction that is not needed is no mistake.
func (b *serverBuilder) unusedMappings() {
	if b.unparsed {
		return // what uses them may not have been recognised
	}
	eachSpec(b.pkg, func(d *load.Decl, _ *directive.TypeOf) {
		for _, m := range b.mappings {
			if m.first != d || m.reported || m.parse != nil && m.parse.used || m.print != nil && m.print.used {
				continue
			}
			from, to := nameOf(d)
			b.report("MCP411", from, to, fmt.Sprintf("nothing in this package is a `%s` as JSON", b.typeText(m.typ)),
				fix("remove the directive"))
		}
	})
}

// isMapped reports whether values of f are mapped, perhaps behind pointers.
func (f *form) isMapped() bool {
	for f.shape == shapePointer {
		f = f.elem
	}
	return f.shape == shapeMapped
}

// holdsMapped reports whether values of t that are written hold any that are mapped, so that encoding/json cannot write
// them.
func (b *serverBuilder) holdsMapped(t types.Type) bool {
	return len(b.mappings) > 0 && anyMapped(b.formOf(t, false), map[*form]bool{})
}

// anyMapped is holdsMapped for a form; seen were looked at.
func anyMapped(f *form, seen map[*form]bool) bool {
	if f == nil || seen[f] {
		return false
	}
	seen[f] = true
	return f.shape == shapeMapped || anyMapped(f.elem, seen) ||
		slices.ContainsFunc(f.members, func(m *member) bool { return anyMapped(m.value, seen) })
}

// schema describes the values as JSON.
func (m *mapping) schema() *jsonschema.Type {
	kind := map[types.BasicKind]jsonschema.Kind{
		types.String: jsonschema.String, types.Int64: jsonschema.Integer, types.Float64: jsonschema.Number,
		types.Bool: jsonschema.Bool,
	}[m.base.Kind()]
	return &jsonschema.Type{Kind: kind, Format: m.format, Description: m.desc}
}

// argMapped says how a value is read.
func (b *serverBuilder) argMapped(v *ir.ArgValue, f *form) {
	m := b.mappingOf(f.typ)
	v.Kind, v.Base = ir.ArgMapped, argKindOf[basicShape(m.base.Info())]
	v.Refusal = "must be a valid " + cmp.Or(m.format, "value")
	if m.parse != nil { // else it has been reported
		v.Parse = m.parse.decl.Name
	}
}

// encMapped says how a value is written.
func (b *serverBuilder) encMapped(v *ir.EncValue, f *form) {
	m := b.mappingOf(f.typ)
	v.Kind, v.Base = ir.EncMapped, encKindOf[basicShape(m.base.Info())]
	if m.print != nil { // else it has been reported
		v.Format, v.Fails = m.print.decl.Name, m.print.fails
	}
}
