package binding

import (
	"fmt"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
)

// varsOf returns the struct whose fields get the variables of the template, if the function has such a parameter: its
// only one besides those that the runtime fills, and no value of a variable itself. Otherwise it returns nil.
func (b *Binder) varsOf(r *Resource, d *load.Decl, sig *types.Signature) (p *types.Var, s *types.Struct) {
	if len(r.Vars) == 0 || d.Primary == nil {
		return nil, nil
	}
	if _, completes := d.Primary.Spec.(*directive.Complete); completes {
		return nil, nil
	}
	for i := 1; i < sig.Params().Len(); i++ {
		q := sig.Params().At(i)
		if gotype.Special(q.Type()) || isFile(q.Type()) {
			continue
		}
		t := types.Unalias(gotype.Deref(types.Unalias(q.Type())))
		u, ok := t.Underlying().(*types.Struct)
		if p != nil || !ok || gotype.UnmarshalsText(t) || gotype.IsNamed(t, "time", "Time") ||
			b.Vars.VarFor(r.Set(), d, q) >= 0 {
			return nil, nil
		}
		p, s = q, u
	}
	if s == nil || !slices.ContainsFunc(slices.Collect(s.Fields()),
		func(f *types.Var) bool { return b.Vars.VarFor(r.Set(), d, f) >= 0 }) {
		return nil, nil
	}
	return p, s
}

// bindFields binds each field of s to the variable of its name. p is the parameter of type s. Fields that generated
// code cannot set are left alone.
func (b *Binder) bindFields(r *Resource, d *load.Decl, p *types.Var, s *types.Struct) ir.Param {
	b.HiddenParam(p.Type(), "err", "file")
	out := ir.Param{Kind: ir.ParamVarsOf, Type: b.ParamGoType(p.Type())}
	bound := map[int]bool{}
	for f := range s.Fields() {
		if f.Name() == "_" || !f.Exported() && f.Pkg().Path() != b.Pkg.Path {
			continue
		}
		k := b.Vars.VarFor(r.Set(), d, f)
		if k < 0 && r.Alias != nil {
			b.noAliasVar(r, f.Name())
			continue
		}
		if k < 0 || bound[k] {
			from, to := b.FieldOr(f, p)
			b.Report("MCP302", from, to, fmt.Sprintf("field `%s` is no template variable", f.Name()),
				report.Hint("variables: "+report.OrNone(variable.Names(r.Vars))),
				report.Fix(b.addVar(r, goname.Unexported(f.Name()))))
			continue
		}
		bound[k] = true
		out.Fields = append(out.Fields, ir.VarField{Name: f.Name(), Var: k})
		if d == r.Decl {
			b.TypeVar(r, r.Vars[k], f)
			r.Vars[k].Param = goname.Unexported(f.Name())
		} else {
			b.Vars.SameType(r.Set(), r.Vars[k], f)
		}
	}
	for k, v := range r.Vars {
		if d == r.Decl && !bound[k] && !b.Misnamed[v] {
			b.unboundField(r, v, p)
		}
	}
	return out
}

// unboundField reports a variable that no field of parameter p takes.
func (b *Binder) unboundField(r *Resource, v *ir.Var, p *types.Var) {
	from, to := b.VarRange(r, v)
	pfrom, pto := source.ParamRange(p)
	b.Report("MCP301", from, to, fmt.Sprintf("no field for template variable `%s` in `%s`", v.Name, b.TypeText(p.Type())),
		b.Related(pfrom, pto, "the variables"), report.Fix(fmt.Sprintf("add a field `%s`", goname.UpperFirst(v.Name))))
}
