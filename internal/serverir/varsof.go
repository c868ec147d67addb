package serverir

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
)

// varsOf returns the struct whose fields are the template variables, if the function takes its
// variables that way: one struct, which is no value of a variable itself, beside what the runtime
// gives. Else it returns nil.
func (b *serverBuilder) varsOf(r *resource, d *load.Decl, sig *types.Signature) (p *types.Var, s *types.Struct) {
	if len(r.Vars) == 0 || d.Primary == nil {
		return nil, nil
	}
	if _, completes := d.Primary.Spec.(*directive.Complete); completes {
		return nil, nil
	}
	for i := 1; i < sig.Params().Len(); i++ {
		q := sig.Params().At(i)
		if special(q.Type()) || isFile(q.Type()) {
			continue
		}
		t := types.Unalias(deref(types.Unalias(q.Type())))
		u, ok := t.Underlying().(*types.Struct)
		if p != nil || !ok || unmarshalsText(t) || isNamed(t, "time", "Time") || b.varFor(r, d, q) >= 0 {
			return nil, nil
		}
		p, s = q, u
	}
	if s == nil || !slices.ContainsFunc(slices.Collect(s.Fields()),
		func(f *types.Var) bool { return b.varFor(r, d, f) >= 0 }) {
		return nil, nil
	}
	return p, s
}

// bindFields gives each field of s, the type of parameter p, its template variable by name. Fields
// that generated code cannot set are left alone.
func (b *serverBuilder) bindFields(r *resource, d *load.Decl, p *types.Var, s *types.Struct) ir.Param {
	out := ir.Param{Kind: ir.ParamVarsOf, Type: b.paramGoType(p.Type())}
	bound := map[int]bool{}
	for f := range s.Fields() {
		if f.Name() == "_" || !f.Exported() && f.Pkg().Path() != b.pkg.Path {
			continue
		}
		k := b.varFor(r, d, f)
		if k < 0 && r.alias != nil {
			b.noAliasVar(r, f.Name())
			continue
		}
		if k < 0 || bound[k] {
			from, to := b.fieldOr(f, p)
			b.report("MCP302", from, to, fmt.Sprintf("field `%s` is no template variable", f.Name()),
				hint("variables: "+orNone(varNames(r))), fix(b.addVar(r, unexported(f.Name()))))
			continue
		}
		bound[k] = true
		out.Fields = append(out.Fields, ir.VarField{Name: f.Name(), Var: k})
		if d == r.decl {
			b.typeVar(r, r.Vars[k], f)
			r.Vars[k].Param = unexported(f.Name())
		} else {
			b.sameType(r, r.Vars[k], f)
		}
	}
	for k, v := range r.Vars {
		if d == r.decl && !bound[k] && !b.misnamed[v] {
			b.unboundField(r, v, p)
		}
	}
	return out
}

// unboundField reports a variable that no field of parameter p takes.
func (b *serverBuilder) unboundField(r *resource, v *ir.Var, p *types.Var) {
	from, to := b.varRange(r, v)
	pfrom, pto := paramRange(p)
	b.report("MCP301", from, to, fmt.Sprintf("no field for template variable `%s` in `%s`", v.Name, b.typeText(p.Type())),
		b.related(pfrom, pto, "the variables"), fix(fmt.Sprintf("add a field `%s`", upperFirst(v.Name))))
}

// fieldOr is where field f is declared, or the parameter p if that is not in a package that is read
// from source.
func (b *serverBuilder) fieldOr(f, p *types.Var) (from, to token.Pos) {
	if b.res.PackageOf(f) == nil {
		return paramRange(p)
	}
	return paramRange(f)
}
