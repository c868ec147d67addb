package serverir

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
)

// target finds the resource that of= names, and complains if there is none or if it is literal.
func (b *serverBuilder) target(ref directive.Ref, what string, template bool) *resource {
	from, to := valueOf(ref.Arg)
	r := b.byName[ref.V]
	if r == nil {
		b.noResource(ref, "resource", nil)
		return nil
	}
	if o := b.namesake(ref.V, r); o != nil {
		ufrom, uto := valueOf(o.spec.URI.Arg)
		b.report("MCP501", from, to, fmt.Sprintf("`of=%s` is the name of several resources: `%s` and `%s`", ref.V,
			r.decl.Name, o.decl.Name),
			b.related(ufrom, uto, "the other one"), fix("use a Go name, or give them different names"))
		return nil
	}
	if template && r.Template == nil {
		ufrom, uto := valueOf(r.spec.URI.Arg)
		b.report("MCP501", from, to, fmt.Sprintf("`%s` is a single resource, and %s is for templates", ref.V, what),
			b.related(ufrom, uto, "its URI has no variables"), fix("remove the directive"))
		return nil
	}
	return r
}

// namesake is another resource that clients know by name as well, if name is not that of r in the source.
func (b *serverBuilder) namesake(name string, r *resource) *resource {
	if name == r.decl.Name || name == b.base(r) {
		return nil
	}
	i := slices.IndexFunc(b.resources, func(o *resource) bool { return o.Name == name && o.decl != r.decl })
	if i < 0 {
		return nil
	}
	return b.resources[i]
}

// noResource reports a name that is no resource, unless it is one with mistakes of its own. prompts are
// meant too.
func (b *serverBuilder) noResource(ref directive.Ref, what string, prompts []*prompt) {
	from, to := valueOf(ref.Arg)
	message := fmt.Sprintf("`of=%s` names no %s here", ref.V, what)
	names := slices.Sorted(maps.Keys(b.byName))
	for _, p := range prompts {
		names = append(names, p.decl.Name)
	}
	near, fn := directive.Nearest(ref.V, names), b.funcNamed(ref.V)
	switch elsewhere := b.whole.serversNamed(ref.V, nil); {
	case b.broken[ref.V]:
	case strings.Contains(ref.V, ","):
		b.report("MCP501", from, to, fmt.Sprintf("`of=%s` names several resources; only complete takes a list", ref.V),
			fix("write a function for each of them"))
	case elsewhere != nil:
		b.report("MCP501", from, to, fmt.Sprintf("`of=%s` names no resource of server `%s`", ref.V, b.name),
			hint("its servers: "+strings.Join(elsewhere,
				", ")), fix("leave out server= here, or add this server to the resource"))
	case near != "":
		b.report("MCP501", from, to, message, fix("did you mean `"+near+"`?"),
			b.meant(from, to, ref.V, b.goNamesBut(ref.V, prompts)))
	case b.unparsed:
	case fn != nil:
		b.report("MCP501", from, to, message, b.related(fn.Pos(), fn.End(), "this function has no resource directive"),
			fix("annotate it with //mcp:resource uri=…"))
	default:
		names = slices.DeleteFunc(names, func(name string) bool {
			r := b.byName[name]
			return r != nil &&
				r.decl.Name != name
		})
		b.report("MCP501", from, to, message, hint("there are: "+orNone(names)), fix("name one of them"))
	}
}

// goNamesBut are the Go names of resources and prompts, which the compiler vouches for, without those that differ in
// case only.
func (b *serverBuilder) goNamesBut(name string, prompts []*prompt) []string {
	var out []string
	for _, r := range b.resources {
		out = append(out, r.decl.Name)
	}
	for _, p := range prompts {
		out = append(out, p.decl.Name)
	}
	return slices.DeleteFunc(out, func(o string) bool { return strings.EqualFold(o, name) })
}

