package serverir

import (
	"fmt"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
)

// policy finds the function that an access line names: a method of the receiver of the feature, else a function
// of the package.
func (b *serverBuilder) policy(r *resource, a *directive.Access) (ir.Policy, bool) {
	from, to := valueOf(a.Policy.Arg)
	fn, recv := b.policyFunc(r.decl, a.Policy.V)
	if fn == nil {
		where := "no function of this package"
		if r.decl.Recv != "" {
			where = fmt.Sprintf("no method of `%s` and no function of this package", r.decl.Recv)
		}
		options := []func(*diag.Diagnostic){fix("write it: func " + a.Policy.V +
			"(ctx context.Context, who mcp.Caller) error")}
		b.report("MCP501", from, to, fmt.Sprintf("`%s` names %s", a.Policy.V, where), options...)
		return ir.Policy{}, false
	}
	d := &load.Decl{Kind: directive.OnFunc, Name: fn.Name(), Obj: fn, File: r.decl.File}
	if recv != nil {
		d.Kind, d.Recv, d.RecvPointer = directive.OnMethod, r.decl.Recv, isPointer(fn.Signature().Recv().Type())
	}
	if recv == nil {
		b.hiddenFunc(fn.Name())
	}
	p := ir.Policy{Callee: ir.Callee{Kind: ir.CalleeFunc, Name: fn.Name(), Decl: fn.Name()}}
	if recv != nil {
		p.Callee.Kind, p.Callee.Recv = ir.CalleeMethod, b.holder(r.decl)
	}
	params, ok := b.policyParams(r, a, fn)
	if !ok {
		return p, false
	}
	p.Callee.Params = params
	b.guard(d, "")
	return p, true
}

func isPointer(t types.Type) bool {
	_, ok := t.(*types.Pointer)
	return ok
}

// policyFunc looks for name among the methods of the receiver of d, then in the package.
func (b *serverBuilder) policyFunc(d *load.Decl, name string) (fn *types.Func, recv types.Type) {
	if sig := signature(d); sig != nil && sig.Recv() != nil {
		obj, _, _ := types.LookupFieldOrMethod(deref(sig.Recv().Type()), true, b.pkg.Types, name)
		if fn, ok := obj.(*types.Func); ok && fn.Signature().Recv() != nil {
			return fn, sig.Recv().Type()
		}
	}
	if b.pkg.Types == nil {
		return nil, nil
	}
	fn, _ = b.pkg.Types.Scope().Lookup(name).(*types.Func)
	if fn != nil && b.pkg.Generated(fn) {
		return nil, nil
	}
	return fn, nil
}

// policyParams binds the parameters of a policy.
func (b *serverBuilder) policyParams(r *resource, a *directive.Access, fn *types.Func) ([]ir.Param, bool) {
	sig := fn.Signature()
	from, to := valueOf(a.Policy.Arg)
	related := b.related(fn.Pos(), fn.Pos(), "declared here")
	res := sig.Results()
	if sig.Variadic() || sig.TypeParams().Len() > 0 || sig.Params().Len() < 2 || res.Len() != 1 ||
		!isError(res.At(0).Type()) ||
		!isNamed(sig.Params().At(0).Type(), "context", "Context") {
		b.report("MCP401", from, to, fmt.Sprintf("`%s` cannot be a policy: it is %s", a.Policy.V,
			types.TypeString(sig, b.qualifier)),
			hint("valid form: "+directive.PolicyForm), related, fix("func "+fn.Name()+"(ctx context.Context, who mcp.Caller) error"))
		return nil, false
	}
	var out []ir.Param
	callers := 0
	for i := 1; i < sig.Params().Len(); i++ {
		v := sig.Params().At(i)
		if isNamed(v.Type(), mcpPath, "Caller") {
			callers++
			out = append(out, ir.Param{Kind: ir.ParamCaller, Type: b.goType(v.Type())})
			continue
		}
		k := b.varFor(r, &load.Decl{}, v)
		if k < 0 {
			b.report("MCP302", from, to, fmt.Sprintf("parameter `%s` of the policy `%s` is no variable of `%s`", v.Name(),
				fn.Name(), r.decl.Name),
				hint("variables: "+orNone(varNames(r))), related, fix("name it like a variable, or remove it"))
			return nil, false
		}
		b.sameType(r, r.Vars[k], v)
		out = append(out, ir.Param{Kind: ir.ParamVar, Var: k, Type: b.goType(v.Type())})
	}
	if callers != 1 {
		b.report("MCP401", from, to, fmt.Sprintf("`%s` cannot be a policy: it must take one mcp.Caller", a.Policy.V),
			hint("valid form: "+directive.PolicyForm), related, fix("func "+fn.Name()+"(ctx context.Context, who mcp.Caller) error"))
		return nil, false
	}
	return out, true
}

// aliasGuard is the guard of an alias: the same rules, with the variables at their places in a.
func aliasGuard(r, a *ir.Resource) *ir.Rules {
	if r.Rules == nil {
		return nil
	}
	g := *r.Rules
	g.Policies = nil
	for i, p := range r.Rules.Policies {
		if p.Name != "" {
			p.Name = numberedName("may"+upperFirst(a.Names.Read), i)
			p.Callee.Params = movedParams(p.Callee.Params, r, a)
		}
		g.Policies = append(g.Policies, p)
	}
	return &g
}
