// Package structs reads annotated structs, whose values are resources.
package structs

import (
	"cmp"
	"fmt"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/jsoncheck"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// Read is a resource whose content is a value of an annotated struct: the only one for a
// literal URI, one for each key for a template.
func (b *Reader) Read(r *binding.Resource) {
	d := r.Decl
	if d.Obj == nil || source.Invalid(d.Obj.Type()) || !b.structForm(r) {
		return
	}
	if !r.Spec.Desc.Set() {
		r.Description = source.TypeDescription(r.Description)
	}
	t := d.Obj.Type()
	r.Struct = &ir.ResourceStruct{Kind: b.structKind(r), Type: b.GoType(t), Field: goname.UpperFirst(d.Name)}
	b.structVars(r)
	fields := b.taggedFields(t.Underlying().(*types.Struct), "")
	b.bindKeys(r, fields)
	for _, f := range fields {
		b.role(r, f)
	}
	r.Result = bodyKind(r.Struct.Body, fields)
	if r.Result == ir.ResultJSON {
		from, to := source.NameOf(d)
		jsoncheck.Check(b.Types, t, false, from, to)
		if r.Struct.Body == nil {
			r.Encode, r.OutPointer = b.Encoder(t), true
		}
	}
	if r.Result == ir.ResultTextBytes {
		r.MIME = cmp.Or(r.MIME, "text/plain")
	}
	b.FillMIME(r, "")
	b.CheckVars(r)
	b.keeper(r)
}

// structForm refuses what no value can be kept of.
func (b *Reader) structForm(r *binding.Resource) bool {
	from, to := source.NameOf(r.Decl)
	if n, ok := types.Unalias(r.Decl.Obj.Type()).(*types.Named); ok && n.TypeParams().Len() > 0 {
		b.Report("MCP405", from, to, "a resource struct cannot have type parameters", report.Fix("declare a struct without"))
		return false
	}
	for _, d := range b.Decls.Of(b.Pkg).Methods[r.Decl.Name] {
		if d.Primary != nil && !d.Primary.Bad {
			b.Report("MCP405", d.Primary.NamePos, d.Primary.NameEnd(),
				fmt.Sprintf("`%s` is a method of the resource struct `%s`, whose values the server does not hold", d.Name, d.Recv),
				b.Related(from, to, "the struct"),
				report.Fix("write it on another type, with a field of what is generated for the struct"))
			return false
		}
	}
	return true
}

// structKind says where the values are, and reports options of the directive that do not fit.
func (b *Reader) structKind(r *binding.Resource) ir.StructKind {
	store, source, poll := r.Spec.Store, r.Spec.Source, r.Spec.Poll
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
				b.Misfit(k.Arg, fmt.Sprintf("`%s` is for templates, and `%s` is one resource", k.Arg.Option, r.URI),
					"remove it, or write a URI with variables")
			}
		}
	} else if store.V && source.V {
		b.Misfit(source.Arg, "`source` contradicts `store`", "drop one")
	}
	if list := r.Spec.List; list.V == "walk" || list.V == "enum" {
		b.Misfit(list.Arg, fmt.Sprintf("`list=%s` is for functions; the values of a struct are known", list.V),
			"list, or list=none")
	}
	if poll.Set() && kind != ir.StructSource {
		b.Misfit(poll.Arg, "`poll` is for values that live elsewhere; here every change is known",
			"remove it, or add `source`")
	}
	return kind
}

// structVars reads the var lines of a struct. Its fields say where variables go, so param= does not.
func (b *Reader) structVars(r *binding.Resource) {
	ok := true
	for _, m := range load.Refinements[*directive.Var](r.Decl) {
		if m.Param.Set() {
			b.Misfit(m.Param.Arg, "`param` is for functions", fmt.Sprintf("tag the field with `mcp:\"key,%s\"`", m.Name.V))
			ok = false
		}
	}
	if ok {
		b.VarLines(r)
	}
}

// keeper gives the Impl struct a field for what keeps the values, and says how they are listed.
func (b *Reader) keeper(r *binding.Resource) {
	s, up := r.Struct, goname.UpperFirst(r.Decl.Name)
	s.Names = names.Struct(r.Decl.Name, s.Kind, len(r.Vars))
	field := &ir.GoType{Kind: ir.GoNamed, Path: b.Pkg.Path, PkgName: b.Pkg.Name, Name: s.Names.Keeper}
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
	b.Server.Receivers = append(b.Server.Receivers, ir.Receiver{Field: up, Type: field, Pointer: true, Doc: verb + r.URI +
		"."})
	if s.Kind == ir.StructHolder || r.Spec.List.V != "none" {
		r.List = &ir.ListSource{Callee: ir.Callee{Kind: ir.CalleeType, Name: s.Names.Keeper + ".List"},
			Paged: s.Kind == ir.StructSource, Changes: s.Kind != ir.StructHolder}
	}
}

// FitNames drops the names that a struct does not need: what the server keeps reports its own changes.
func FitNames(r *binding.Resource) {
	s, n := r.Struct, &r.Names
	n.Entry = goname.Unexported(goname.UpperFirst(r.Decl.Name)) + "Entry"
	n.Ref = ""
	switch {
	case s.Kind != ir.StructSource:
		n.Updated, n.Read, n.Watch = "", "", ""
	case r.List != nil:
		n.ListChanged = goname.UpperFirst(r.Decl.Name) + "ListChanged"
	default:
		n.Entry = ""
	}
	if s.Kind == ir.StructSource && !r.Subscribe {
		s.Names.Watcher = ""
	}
}