// buildList attaches a lister to its template.
func (b *serverBuilder) buildList(d *load.Decl, spec *directive.ListOf) {
	r := b.target(spec.Of, "list", true)
	sig := signature(d)
	if r == nil || sig == nil {
		return
	}
	if r.List != nil {
		b.twice(spec.Of, "list")
		return
	}
	r.List = &ir.ListSource{Callee: b.callee(d), Changes: spec.Changes.V, Page: int(spec.Page.V)}
	r.Names.Entry = unexported(upperFirst(b.base(r))) + "Entry"
	if spec.Changes.V {
		r.Names.ListChanged = upperFirst(b.base(r)) + "ListChanged"
	}
	b.guard(d, "")
	forms := fmt.Sprintf(directive.ListForm, templateNames(b.base(r)).Ref)
	if !b.hasContext(d, sig, "lister", forms) || !b.callerOnly(d, sig, "lister", forms) {
		return
	}
	paged, ok := b.listForm(sig, templateNames(b.base(r)).Ref)
	if !ok {
		from, to := resultRange(d)
		b.report("MCP401", from, to, fmt.Sprintf("a lister of `%s` has another signature; found func%s", r.decl.Name,
			b.signatureText(sig)),
			hint("valid forms: "+forms), fix("func "+d.Name+strings.TrimPrefix(strings.Split(forms, " or ")[0], "func")))
		return
	}
	r.List.Paged = paged
	if paged {
		r.List.Callee.Params = []ir.Param{{Kind: ir.ParamPage, Type: b.goType(sig.Params().At(1).Type())}}
	}
	if last := sig.Params().At(sig.Params().Len() - 1); specialKind(last.Type()) == ir.ParamCaller {
		r.List.Callee.Params = append(r.List.Callee.Params, b.specialParam(last))
	}
}

// listForm reports which form of lister a signature has.
func (b *serverBuilder) listForm(sig *types.Signature, ref string) (paged, ok bool) {
	res, params := sig.Results(), sig.Params()
	n := params.Len()
	if n > 1 && specialKind(params.At(n-1).Type()) == ir.ParamCaller {
		n--
	}
	isRef := func(t types.Type) bool { return isNamed(t, b.pkg.Path, ref) }
	if res.Len() == 1 && n == 1 {
		args := seq2(res.At(0).Type())
		return false, args != nil && isRef(args[0]) && isError(args[1])
	}
	if res.Len() == 2 && n == 2 && isError(res.At(1).Type()) && isNamed(params.At(1).Type(), mcpPath, "Page") {
		list, named := types.Unalias(res.At(0).Type()).(*types.Named)
		return true, named && isNamed(list, mcpPath, "List") && list.TypeArgs().Len() == 1 && isRef(list.TypeArgs().At(0))
	}
	return false, false
}

func (b *serverBuilder) signatureText(sig *types.Signature) string {
	return strings.TrimPrefix(b.typeText(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(),
		sig.Variadic())), "func")
}

// twice reports a second function for the same purpose.
func (b *serverBuilder) twice(ref directive.Ref, what string) {
	from, to := valueOf(ref.Arg)
	b.report("MCP106", from, to, fmt.Sprintf("`%s` already has a %s function", ref.V, what), fix("remove one of them"))
}

// buildWatch attaches a watcher to its resource.
func (b *serverBuilder) buildWatch(d *load.Decl, spec *directive.Watch) {
	r := b.target(spec.Of, "watch", false)
	sig := signature(d)
	if r == nil || sig == nil {
		return
	}
	if r.Watch != nil {
		b.twice(spec.Of, "watch")
		return
	}
	c := b.callee(d)
	b.guard(d, "")
	if !r.Subscribe {
		from, to := valueOf(r.spec.URI.Arg)
		b.report("MCP501", d.Primary.NamePos, d.Primary.NameEnd(),
			fmt.Sprintf("nobody can subscribe to `%s`, so it is never watched", r.decl.Name),
			b.related(from, to, "declared without subscribe"), fix("add `subscribe` to its resource directive"))
	}
	if b.hasContext(d, sig, "watcher", directive.WatchForm) {
		c.Params = b.bind(r, d, sig, 1)
	}
	args := []types.Type(nil)
	if sig.Results().Len() == 1 {
		args = seq2(sig.Results().At(0).Type())
	}
	if args == nil || !isNamed(args[0], "time", "Time") || !isError(args[1]) {
		from, to := resultRange(d)
		b.report("MCP401", from, to, fmt.Sprintf("a watcher returns iter.Seq2[time.Time, error]; found %s",
			b.resultsText(sig)),
			hint("valid form: "+directive.WatchForm), fix("iter.Seq2[time.Time, error]"))
		return
	}
	r.Watch = &c
}

// buildCompletes attaches a completion function to a variable of each resource that it names.
func (b *serverBuilder) buildCompletes(d *load.Decl, spec *directive.Complete) {
	for _, item := range spec.Of.V {
		of := item.Ref()
		if len(spec.Of.V) > 1 && b.byName[of.V] == nil && b.promptNamed(of.V) == nil &&
			b.whole.serversNamed(of.V, nil) != nil {
			continue // it is a resource of another server
		}
		b.buildComplete(d, spec, of)
	}
}

