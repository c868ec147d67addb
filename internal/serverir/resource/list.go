package resource

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// Target returns the resource that of= names. It reports an error if there is none, or if it is literal and template is
// set.
func (b *Builder) Target(ref directive.Ref, what string, template bool) *binding.Resource {
	from, to := source.ValueOf(ref.Arg)
	r := b.ByName[ref.V]
	if r == nil {
		b.NoResource(ref, "resource", nil)
		return nil
	}
	if o := b.namesake(ref.V, r); o != nil {
		ufrom, uto := source.ValueOf(o.Spec.URI.Arg)
		b.Report("MCP501", from, to, fmt.Sprintf("`of=%s` is the name of several resources: `%s` and `%s`", ref.V,
			r.Decl.Name, o.Decl.Name),
			b.Related(ufrom, uto, "the other one"), report.Fix("use a Go name, or give them different names"))
		return nil
	}
	if template && r.Template == nil {
		ufrom, uto := source.ValueOf(r.Spec.URI.Arg)
		b.Report("MCP501", from, to, fmt.Sprintf("`%s` is a single resource, and %s is for templates", ref.V, what),
			b.Related(ufrom, uto, "its URI has no variables"), report.Fix("remove the directive"))
		return nil
	}
	return r
}

// namesake returns another resource whose MCP name is name. It returns nil if there is none, or if name is a Go name of
// r.
func (b *Builder) namesake(name string, r *binding.Resource) *binding.Resource {
	if name == r.Decl.Name || name == b.base(r) {
		return nil
	}
	i := slices.IndexFunc(b.All, func(o *binding.Resource) bool { return o.Name == name && o.Decl != r.Decl })
	if i < 0 {
		return nil
	}
	return b.All[i]
}

// NoResource reports a name that is no resource, unless a resource of that name has mistakes of its own. prompts are
// names that are allowed too.
func (b *Builder) NoResource(ref directive.Ref, what string, prompts []string) {
	from, to := source.ValueOf(ref.Arg)
	message := fmt.Sprintf("`of=%s` names no %s here", ref.V, what)
	names := slices.Sorted(maps.Keys(b.ByName))
	names = append(names, prompts...)
	near, fn := directive.Nearest(ref.V, names), b.FuncNamed(ref.V)
	switch elsewhere := b.Servers.Named(ref.V, nil); {
	case b.Broken[ref.V]:
	case strings.Contains(ref.V, ","):
		b.Report("MCP501", from, to, fmt.Sprintf("`of=%s` names several resources; only complete takes a list", ref.V),
			report.Fix("write a function for each of them"))
	case elsewhere != nil:
		b.Report("MCP501", from, to, fmt.Sprintf("`of=%s` names no resource of server `%s`", ref.V, b.Name),
			report.Hint("its servers: "+strings.Join(elsewhere,
				", ")), report.Fix("leave out server= here, or add this server to the resource"))
	case near != "":
		b.Report("MCP501", from, to, message, report.Fix("did you mean `"+near+"`?"),
			b.Meant(from, to, ref.V, goNamesBut(b.All, ref.V, prompts)))
	case b.Unparsed:
	case fn != nil:
		b.Report("MCP501", from, to, message, b.Related(fn.Pos(), fn.End(), "this function has no resource directive"),
			report.Fix("annotate it with //mcp:resource uri=…"))
	default:
		names = slices.DeleteFunc(names, func(name string) bool {
			r := b.ByName[name]
			return r != nil &&
				r.Decl.Name != name
		})
		b.Report("MCP501", from, to, message, report.Hint("there are: "+report.OrNone(names)), report.Fix("name one of them"))
	}
}

// goNamesBut returns the Go names of resources and prompts, without those that differ from name in case only.
func goNamesBut(all []*binding.Resource, name string, prompts []string) []string {
	var out []string
	for _, r := range all {
		out = append(out, r.Decl.Name)
	}
	out = append(out, prompts...)
	return slices.DeleteFunc(out, func(o string) bool { return strings.EqualFold(o, name) })
}

