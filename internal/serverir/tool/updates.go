package tool

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/tagrule"
)

// updates finds the resources that tools change, and where the variables of their URIs come from.
func (b *builder) updates() {
	for i, t := range b.Server.Tools {
		d := b.decls[i]
		for _, item := range d.Primary.Spec.(*directive.Tool).Updates.V {
			if r := b.updatedResource(d, item); r != nil {
				b.resources.Updated[r] = true
				if !b.refused[d] {
					b.update(t, d, item, r)
				}
			}
		}
	}
}

// updatedResource returns the resource with a URI. It reports an error if clients cannot subscribe to one.
func (b *builder) updatedResource(d *load.Decl, item directive.Item) *binding.Resource {
	r := b.resources.At(item.V)
	if r == nil {
		b.updatesNothing(d, item)
		return nil
	}
	if !r.Subscribe {
		from, to := item.Arg.At(item.From), item.Arg.At(item.To)
		ufrom, uto := source.ValueOf(r.Spec.URI.Arg)
		b.Report("MCP501", from, to,
			fmt.Sprintf("no client can subscribe to `%s`, so `updates` has no effect on it", r.Decl.Name),
			b.Related(ufrom, uto, "declared without subscribe"), report.Fix("add `subscribe` to its resource directive"))
		return nil
	}
	return r
}

// updatesNothing reports a URI that no resource of this server has.
func (b *builder) updatesNothing(d *load.Decl, item directive.Item) {
	if b.Unparsed || len(b.resources.Broken) > 0 {
		return
	}
	if elsewhere := b.Servers.OfURI(item.V); elsewhere != nil {
		b.updatedElsewhere(d, item, elsewhere)
		return
	}
	var known []string
	for _, r := range b.resources.All {
		if r.Alias == nil {
			known = append(known, r.URI)
		}
	}
	slices.Sort(known)
	option := report.Fix("write the URI of a resource of this package")
	if near := directive.Nearest(item.V, known); near != "" {
		option = report.Fix(near)
	}
	b.Report("MCP501", item.Arg.At(item.From), item.Arg.At(item.To),
		fmt.Sprintf("`updates=%s` is the URI of no resource here", item.V),
		report.Hint("resources: "+report.OrNone(known)), option)
}

// updatedElsewhere handles a resource that this server does not offer. Nobody can subscribe to it here, which is no
// mistake if another server of the tool offers it.
func (b *builder) updatedElsewhere(d *load.Decl, item directive.Item, elsewhere []string) {
	for _, name := range b.Servers.Of(d, elsewhere) {
		if slices.Contains(elsewhere, name) {
			return
		}
	}
	b.Report("MCP501", item.Arg.At(item.From), item.Arg.At(item.To),
		fmt.Sprintf("`updates=%s` is a resource of another server, whose subscribers this tool does not reach", item.V),
		report.Hint("its servers: "+strings.Join(elsewhere,
			", ")), report.Fix("bind both to the same server, or call the Updated method of the other one"))
}

// update notes how the URI of r is made after a call of t.
func (b *builder) update(t *ir.Tool, d *load.Decl, item directive.Item, r *binding.Resource) {
	sig := source.Signature(d)
	if sig == nil {
		return
	}
	out := ir.Touch{Resource: r.Resource}
	for _, v := range r.Vars {
		arg, ok := b.updateArg(sig, d, item, r, v)
		if !ok {
			return
		}
		out.Args = append(out.Args, arg)
	}
	t.Touches = append(t.Touches, out)
}

