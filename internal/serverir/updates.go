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

// updates finds the resources that tools say they change, and where their variables come from.
func (b *serverBuilder) updates() {
	for i, t := range b.server.Tools {
		d := b.tools[i]
		for _, item := range d.Primary.Spec.(*directive.Tool).Updates.V {
			if r := b.updatedResource(d, item); r != nil {
				b.updated[r] = true
				b.update(t, d, item, r)
			}
		}
	}
}

// updatedResource finds the resource with that URI, and complains if there is none to subscribe to.
func (b *serverBuilder) updatedResource(d *load.Decl, item directive.Item) *resource {
	from, to := item.Arg.At(item.From), item.Arg.At(item.To)
	uris := map[string]*resource{}
	for _, r := range b.resources {
		if r.alias == nil {
			uris[r.URI] = r
		}
	}
	r := uris[item.V]
	switch elsewhere := b.whole.serversOfURI(item.V); {
	case r == nil && (b.unparsed || len(b.broken) > 0):
	case r == nil && elsewhere != nil:
		b.updatedElsewhere(d, item, elsewhere)
	case r == nil:
		known := slices.Sorted(maps.Keys(uris))
		option := fix("write the URI of a resource of this package")
		if near := directive.Nearest(item.V, known); near != "" {
			option = fix(near)
		}
		b.report("MCP501", from, to, fmt.Sprintf("`updates=%s` is the URI of no resource here", item.V),
			hint("resources: "+orNone(known)), option)
	case !r.Subscribe:
		ufrom, uto := valueOf(r.spec.URI.Arg)
		b.report("MCP501", from, to, fmt.Sprintf("nobody can subscribe to `%s`, so nobody is told", r.decl.Name),
			b.related(ufrom, uto, "declared without subscribe"), fix("add `subscribe` to its resource directive"))
		return nil
	}
	return r
}

// updatedElsewhere is for a resource that this server does not offer. Nobody can subscribe to it here, which
// is fine if another server of the tool offers it.
func (b *serverBuilder) updatedElsewhere(d *load.Decl, item directive.Item, elsewhere []string) {
	for _, name := range b.whole.serversOf(d, elsewhere) {
		if slices.Contains(elsewhere, name) {
			return
		}
	}
	b.report("MCP501", item.Arg.At(item.From), item.Arg.At(item.To),
		fmt.Sprintf("`updates=%s` is a resource of another server, whose subscribers this tool does not reach", item.V),
		hint("its servers: "+strings.Join(elsewhere,
			", ")), fix("bind both to the same server, or call the Updated method of the other one"))
}

// serversOfURI are the servers that offer the resource with that URI.
func (b *serverBuilder) serversOfURI(uri string) []string {
	var out []string
	eachSpec(b.pkg, func(d *load.Decl, spec *directive.Resource) {
		if spec.URI.V == uri {
			out = append(out, b.serversOf(d, nil)...)
		}
	})
	return out
}

// update notes how the URI of r is made after a call of t.
func (b *serverBuilder) update(t *ir.Tool, d *load.Decl, item directive.Item, r *resource) {
	sig := signature(d)
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

// updateArg finds the field of the input, else of the output, that has the value of v.
func (b *serverBuilder) updateArg(sig *types.Signature, d *load.Decl, item directive.Item, r *resource,
	v *ir.Var) (ir.TouchArg, bool) {
	from, to := item.Arg.At(item.From), item.Arg.At(item.To)
	places := b.updatePlaces(d, sig)
	for _, p := range places {
		f, name := b.fieldFor(p.typ, v)
		if f == nil {
			continue
		}
		arg := ir.TouchArg{From: p.name, Field: name}
		want := b.holders[v]
		switch {
		case want == nil || types.Identical(want.Type(), f.Type()):
			return arg, true
		case isBasicLike(want.Type()) && types.Identical(want.Type().Underlying(), f.Type().Underlying()):
			arg.Convert = true
			return arg, true
		}
		b.report("MCP303", from, to, fmt.Sprintf("variable `%s` is `%s` in `%s`, but field `%s` of `%s` is `%s`",
			v.Name, b.typeText(want.Type()), r.decl.Name, name, b.typeText(p.typ), b.typeText(f.Type())), fix(fmt.Sprintf("give the field the type of the variable, or take a *mcp.Call and say c.ResourceUpdated(%s(…))", r.Names.URI)))
		return ir.TouchArg{}, false
	}
	if query := v.Op.InQuery(); query && leftOut(v) {
		return ir.TouchArg{}, true
	}
	pfrom, pto := nameOf(d)
	b.report("MCP301", from, to, fmt.Sprintf("no field for template variable `%s` in the input or output of `%s`", v.Name,
		d.Name),
		b.related(pfrom, pto, "the tool"), fix(fmt.Sprintf("add a field `%s` to one of them", upperFirst(v.Name))))
	return ir.TouchArg{}, false
}

func isBasicLike(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// updatePlace is a struct that generated code has at hand after a call.
type updatePlace struct {
	name string
	typ  types.Type
}

// updatePlaces are the input and the output of a tool, if they are structs.
func (b *serverBuilder) updatePlaces(d *load.Decl, sig *types.Signature) []updatePlace {
	var out []updatePlace
	add := func(name string, t types.Type) {
		if t = types.Unalias(deref(types.Unalias(t))); isStruct(t) && !isNamed(t, mcpPath, "ToolResult") {
			out = append(out, updatePlace{name, t})
		}
	}
	if in := b.plainIn[d]; in != nil {
		add("in", in)
	}
	for i := 1; i < sig.Params().Len() && b.plainIn[d] == nil; i++ {
		if p := sig.Params().At(i); !special(p.Type()) {
			add("in", p.Type())
		}
	}
	if sig.Results().Len() == 2 {
		add("out", sig.Results().At(0).Type())
	}
	return out
}

// fieldFor is the field of t for a variable, by the name of its member or its Go name, and its selector.
// Fields behind a pointer do not count, because it may be nil.
func (b *serverBuilder) fieldFor(t types.Type, v *ir.Var) (*types.Var, string) {
	var loose *types.Var
	looseName := ""
	for _, f := range jsonFields(t) {
		name, reachable := b.selector(t, f)
		behind := slices.ContainsFunc(f.path[:len(f.path)-1], func(e *types.Var) bool {
			_, pointer := e.Type().Underlying().(*types.Pointer)
			return pointer
		})
		switch {
		case !reachable || behind:
		case f.name == v.Name:
			return f.field(), name
		case loose == nil && (sameName(f.name, v.Name) || sameName(f.field().Name(), v.Name)):
			loose, looseName = f.field(), name
		}
	}
	return loose, looseName
}