// buildList gives a template its list function.
func (b *Builder) buildList(d *load.Decl, spec *directive.ListOf) {
	r := b.Target(spec.Of, "list", true)
	sig := source.Signature(d)
	if r == nil || sig == nil {
		return
	}
	if r.List != nil {
		b.Twice(spec.Of, "list")
		return
	}
	r.List = &ir.ListSource{Callee: b.Callee(d), Changes: spec.Changes.V, Page: int(spec.Page.V)}
	r.Names.Entry = goname.Unexported(goname.UpperFirst(b.base(r))) + "Entry"
	if spec.Changes.V {
		r.Names.ListChanged = goname.UpperFirst(b.base(r)) + "ListChanged"
	}
	b.Guard(d)
	forms := fmt.Sprintf(directive.ListForm, names.Template(b.base(r)).Ref)
	if !b.HasContext(d, sig, "list function", forms) || !b.CallerOnly(d, sig, "list function", forms) {
		return
	}
	paged, ok := b.listForm(sig, names.Template(b.base(r)).Ref)
	if !ok {
		from, to := source.ResultRange(d)
		b.Report("MCP401", from, to, fmt.Sprintf("a list function of `%s` has another signature; found func%s", r.Decl.Name,
			b.SignatureText(sig)),
			report.Hint("valid forms: "+forms),
			report.Fix("func "+d.Name+strings.TrimPrefix(strings.Split(forms, " or ")[0], "func")))
		return
	}
	r.List.Paged = paged
	if paged {
		r.List.Callee.Params = []ir.Param{{Kind: ir.ParamPage, Type: b.GoType(sig.Params().At(1).Type())}}
	}
	if last := sig.Params().At(sig.Params().Len() - 1); gotype.SpecialKind(last.Type()) == ir.ParamCaller {
		r.List.Callee.Params = append(r.List.Callee.Params, b.SpecialParam(last))
	}
}

// listForm reports whether a list function has its own paging, and whether its signature is valid.
func (b *Builder) listForm(sig *types.Signature, ref string) (paged, ok bool) {
	res, params := sig.Results(), sig.Params()
	n := params.Len()
	if n > 1 && gotype.SpecialKind(params.At(n-1).Type()) == ir.ParamCaller {
		n--
	}
	isRef := func(t types.Type) bool { return gotype.IsNamed(t, b.Pkg.Path, ref) }
	if res.Len() == 1 && n == 1 {
		args := gotype.Seq2(res.At(0).Type())
		return false, args != nil && isRef(args[0]) && gotype.IsError(args[1])
	}
	if res.Len() == 2 && n == 2 && gotype.IsError(res.At(1).Type()) &&
		gotype.IsNamed(params.At(1).Type(), gotype.RuntimePath, "Page") {
		list, named := types.Unalias(res.At(0).Type()).(*types.Named)
		return true, named && gotype.IsNamed(list, gotype.RuntimePath, "List") && list.TypeArgs().Len() == 1 &&
			isRef(list.TypeArgs().At(0))
	}
	return false, false
}

// buildWatch gives a resource its watch function.
func (b *Builder) buildWatch(d *load.Decl, spec *directive.Watch) {
	r := b.Target(spec.Of, "watch", false)
	sig := source.Signature(d)
	if r == nil || sig == nil {
		return
	}
	if r.Watch != nil {
		b.Twice(spec.Of, "watch")
		return
	}
	c := b.Callee(d)
	b.Guard(d)
	if !r.Subscribe {
		from, to := source.ValueOf(r.Spec.URI.Arg)
		b.Report("MCP501", d.Primary.NamePos, d.Primary.NameEnd(),
			fmt.Sprintf("no client can subscribe to `%s`, so it is never watched", r.Decl.Name),
			b.Related(from, to, "declared without subscribe"), report.Fix("add `subscribe` to its resource directive"))
	}
	if b.HasContext(d, sig, "watcher", directive.WatchForm) {
		c.Params = b.Bind(r, d, sig, 1)
	}
	args := []types.Type(nil)
	if sig.Results().Len() == 1 {
		args = gotype.Seq2(sig.Results().At(0).Type())
	}
	if args == nil || !gotype.IsNamed(args[0], "time", "Time") || !gotype.IsError(args[1]) {
		from, to := source.ResultRange(d)
		b.Report("MCP401", from, to, fmt.Sprintf("a watch function returns iter.Seq2[time.Time, error]; found %s",
			b.ResultsText(sig)),
			report.Hint("valid form: "+directive.WatchForm), report.Fix("iter.Seq2[time.Time, error]"))
		return
	}
	r.Watch = &c
}

// listMeant reports whether a list directive, perhaps one with mistakes, is for r.
func (b *Builder) listMeant(r *binding.Resource) bool {
	names := []string{r.Decl.Name, r.Name}
	about := func(x *directive.Directive) bool {
		spec, ok := x.Spec.(*directive.ListOf)
		return ok && (x.Bad || b.ByName[spec.Of.V] == nil) &&
			(slices.Contains(names, spec.Of.V) || directive.Nearest(spec.Of.V, names) != "")
	}
	return b.Unparsed || slices.ContainsFunc(b.Pkg.Decls, func(d *load.Decl) bool {
		return slices.ContainsFunc(d.Directives, about)
	})
}