// updateArg returns the field of the input, or else of the output, that has the value of v.
func (b *builder) updateArg(sig *types.Signature, d *load.Decl, item directive.Item, r *binding.Resource,
	v *ir.Var) (ir.TouchArg, bool) {
	from, to := item.Arg.At(item.From), item.Arg.At(item.To)
	places := b.updatePlaces(d, sig)
	for _, p := range places {
		f, name := b.fieldFor(p.typ, v)
		if f == nil {
			continue
		}
		arg := ir.TouchArg{From: p.name, Field: name}
		want := b.Vars.Holders[v]
		switch {
		case want == nil || types.Identical(want.Type(), f.Type()):
			return arg, true
		case isBasicLike(want.Type()) && types.Identical(want.Type().Underlying(), f.Type().Underlying()):
			arg.Convert = true
			return arg, true
		}
		b.Report("MCP303", from, to, fmt.Sprintf("variable `%s` is `%s` in `%s`, but field `%s` of `%s` is `%s`",
			v.Name, b.TypeText(want.Type()), r.Decl.Name, name, b.TypeText(p.typ), b.TypeText(f.Type())),
			report.Fix(fmt.Sprintf("give the field the type of the variable, "+
				"or take a *mcp.Call and say c.ResourceUpdated(%s(…))", r.Names.URI)))
		return ir.TouchArg{}, false
	}
	if query := v.Op.InQuery(); query && resource.LeftOut(v) {
		return ir.TouchArg{}, true
	}
	b.unfilled(sig, d, item, v)
	return ir.TouchArg{}, false
}

// unfilled reports a variable whose value is in no argument and no result.
func (b *builder) unfilled(sig *types.Signature, d *load.Decl, item directive.Item, v *ir.Var) {
	what := "field"
	repair := fmt.Sprintf("add a field `%s` to one of them", goname.UpperFirst(v.Name))
	if b.plainIn[d] != nil || len(arguments(sig)) == 0 {
		what, repair = "parameter or field", fmt.Sprintf("add a parameter `%s`", v.Name)
	}
	pfrom, pto := source.NameOf(d)
	b.Report("MCP301", item.Arg.At(item.From), item.Arg.At(item.To),
		fmt.Sprintf("no %s for template variable `%s` in the input or output of `%s`", what, v.Name, d.Name),
		b.Related(pfrom, pto, "the tool"), report.Fix(repair))
}

func isBasicLike(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// updatePlace is a struct in which generated code finds values after a call.
type updatePlace struct {
	name string
	typ  types.Type
}

// updatePlaces returns the input and the output of a tool, if they are structs.
func (b *builder) updatePlaces(d *load.Decl, sig *types.Signature) []updatePlace {
	var out []updatePlace
	add := func(name string, t types.Type) {
		if t = types.Unalias(gotype.Deref(types.Unalias(t))); gotype.IsStruct(t) &&
			!gotype.IsNamed(t, gotype.RuntimePath, "ToolResult") {
			out = append(out, updatePlace{name, t})
		}
	}
	if in := b.plainIn[d]; in != nil {
		add("in", in)
	}
	for i := 1; i < sig.Params().Len() && b.plainIn[d] == nil; i++ {
		if p := sig.Params().At(i); !gotype.Special(p.Type()) {
			add("in", p.Type())
		}
	}
	if sig.Results().Len() == 2 {
		add("out", sig.Results().At(0).Type())
	}
	return out
}

// fieldFor returns the field of t for a variable, by its name in JSON or in Go, with its selector. Fields behind a
// pointer do not count, because it may be nil.
func (b *builder) fieldFor(t types.Type, v *ir.Var) (*types.Var, string) {
	var loose *types.Var
	looseName := ""
	for _, f := range tagrule.Fields(t) {
		name, reachable := b.Selector(t, f)
		behind := slices.ContainsFunc(f.Path[:len(f.Path)-1], func(e *types.Var) bool {
			_, pointer := e.Type().Underlying().(*types.Pointer)
			return pointer
		})
		switch {
		case !reachable || behind:
		case f.Name == v.Name:
			return f.Var(), name
		case loose == nil && (goname.SameName(f.Name, v.Name) || goname.SameName(f.Var().Name(), v.Name)):
			loose, looseName = f.Var(), name
		}
	}
	return loose, looseName
}
