package binding

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/lint"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// VarLines reads the var directives of a resource. Their bounds and defaults are checked by CheckVars, once the types
// are known.
func (b *Binder) VarLines(r *Resource) {
	for _, m := range load.Refinements[*directive.Var](r.Decl) {
		v := b.VarNamed(r, m.Name.V)
		if v == nil {
			if r.Alias == nil {
				b.NoVar(r, m.Name.Arg, m.Name.V)
			}
			continue
		}
		v.Param, v.Raw, v.Desc, v.Required = m.Param.V, m.Raw.V, m.Desc.V, m.Required.V
		b.Vars.Limit(v, &m.Limits)
		if m.Param.Set() {
			b.paramExists(r, v, m)
		}
	}
}

// VarNamed returns the variable called name; nil if there is none.
func (b *Binder) VarNamed(r *Resource, name string) *ir.Var {
	for _, v := range r.Vars {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// NoVar reports a name that is no variable of the template.
func (b *Binder) NoVar(r *Resource, arg *directive.Arg, name string) {
	from, to := source.ValueOf(arg)
	ufrom, uto := source.ValueOf(r.Spec.URI.Arg)
	if len(r.Vars) == 0 {
		b.Report("MCP502", from, to, fmt.Sprintf("`%s` is not a variable of `%s`, which has none", name, r.URI),
			b.Related(ufrom, uto, "declared here"), report.Fix("remove the line"))
		return
	}
	better := directive.Nearest(name, variable.Names(r.Vars))
	if better == "" {
		better = r.Vars[len(r.Vars)-1].Name
	}
	if arg.HasValue {
		better = arg.Option + "=" + better
	}
	// Only a parameter of the function can tell which of the two is misspelt, the line or the template.
	var holders []string
	if source.Signature(r.Decl) != nil {
		holders = slices.DeleteFunc(b.varHolders(r), func(h string) bool { return b.VarNamed(r, h) == nil })
	}
	b.Report("MCP502", from, to, fmt.Sprintf("`%s` is not a variable of `%s`", name, r.URI),
		report.Hint("variables: "+report.OrNone(variable.Names(r.Vars))),
		b.Related(ufrom, uto, "template declared here"), report.Fix(better), b.Meant(from,
			to, name, holders))
}

// paramExists checks that param= names a parameter.
func (b *Binder) paramExists(r *Resource, v *ir.Var, m *directive.Var) {
	names := b.varHolders(r)
	named := slices.DeleteFunc(slices.Clone(names), gotype.Blank)
	if !slices.Contains(named, v.Param) {
		from, to := source.ValueOf(m.Param.Arg)
		repair := "param=" + cmp.Or(directive.Nearest(v.Param, named), "NAME")
		switch len(named) {
		case 0:
			repair = fmt.Sprintf("name the parameter `%s`, and remove param=", v.Name)
		case 1:
			repair = "param=" + named[0]
		}
		b.Report("MCP301", from, to, fmt.Sprintf("no parameter `%s` for template variable `%s`; parameters are %s", v.Param,
			v.Name, report.OrNone(names)),
			report.Fix(repair))
		v.Param = ""
		b.Misnamed[v] = true
	}
}

// varHolders returns the names that param= can give: those of the parameters, or of the fields if one struct has the
// variables.
func (b *Binder) varHolders(r *Resource) []string {
	sig := source.Signature(r.Decl)
	_, s := b.varsOf(r, r.Decl, sig)
	if s == nil {
		return gotype.ParamNames(sig)
	}
	var out []string
	for f := range s.Fields() {
		out = append(out, f.Name())
	}
	return out
}

// TypeVar binds v to the parameter p of the reader, whose type decides how the variable is parsed. It reports a type
// that v cannot have.
func (b *Binder) TypeVar(r *Resource, v *ir.Var, p *types.Var) {
	v.Param, v.GoName = p.Name(), variable.FieldName(r.Vars, p.Name())
	b.Vars.Holders[v] = p
	t := p.Type()
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		v.Pointer, t = true, ptr.Elem()
	}
	if s, ok := t.Underlying().(*types.Slice); ok && !gotype.UnmarshalsText(t) && v.Explode {
		v.Kind, v.Type = ir.VarSlice, b.GoType(t)
		v.Elem = &ir.Var{Name: v.Name, Param: v.Param, MinLen: -1, MaxLen: -1, Raw: v.Raw, Layout: v.Layout}
		b.Vars.KindOf(r.Set(), v.Elem, s.Elem(), p)
		return
	}
	b.Vars.KindOf(r.Set(), v, t, p)
	span := v.Op == uritemplate.OpReserved || v.Explode
	if span && (v.Explode || v.Kind != ir.VarString || v.Pointer) && v.Kind != 0 {
		from, to := source.ParamType(r.Decl, p)
		text, want := uritemplate.SpanText(v.Name, v.Op)+"` spans segments", "string"
		if v.Explode {
			want = "[]" + b.TypeText(t)
		}
		if v.Explode && v.Op != uritemplate.OpPath {
			text = fmt.Sprintf("{?%s*}` may come several times", v.Name)
		}
		b.Report("MCP305", from, to, fmt.Sprintf("`%s and cannot be `%s`", text, b.TypeText(p.Type())),
			report.Fix("use "+want))
	}
}

// CheckVars checks defaults, bounds and optional variables, which needs their types.
func (b *Binder) CheckVars(r *Resource) {
	lines := map[string]*directive.Var{}
	for _, m := range load.Refinements[*directive.Var](r.Decl) {
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
		if m != nil && r.Alias != nil && !query {
			path := *m
			path.Default = directive.String{}
			m = &path
		}
		if m != nil {
			if r.Alias == nil {
				lint.Unscreened(b.Reporter, v, m)
			}
			b.Vars.CheckLimits(r.Set(), v, &m.Limits)
			b.Vars.CheckComplete(v, m.Complete)
		}
	}
}

func (b *Binder) noDefault(r *Resource, v *ir.Var) {
	from, to := b.VarRange(r, v)
	typ := b.GoTypeText(v.Type)
	b.Report("MCP304", from, to, fmt.Sprintf("query variable `%s` may be absent but `%s` has no default", v.Name, typ),
		report.Fix(fmt.Sprintf("//mcp:var %s default=%s, or *%s", v.Name, variable.ExampleOf(v), typ)))
}
