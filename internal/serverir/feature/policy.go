package feature

import (
	"fmt"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
)

// policy finds the function that an access line names: a method of the receiver of the feature, else a function
// of the package.
func (b *Context) policy(s *variable.Set, a *directive.Access) (ir.Policy, bool) {
	from, to := source.ValueOf(a.Policy.Arg)
	fn, recv := b.policyFunc(s.Decl, a.Policy.V)
	if fn == nil {
		where := "no function of this package"
		if s.Decl.Recv != "" {
			where = fmt.Sprintf("no method of `%s` and no function of this package", s.Decl.Recv)
		}
		options := []func(*diag.Diagnostic){report.Fix("write it: func " + a.Policy.V +
			"(ctx context.Context, who mcp.Caller) error")}
		b.Report("MCP501", from, to, fmt.Sprintf("`%s` names %s", a.Policy.V, where), options...)
		return ir.Policy{}, false
	}
	d := &load.Decl{Kind: directive.OnFunc, Name: fn.Name(), Obj: fn, File: s.Decl.File}
	if recv != nil {
		d.Kind, d.Recv, d.RecvPointer = directive.OnMethod, s.Decl.Recv, gotype.IsPointer(fn.Signature().Recv().Type())
	}
	if recv == nil {
		b.HiddenFunc(fn.Name())
		b.HiddenFuncBy(fn.Name(), "impl")
	}
	p := ir.Policy{Callee: ir.Callee{Kind: ir.CalleeFunc, Name: fn.Name(), Decl: fn.Name()}}
	if recv != nil {
		p.Callee.Kind, p.Callee.Recv = ir.CalleeMethod, b.Impl.Holder(s.Decl)
	}
	params, ok := b.policyParams(s, a, fn)
	if !ok {
		return p, false
	}
	p.Callee.Params = params
	b.Guard(d)
	return p, true
}

// policyFunc looks for name among the methods of the receiver of d, then in the package.
func (b *Context) policyFunc(d *load.Decl, name string) (fn *types.Func, recv types.Type) {
	if sig := source.Signature(d); sig != nil && sig.Recv() != nil {
		obj, _, _ := types.LookupFieldOrMethod(gotype.Deref(sig.Recv().Type()), true, b.Pkg.Types, name)
		if fn, ok := obj.(*types.Func); ok && fn.Signature().Recv() != nil {
			return fn, sig.Recv().Type()
		}
	}
	if b.Pkg.Types == nil {
		return nil, nil
	}
	fn, _ = b.Pkg.Types.Scope().Lookup(name).(*types.Func)
	if fn != nil && b.Pkg.Generated(fn) {
		return nil, nil
	}
	return fn, nil
}

// policyParams binds the parameters of a policy.
func (b *Context) policyParams(s *variable.Set, a *directive.Access, fn *types.Func) ([]ir.Param, bool) {
	sig := fn.Signature()
	from, to := source.ValueOf(a.Policy.Arg)
	related := b.Related(fn.Pos(), fn.Pos(), "declared here")
	res := sig.Results()
	if sig.Variadic() || sig.TypeParams().Len() > 0 || sig.Params().Len() < 2 || res.Len() != 1 ||
		!gotype.IsError(res.At(0).Type()) ||
		!gotype.IsNamed(sig.Params().At(0).Type(), "context", "Context") {
		b.Report("MCP401", from, to, fmt.Sprintf("`%s` cannot be a policy: it is %s", a.Policy.V,
			types.TypeString(sig, b.Qualifier)),
			report.Hint("valid form: "+directive.PolicyForm), related,
			report.Fix("func "+fn.Name()+"(ctx context.Context, who mcp.Caller) error"))
		return nil, false
	}
	var out []ir.Param
	callers := 0
	for i := 1; i < sig.Params().Len(); i++ {
		v := sig.Params().At(i)
		if gotype.IsNamed(v.Type(), gotype.RuntimePath, "Caller") {
			callers++
			out = append(out, ir.Param{Kind: ir.ParamCaller, Type: b.GoType(v.Type())})
			continue
		}
		k := b.Vars.VarFor(s, &load.Decl{}, v)
		if k < 0 {
			b.Report("MCP302", from, to, fmt.Sprintf("parameter `%s` of the policy `%s` is no variable of `%s`", v.Name(),
				fn.Name(), s.Decl.Name),
				report.Hint("variables: "+report.OrNone(variable.Names(s.Vars))), related,
				report.Fix("name it like a variable, or remove it"))
			return nil, false
		}
		b.Vars.SameType(s, s.Vars[k], v)
		out = append(out, ir.Param{Kind: ir.ParamVar, Var: k, Type: b.GoType(v.Type())})
	}
	if callers != 1 {
		b.Report("MCP401", from, to, fmt.Sprintf("`%s` cannot be a policy: it must take one mcp.Caller", a.Policy.V),
			report.Hint("valid form: "+directive.PolicyForm), related,
			report.Fix("func "+fn.Name()+"(ctx context.Context, who mcp.Caller) error"))
		return nil, false
	}
	return out, true
}