// buildComplete attaches a completion function to a variable.
func (b *serverBuilder) buildComplete(d *load.Decl, spec *directive.Complete, of directive.Ref) {
	r := b.completed(of)
	sig := signature(d)
	if r == nil || sig == nil {
		return
	}
	k := slices.IndexFunc(r.Vars, func(v *ir.Var) bool { return v.Name == spec.Var.V })
	switch {
	case k < 0 && r.prompt != nil && signature(r.decl) == nil:
		return // what its arguments are is not known
	case k < 0 && r.prompt != nil:
		b.noArg(r.prompt, spec.Var.Arg, spec.Var.V, varNames(r))
		return
	case k < 0 && len(spec.Of.V) > 1:
		from, to := valueOf(of.Arg)
		b.report("MCP502", from, to, fmt.Sprintf("`%s` has no variable `%s`", of.V, spec.Var.V),
			hint("variables: "+orNone(varNames(r))), fix("write a function of its own for it"))
		return
	case k < 0:
		b.noVar(r, spec.Var.Arg, spec.Var.V)
		return
	}
	if slices.ContainsFunc(r.Completers, func(c ir.Completer) bool { return c.Var == k }) {
		b.twice(of, "complete")
		return
	}
	c := b.callee(d)
	b.guard(d, "")
	if !b.completeForm(d, sig) || !b.hasPrefix(r, k, sig) {
		return
	}
	c.Params = []ir.Param{{Kind: ir.ParamPrefix, Type: b.goType(sig.Params().At(1).Type())}}
	for _, p := range b.bind(r, d, sig, 2) {
		if p.Kind == ir.ParamVar {
			p.Kind = ir.ParamGiven
		}
		c.Params = append(c.Params, p)
	}
	name := "complete" + upperFirst(b.base(r)) + upperFirst(r.Vars[k].Param)
	r.Completers = append(r.Completers, ir.Completer{Var: k, Callee: &c, Name: name})
}

// hasPrefix reports a completion function of variable k whose prefix was forgotten: where it should stand, there is a
// parameter named like another variable.
func (b *serverBuilder) hasPrefix(r *resource, k int, sig *types.Signature) bool {
	p := sig.Params().At(1)
	i := slices.IndexFunc(r.Vars, func(v *ir.Var) bool { return v.Name == p.Name() || v.Param == p.Name() })
	if i < 0 || i == k {
		return true
	}
	from, to := paramRange(p)
	b.report("MCP401", from, to,
		fmt.Sprintf("the first parameter of a completion function is what was typed of `%s`, and this one is named like the variable `%s`", r.Vars[k].Name, r.Vars[i].Name),
		hint("valid form: "+directive.CompleteForm), fix("prefix, "+p.Name()+" string"))
	return false
}

// completed finds the resource, or the variables of the prompt, that of= names.
func (b *serverBuilder) completed(ref directive.Ref) *resource {
	if r := b.byName[ref.V]; r == nil || r.Template == nil {
		if p := b.promptNamed(ref.V); p != nil {
			return p.vars
		}
	}
	if r := b.byName[ref.V]; r != nil {
		return b.target(ref, "complete", true)
	}
	b.noResource(ref, "resource or prompt", b.prompts)
	return nil
}

// completeForm checks the signature of a completion function.
func (b *serverBuilder) completeForm(d *load.Decl, sig *types.Signature) bool {
	if !b.hasContext(d, sig, "completion function", directive.CompleteForm) ||
		!b.callerOnly(d, sig, "completion function", directive.CompleteForm) {
		return false
	}
	res := sig.Results()
	strs := func(t types.Type) bool {
		s, ok := types.Unalias(t).(*types.Slice)
		return ok && types.Identical(s.Elem(), types.Typ[types.String])
	}
	if sig.Params().Len() >= 2 && isString(sig.Params().At(1).Type()) && res.Len() == 2 && strs(res.At(0).Type()) &&
		isError(res.At(1).Type()) {
		return true
	}
	from, to := resultRange(d)
	b.report("MCP401", from, to, fmt.Sprintf("a completion function has another signature; found func%s",
		b.signatureText(sig)),
		hint("valid form: "+directive.CompleteForm), fix("func "+d.Name+strings.TrimPrefix(directive.CompleteForm, "func")))
	return false
}
