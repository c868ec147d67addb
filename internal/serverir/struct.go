package serverir

import (
	"cmp"
	"fmt"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// resourceStruct is a resource whose content is a value of an annotated struct: the only one for a
// literal URI, one for each key for a template.
func (b *serverBuilder) resourceStruct(r *resource) {
	d := r.decl
	if d.Obj == nil || invalid(d.Obj.Type()) || !b.structForm(r) {
		return
	}
	if !r.spec.Desc.Set() {
		r.Description = descriptionOfType(r.Description)
	}
	t := d.Obj.Type()
	r.Struct = &ir.ResourceStruct{Kind: b.structKind(r), Type: b.goType(t), Field: upperFirst(d.Name)}
	b.structVars(r)
	fields := b.taggedFields(t.Underlying().(*types.Struct), "")
	b.bindKeys(r, fields)
	for _, f := range fields {
		b.role(r, f)
	}
	r.Result = bodyKind(r.Struct.Body, fields)
	if r.Result == ir.ResultJSON {
		from, to := nameOf(d)
		b.checkJSON(t, false, from, to)
		if r.Struct.Body == nil {
			r.Encode, r.OutPointer = b.encoder(t), true
		}
	}
	if r.Result == ir.ResultTextBytes {
		r.MIME = cmp.Or(r.MIME, "text/plain")
	}
	b.mimeOf(r, "")
	b.checkVars(r)
	b.keeper(r)
}

// structForm refuses what no value can be kept of.
func (b *serverBuilder) structForm(r *resource) bool {
	from, to := nameOf(r.decl)
	if n, ok := types.Unalias(r.decl.Obj.Type()).(*types.Named); ok && n.TypeParams().Len() > 0 {
		b.report("MCP405", from, to, "a resource struct cannot have type parameters", fix("declare a struct without"))
		return false
	}
	for _, d := range b.pkg.Decls {
		if d.Recv == r.decl.Name && d.Primary != nil && !d.Primary.Bad {
			b.report("MCP405", d.Primary.NamePos, d.Primary.NameEnd(),
				fmt.Sprintf("`%s` is a method of the resource struct `%s`, whose values the server does not hold", d.Name, d.Recv),
				b.related(from, to, "the struct"), fix("write it on another type, with a field of what is generated for the struct"))
			return false
		}
	}
	return true
}

// structKind says where the values are, and reports options of the directive that do not fit.
func (b *serverBuilder) structKind(r *resource) ir.StructKind {
	store, source, poll := r.spec.Store, r.spec.Source, r.spec.Poll
	kind := ir.StructStore
	switch {
	case r.Template == nil:
		kind = ir.StructHolder
	case source.V:
		kind = ir.StructSource
	}
	if kind == ir.StructHolder {
		for _, k := range []directive.Bool{store, source} {
			if k.V {
				b.misfit(k.Arg, fmt.Sprintf("`%s` is for templates, and `%s` is one resource", k.Arg.Option, r.URI),
					"remove it, or write a URI with variables")
			}
		}
	} else if store.V && source.V {
		b.misfit(source.Arg, "`source` contradicts `store`", "drop one")
	}
	if list := r.spec.List; list.V == "walk" || list.V == "enum" {
		b.misfit(list.Arg, fmt.Sprintf("`list=%s` is for functions; the values of a struct are known", list.V),
			"list, or list=none")
	}
	if poll.Set() && kind != ir.StructSource {
		b.misfit(poll.Arg, "`poll` is for values that live elsewhere; here every change is known",
			"remove it, or add `source`")
	}
	return kind
}

// misfit reports an option of a directive.
func (b *serverBuilder) misfit(arg *directive.Arg, message, better string) {
	b.report("MCP405", arg.Pos, arg.End, message, fix(better))
}

// notStruct refuses options that only structs can have.
func (b *serverBuilder) notStruct(r *resource) {
	for _, k := range []directive.Bool{r.spec.Store, r.spec.Source} {
		if k.V {
			b.misfit(k.Arg, fmt.Sprintf("`%s` is for structs, and `%s` is a %s", k.Arg.Option, r.decl.Name, r.decl.Kind),
				"remove it")
		}
	}
	if r.spec.List.V == "true" {
		b.misfit(r.spec.List.Arg, "`list` alone is for structs, whose values the server knows",
			"list=none, or a function with //mcp:list of="+r.decl.Name)
	}
}

// polling notes the interval of a resource and reports one that nobody gains from.
func (b *serverBuilder) polling(r *resource) {
	poll := r.spec.Poll
	switch {
	case !poll.Set():
	case poll.V <= 0:
		b.misfit(poll.Arg, "`poll` needs an interval of more than 0", "poll=30s")
	case !r.Subscribe:
		b.misfit(poll.Arg, fmt.Sprintf("nobody can subscribe to `%s`, so it is never polled", r.decl.Name), "add `subscribe`")
	case r.Fixed:
		b.misfit(poll.Arg, fmt.Sprintf("`%s` never changes", r.decl.Name), "remove it")
	default:
		r.PollMillis = max(1, poll.V.Milliseconds())
	}
}

// structVars reads the var lines of a struct. Its fields say where variables go, so param= does not.
func (b *serverBuilder) structVars(r *resource) {
	ok := true
	for _, m := range load.Refinements[*directive.Var](r.decl) {
		if m.Param.Set() {
			b.misfit(m.Param.Arg, "`param` is for functions", fmt.Sprintf("tag the field with `mcp:\"key,%s\"`", m.Name.V))
			ok = false
		}
	}
	if ok {
		b.varLines(r)
	}
}

// keeper gives the Impl struct a field for what keeps the values, and says how they are listed.
func (b *serverBuilder) keeper(r *resource) {
	s, up := r.Struct, upperFirst(r.decl.Name)
	s.Names = structNames(r.decl.Name, s.Kind, len(r.Vars))
	field := &ir.GoType{Kind: ir.GoNamed, Path: b.pkg.Path, PkgName: b.pkg.Name, Name: s.Names.Keeper}
	verb := "keeps the values of "
	switch s.Kind {
	case ir.StructHolder:
		verb = "keeps the value of "
	case ir.StructSource:
		verb = "has the values of "
	}
	if s.Kind != ir.StructSource {
		field = &ir.GoType{Kind: ir.GoPointer, Elem: field}
	}
	b.server.Receivers = append(b.server.Receivers, ir.Receiver{Field: up, Type: field, Pointer: true, Doc: verb + r.URI +
		"."})
	if s.Kind == ir.StructHolder || r.spec.List.V != "none" {
		r.List = &ir.ListSource{Callee: ir.Callee{Kind: ir.CalleeType, Name: s.Names.Keeper + ".List"},
			Paged: s.Kind == ir.StructSource, Changes: s.Kind != ir.StructHolder}
	}
}

// structNames are the names generated for a struct.
func structNames(base string, kind ir.StructKind, vars int) ir.StructNames {
	up := upperFirst(base)
	n := ir.StructNames{Contents: unexported(up) + "Contents"}
	switch kind {
	case ir.StructHolder:
		n.Keeper, n.New = up+"Holder", "New"+up+"Holder"
	case ir.StructStore:
		n.Keeper, n.New = up+"Store", "New"+up+"Store"
	default:
		n.Keeper, n.Watcher = up+"Source", up+"Watcher"
	}
	if vars > 1 && kind == ir.StructStore {
		n.Key = up + "Key"
	}
	return n
}

// fitStructNames drops the names that a struct does not need: what the server keeps reports its own changes.
func fitStructNames(r *resource) {
	s, n := r.Struct, &r.Names
	n.Entry = unexported(upperFirst(r.decl.Name)) + "Entry"
	n.Ref = ""
	switch {
	case s.Kind != ir.StructSource:
		n.Updated, n.Read, n.Watch = "", "", ""
	case r.List != nil:
		n.ListChanged = upperFirst(r.decl.Name) + "ListChanged"
	default:
		n.Entry = ""
	}
	if s.Kind == ir.StructSource && !r.Subscribe {
		s.Names.Watcher = ""
	}
}

// stubNames are the types and functions that the output for structs will declare; source types are
// interfaces.
func stubNames(pkg *load.Package) (types, interfaces, funcs []string) {
	eachSpec(pkg, func(d *load.Decl, spec *directive.Resource) {
		if d.Kind != directive.OnStruct {
			return
		}
		kind, vars := ir.StructHolder, 0
		if t, list, problems := uritemplate.Parse(spec.URI.V); t != nil && len(problems) == 0 {
			kind, vars = ir.StructStore, len(list)
		}
		if spec.Source.V && vars > 0 {
			kind = ir.StructSource
		}
		n := structNames(d.Name, kind, vars)
		types, funcs = append(types, n.Key), append(funcs, n.New)
		if kind == ir.StructSource {
			interfaces = append(interfaces, n.Keeper, n.Watcher)
		} else {
			types = append(types, n.Keeper)
		}
	})
	return types, interfaces, funcs
}
