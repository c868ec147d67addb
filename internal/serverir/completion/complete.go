// Package completion builds the functions that complete variables of resources and arguments of prompts.
package completion

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/prompt"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
)

// builder builds the completion functions of resources and prompts.
type builder struct {
	feature.Passes
	*feature.Context
	resources *resource.Builder
	prompts   *prompt.Builder
}

// New returns what builds the completion functions of one server.
func New(s *feature.Context) feature.Kind {
	return &builder{Context: s, resources: feature.Find[*resource.Builder](s), prompts: feature.Find[*prompt.Builder](s)}
}

// Refer reads the completion functions.
func (b *builder) Refer() { source.EachSpec(b.Pkg, b.buildCompletes) }

// buildCompletes attaches a completion function to a variable of each resource that it names.
func (b *builder) buildCompletes(d *load.Decl, spec *directive.Complete) {
	for _, item := range spec.Of.V {
		of := item.Ref()
		if len(spec.Of.V) > 1 && b.resources.ByName[of.V] == nil && b.prompts.Completed(of.V) == nil &&
			b.Servers.Named(of.V, nil) != nil {
			continue // it is a resource of another server
		}
		b.buildComplete(d, spec, of)
	}
}

// buildComplete attaches a completion function to a variable.
func (b *builder) buildComplete(d *load.Decl, spec *directive.Complete, of directive.Ref) {
	t := b.completed(of)
	sig := source.Signature(d)
	if t == nil || sig == nil {
		return
	}
	k := slices.IndexFunc(t.Vars, func(v *ir.Var) bool { return v.Name == spec.Var.V })
	switch {
	case k < 0 && !t.Args && len(spec.Of.V) > 1:
		from, to := source.ValueOf(of.Arg)
		b.Report("MCP502", from, to, fmt.Sprintf("`%s` has no variable `%s`", of.V, spec.Var.V),
			report.Hint("variables: "+report.OrNone(variable.Names(t.Vars))), report.Fix("write a function of its own for it"))
		return
	case k < 0:
		t.Unknown(spec.Var.Arg, spec.Var.V)
		return
	}
	if slices.ContainsFunc(*t.Completers, func(c ir.Completer) bool { return c.Var == k }) {
		b.Twice(of, "complete")
		return
	}
	c := b.Callee(d)
	b.Guard(d)
	if !b.completeForm(d, sig) || !b.hasPrefix(t, k, sig) {
		return
	}
	c.Params = append([]ir.Param{{Kind: ir.ParamPrefix, Type: b.GoType(sig.Params().At(1).Type())}}, b.given(t, d, sig)...)
	name := "complete" + goname.UpperFirst(names.Base(b.Servers.Pkg, t.Decl)) + goname.UpperFirst(t.Vars[k].Param)
	*t.Completers = append(*t.Completers, ir.Completer{Var: k, Callee: &c, Name: name})
}

// given binds each parameter behind the prefix to the variable of its name, which the user has filled in already.
func (b *builder) given(t *feature.Completed, d *load.Decl, sig *types.Signature) (out []ir.Param) {
	for i := 2; i < sig.Params().Len(); i++ {
		p := sig.Params().At(i)
		if gotype.Special(p.Type()) {
			out = append(out, b.SpecialParam(p))
			continue
		}
		k := b.Vars.VarFor(t.Set, d, p)
		if k < 0 {
			t.Strange(d, p)
			continue
		}
		out = append(out, ir.Param{Kind: ir.ParamGiven, Var: k, Type: b.GoType(p.Type())})
		b.Vars.SameType(t.Set, t.Vars[k], p)
	}
	return out
}

// hasPrefix reports a completion function without a prefix: where it should be, there is a parameter with the name of
// another variable.
func (b *builder) hasPrefix(t *feature.Completed, k int, sig *types.Signature) bool {
	p := sig.Params().At(1)
	i := slices.IndexFunc(t.Vars, func(v *ir.Var) bool { return v.Name == p.Name() || v.Param == p.Name() })
	if i < 0 || i == k {
		return true
	}
	from, to := source.ParamRange(p)
	b.Report("MCP401", from, to,
		fmt.Sprintf("the first parameter of a completion function is the typed prefix of `%s`, "+
			"and this one is named like the variable `%s`", t.Vars[k].Name, t.Vars[i].Name),
		report.Hint("valid form: "+directive.CompleteForm), report.Fix("prefix, "+p.Name()+" string"))
	return false
}

// completed returns the resource or the prompt in of=.
func (b *builder) completed(ref directive.Ref) *feature.Completed {
	r := b.resources.ByName[ref.V]
	if r == nil || r.Template == nil {
		if p := b.prompts.Completed(ref.V); p != nil {
			return p
		}
	}
	if r == nil {
		b.resources.NoResource(ref, "resource or prompt", b.prompts.Names())
		return nil
	}
	if r = b.resources.Target(ref, "complete", true); r == nil {
		return nil
	}
	return b.resources.Completed(r)
}

// completeForm checks the signature of a completion function.
func (b *builder) completeForm(d *load.Decl, sig *types.Signature) bool {
	if !b.HasContext(d, sig, "completion function", directive.CompleteForm) ||
		!b.CallerOnly(d, sig, "completion function", directive.CompleteForm) {
		return false
	}
	res := sig.Results()
	strs := func(t types.Type) bool {
		s, ok := types.Unalias(t).(*types.Slice)
		return ok && types.Identical(s.Elem(), types.Typ[types.String])
	}
	if sig.Params().Len() >= 2 && gotype.IsString(sig.Params().At(1).Type()) && res.Len() == 2 && strs(res.At(0).Type()) &&
		gotype.IsError(res.At(1).Type()) {
		return true
	}
	from, to := source.ResultRange(d)
	b.Report("MCP401", from, to, fmt.Sprintf("a completion function has another signature; found func%s",
		b.SignatureText(sig)),
		report.Hint("valid form: "+directive.CompleteForm),
		report.Fix("func "+d.Name+strings.TrimPrefix(directive.CompleteForm, "func")))
	return false
}
