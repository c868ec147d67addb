package serverir

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// varLines reads the var directives of a resource into its variables. Bounds and defaults are checked
// once types are known.
func (b *serverBuilder) varLines(r *resource) {
	for _, m := range load.Refinements[*directive.Var](r.decl) {
		v := b.varNamed(r, m.Name.V)
		if v == nil {
			if r.alias == nil {
				b.noVar(r, m.Name.Arg, m.Name.V)
			}
			continue
		}
		v.Param, v.Layout, v.Raw, v.Desc = m.Param.V, m.Layout.V, m.Raw.V, m.Desc.V
		v.Default, v.HasDefault = m.Default.V, m.Default.Set()
		v.Min, v.Max, v.Required = m.Min.V, m.Max.V, m.Required.V
		if m.Minlen.Set() {
			v.MinLen = int(m.Minlen.V)
		}
		if m.Maxlen.Set() {
			v.MaxLen = int(m.Maxlen.V)
		}
		if m.Param.Set() {
			b.paramExists(r, v, m)
		}
	}
}

func (b *serverBuilder) varNamed(r *resource, name string) *ir.Var {
	for _, v := range r.Vars {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// noVar reports a name that is no variable of the template.
func (b *serverBuilder) noVar(r *resource, arg *directive.Arg, name string) {
	from, to := valueOf(arg)
	ufrom, uto := valueOf(r.spec.URI.Arg)
	if len(r.Vars) == 0 {
		b.report("MCP502", from, to, fmt.Sprintf("`%s` is not a variable of `%s`, which has none", name, r.URI),
			b.related(ufrom, uto, "declared here"), fix("remove the line"))
		return
	}
	better := directive.Nearest(name, varNames(r))
	if better == "" {
		better = r.Vars[len(r.Vars)-1].Name
	}
	if arg.HasValue {
		better = arg.Option + "=" + better
	}
	// Only a parameter of the function can tell which of the two is misspelt, the line or the template.
	var holders []string
	if signature(r.decl) != nil {
		holders = slices.DeleteFunc(b.varHolders(r), func(h string) bool { return b.varNamed(r, h) == nil })
	}
	b.report("MCP502", from, to, fmt.Sprintf("`%s` is not a variable of `%s`", name, r.URI),
		hint("variables: "+orNone(varNames(r))), b.related(ufrom, uto, "template declared here"), fix(better), b.meant(from,
			to, name, holders))
}

// paramExists checks that param= names a parameter.
func (b *serverBuilder) paramExists(r *resource, v *ir.Var, m *directive.Var) {
	names := b.varHolders(r)
	named := slices.DeleteFunc(slices.Clone(names), blank)
	if !slices.Contains(named, v.Param) {
		from, to := valueOf(m.Param.Arg)
		repair := "param=" + cmp.Or(directive.Nearest(v.Param, named), "NAME")
		switch len(named) {
		case 0:
			repair = fmt.Sprintf("name the parameter `%s`, and remove param=", v.Name)
		case 1:
			repair = "param=" + named[0]
		}
		b.report("MCP301", from, to, fmt.Sprintf("no parameter `%s` for template variable `%s`; parameters are %s", v.Param,
			v.Name, orNone(names)),
			fix(repair))
		v.Param = ""
		b.misnamed[v] = true
	}
}

// varHolders are the names that param= can give: those of the parameters, or of the fields if one struct
// holds the variables.
func (b *serverBuilder) varHolders(r *resource) []string {
	sig := signature(r.decl)
	_, s := b.varsOf(r, r.decl, sig)
	if s == nil {
		return paramNames(sig)
	}
	var out []string
	for f := range s.Fields() {
		out = append(out, f.Name())
	}
	return out
}

// typeVar binds v to the parameter p of the reader: its kind and how it is written.
func (b *serverBuilder) typeVar(r *resource, v *ir.Var, p *types.Var) {
	v.Param, v.GoName = p.Name(), fieldName(r, p.Name())
	b.holders[v] = p
	t := p.Type()
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		v.Pointer, t = true, ptr.Elem()
	}
	if s, ok := t.Underlying().(*types.Slice); ok && !unmarshalsText(t) && v.Explode {
		v.Kind, v.Type = ir.VarSlice, b.goType(t)
		v.Elem = &ir.Var{Name: v.Name, Param: v.Param, MinLen: -1, MaxLen: -1, Raw: v.Raw, Layout: v.Layout}
		b.kindOf(r, v.Elem, s.Elem(), p)
		return
	}
	b.kindOf(r, v, t, p)
	span := v.Op == uritemplate.OpReserved || v.Explode
	if span && (v.Explode || v.Kind != ir.VarString || v.Pointer) && v.Kind != 0 {
		from, to := paramType(r.decl, p)
		text, want := uritemplate.SpanText(v.Name, v.Op)+"` spans segments", "string"
		if v.Explode {
			want = "[]" + b.typeText(t)
		}
		if v.Explode && v.Op != uritemplate.OpPath {
			text = fmt.Sprintf("{?%s*}` may come several times", v.Name)
		}
		b.report("MCP305", from, to, fmt.Sprintf("`%s and cannot be `%s`", text, b.typeText(p.Type())), fix("use "+want))
	}
}

// kindOf finds out how a value of type t is written in a URI.
func (b *serverBuilder) kindOf(r *resource, v *ir.Var, t types.Type, p *types.Var) {
	v.Type = b.goType(t)
	b.hiddenType(t)
	basic, _ := t.Underlying().(*types.Basic)
	switch {
	case isNamed(t, "time", "Time"):
		v.Kind = ir.VarTime
	case isNamed(t, "time", "Duration"):
		v.Kind = ir.VarDuration
	case unmarshalsText(t):
		v.Kind = ir.VarText
		if r.prompt == nil && !marshalsText(t) {
			from, to := paramType(r.decl, p)
			b.report("MCP303", from, to, fmt.Sprintf("`%s` can be read from a URI but not written into one", b.typeText(t)),
				fix(fmt.Sprintf("add MarshalText to `%s`", b.typeText(t))))
		}
	case b.enumValues(t) != nil:
		v.Kind, v.Values = ir.VarEnum, b.enumValues(t)
		if basic != nil && basic.Info()&types.IsInteger != 0 {
			v.Bits = max(bits(basic), 32)
		}
	case basic != nil && basic.Info()&types.IsString != 0:
		v.Kind = ir.VarString
	case basic != nil && basic.Info()&types.IsBoolean != 0:
		v.Kind = ir.VarBool
	case basic != nil && basic.Info()&types.IsUnsigned != 0 && basic.Kind() != types.Uintptr:
		v.Kind, v.Bits = ir.VarUint, bits(basic)
	case basic != nil && basic.Info()&types.IsInteger != 0:
		v.Kind, v.Bits = ir.VarInt, bits(basic)
	case basic != nil && basic.Info()&types.IsFloat != 0:
		v.Kind, v.Bits = ir.VarFloat, bits(basic)
	default:
		from, to := paramType(r.decl, p)
		source := "a URI"
		if r.prompt != nil {
			source = "the text of an argument"
		}
		b.report("MCP303", from, to,
			fmt.Sprintf("`%s` cannot be read from %s; use string, bool, number, time, enum or a TextUnmarshaler", b.typeText(t),
				source),
			fix(b.readable(t)))
	}
}

// readable says how t could be read from a URI.
func (b *serverBuilder) readable(t types.Type) string {
	if obj := typeName(t); obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == b.pkg.Path {
		return fmt.Sprintf("add UnmarshalText and MarshalText to `%s`", b.typeText(t))
	}
	return "use one of these types"
}

// bits is the size of a number; 0 for int and uint, whose size is that of the machine.
func bits(t *types.Basic) int {
	if t == nil {
		return 0
	}
	digits := strings.TrimLeft(t.Name(), "uintfloa")
	n, _ := strconv.Atoi(digits)
	if t.Kind() == types.Byte {
		return 8
	}
	return n
}

// enumValues returns the constants of an annotated type as they are written in a URI, or nil.
func (b *serverBuilder) enumValues(t types.Type) []string {
	obj := typeName(t)
	if obj == nil || !b.isEnum(obj) {
		return nil
	}
	var out []string
	for _, c := range b.res.Constants(obj) {
		text := c.Value.ExactString()
		if unquoted, err := strconv.Unquote(text); err == nil {
			text = unquoted
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// isEnum reports whether the type has an enum directive.
func (b *serverBuilder) isEnum(obj *types.TypeName) bool { return b.res.IsEnum(obj) }

// sameType checks that a list, watch or complete function takes a variable as the type that the
// reader gives it.
func (b *serverBuilder) sameType(r *resource, v *ir.Var, p *types.Var) {
	q := b.holders[v]
	if q == nil || types.Identical(q.Type(), p.Type()) {
		return
	}
	from, to := paramRange(p)
	qfrom, qto := paramRange(q)
	b.report("MCP303", from, to, fmt.Sprintf("variable `%s` is `%s` here but `%s` in `%s`", v.Name, b.typeText(p.Type()),
		b.typeText(q.Type()), r.decl.Name),
		b.related(qfrom, qto, "the reader's parameter"), fix(fmt.Sprintf("take `%s %s`", p.Name(), b.typeText(q.Type()))))
}

// checkVars checks what needs the types: defaults, bounds, absent variables.
func (b *serverBuilder) checkVars(r *resource) {
	lines := map[string]*directive.Var{}
	for _, m := range load.Refinements[*directive.Var](r.decl) {
		lines[m.Name.V] = m
	}
	for _, v := range r.Vars {
		if v.Kind == 0 {
			continue
		}
		m := lines[v.Name]
		query := v.Op.InQuery()
		required := m != nil && m.Required.V
		if query && !v.Pointer && !v.HasDefault && v.Kind != ir.VarSlice && !required {
			b.noDefault(r, v)
		}
		if m != nil && r.alias != nil && !query {
			path := *m
			path.Default = directive.String{}
			m = &path
		}
		if m != nil {
			b.unscreened(r, v, m)
			b.checkBounds(v, m, query)
		}
	}
}

func (b *serverBuilder) noDefault(r *resource, v *ir.Var) {
	from, to := b.varRange(r, v)
	typ := b.goTypeText(v.Type)
	b.report("MCP304", from, to, fmt.Sprintf("query variable `%s` may be absent but `%s` has no default", v.Name, typ),
		fix(fmt.Sprintf("//mcp:var %s default=%s, or *%s", v.Name, exampleOf(v), typ)))
}

// exampleOf is a value that a default of v could have.
func exampleOf(v *ir.Var) string {
	switch v.Kind {
	case ir.VarBool:
		return "false"
	case ir.VarInt, ir.VarUint, ir.VarFloat:
		return "100"
	case ir.VarEnum:
		return v.Values[0]
	case ir.VarTime, ir.VarDuration:
		return "-1h"
	}
	return `""`
}

// goTypeText is a short form of a type for messages.
func (b *serverBuilder) goTypeText(t *ir.GoType) string {
	switch {
	case t == nil:
		return "?"
	case t.Kind == ir.GoPointer:
		return "*" + b.goTypeText(t.Elem)
	case t.Kind == ir.GoSlice:
		return "[]" + b.goTypeText(t.Elem)
	case t.PkgName != "" && t.Path != b.pkg.Path:
		return t.PkgName + "." + t.Name
	}
	return t.Name
}
