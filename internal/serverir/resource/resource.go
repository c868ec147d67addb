// Package resource builds the resources of a server, with their lists and watchers.
package resource

import (
	"cmp"
	"fmt"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/mimetype"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/lint"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// buildResource turns one resource directive into IR.
func (b *Builder) buildResource(d *load.Decl, spec *directive.Resource) {
	r := &binding.Resource{Decl: d, Spec: spec, Resource: &ir.Resource{
		Pos: b.Res.Pos(d.Primary.Pos, d.Primary.End), Callee: b.Callee(d), URI: spec.URI.V,
		Name: spec.Name.V, Title: spec.Title.V, Description: spec.Desc.V, MIME: spec.Mime.V,
		Size: -1, Subscribe: spec.Subscribe.V,
	}}
	if r.Name == "" {
		r.Name = names.Shown(d)
	}
	if !spec.Desc.Set() {
		r.Description = source.Description(d.Doc, d.Name)
	}
	if spec.Size.Set() {
		r.Size = spec.Size.V
	}
	if !b.resourceURI(r) {
		b.Broken[d.Name], b.Broken[r.Name] = true, true
		return
	}
	b.refinements(r)
	switch d.Kind {
	case directive.OnStruct:
		b.roots.noRoot(r)
		b.structs.Read(r)
	case directive.OnMethod, directive.OnFunc:
		b.notStruct(r)
		b.resourceFunc(r)
	default:
		b.notStruct(r)
		b.resourceValue(r)
	}
	b.polling(r)
	b.resourceNames(r)
	r.Rules = b.GuardOf(r.Set(), "may"+goname.UpperFirst(r.Names.Read))
	b.publicCache(r)
	b.add(r)
	b.aliases(r)
}

// mistakes has the code of the diagnostic for each mistake in a template.
var mistakes = map[uritemplate.Mistake]string{
	uritemplate.NoURI: "MCP201", uritemplate.Unbalanced: "MCP202", uritemplate.Unmatched: "MCP203",
	uritemplate.Spanning:   "MCP204",
	uritemplate.Expression: "MCP205",
}

// resourceURI parses the URI of r and reports what is wrong with it.
func (b *Builder) resourceURI(r *binding.Resource) bool {
	arg := r.Spec.URI.Arg
	t, vars, problems := uritemplate.Parse(r.URI)
	for _, p := range problems {
		options := []func(*diag.Diagnostic){report.Fix(p.Fix())}
		if e := p.Edit; e != nil && cures(r.URI, *e, len(problems)) {
			options = append(options, b.Edit(arg.At(e.Start), arg.At(e.End), e.New))
		}
		b.Report(mistakes[p.Mistake], arg.At(p.Start), arg.At(p.End), p.Message(), options...)
	}
	if len(problems) > 0 {
		return false
	}
	r.Template, r.Vars = t, nil
	for _, v := range vars {
		r.Vars = append(r.Vars, &ir.Var{Name: v.Name, Op: v.Op, Explode: v.Explode, Escape: v.Escape, MinLen: -1, MaxLen: -1})
	}
	if b.foreignVars(r) {
		return false
	}
	lint.WebScheme(b.Reporter, r.Spec.URI)
	b.strictQuery(r)
	if t != nil && !t.Opaque && len(t.Segments[0]) > 0 && t.Segments[0][0].Var >= 0 {
		authorityVar(b.Reporter, r, t)
	}
	if t != nil && (r.Decl.Kind == directive.OnVar || r.Decl.Kind == directive.OnConst) && !isRootVar(r.Decl) {
		from, to := source.ValueOf(arg)
		b.Report("MCP301", from, to, fmt.Sprintf("no parameter for template variable `%s`: a %s has none", vars[0].Name,
			r.Decl.Kind),
			report.Fix("annotate a function, or write a URI without braces"))
		return false
	}
	return true
}

// cures reports whether a URI has fewer mistakes after an edit. before is their number without it.
func cures(uri string, e uritemplate.Edit, before int) bool {
	_, _, problems := uritemplate.Parse(uri[:e.Start] + e.New + uri[e.End:])
	return len(problems) < before
}

// strictQuery makes the resource refuse unknown parameters of the query. A literal URI is compared as a whole, so there
// it would have no effect.
func (b *Builder) strictQuery(r *binding.Resource) {
	strict := r.Spec.Strict
	switch {
	case !strict.V:
	case r.Template == nil:
		b.Report("MCP109", strict.Arg.Pos, strict.Arg.End,
			"`strict` is about the query of a template, and this URI has no variables", report.Fix("remove it"))
	default:
		r.Template.StrictQuery = true
	}
}

// resourceValue builds a resource whose content is a variable or constant.
func (b *Builder) resourceValue(r *binding.Resource) {
	d := r.Decl
	if d.Obj == nil || source.Invalid(d.Obj.Type()) {
		return
	}
	t := d.Obj.Type()
	from, to := source.NameOf(d)
	if isRootVar(d) {
		b.roots.rootVar(r)
		return
	}
	b.roots.noRoot(r)
	switch {
	case gotype.IsString(t):
		r.Result = ir.ResultText
	case gotype.IsBytes(t):
		r.Result = ir.ResultBlob
		if mimetype.IsText(cmp.Or(r.MIME, embedType(d))) {
			r.Result = ir.ResultTextBytes
		}
	default:
		b.Report("MCP401", from, to, fmt.Sprintf("a resource variable or constant is a string or []byte; found %s",
			b.TypeText(t)),
			report.Fix("write a method that returns the value, and annotate that"))
		return
	}
	embedded := len(d.Embed) > 0
	r.Fixed = embedded || d.Kind == directive.OnConst
	r.SizeOf = r.Fixed && r.Size < 0
	b.FillMIME(r, embedType(d))
}

// embedType returns the MIME type for the extension of an embedded file; "" if it is not known.
func embedType(d *load.Decl) string {
	if len(d.Embed) != 1 {
		return ""
	}
	return mimetype.ByName(d.Embed[0].Text)
}

// Completed returns the variables of r for completion functions.
func (b *Builder) Completed(r *binding.Resource) *feature.Completed {
	return &feature.Completed{
		Set: r.Set(), Completers: &r.Completers,
		Unknown: func(arg *directive.Arg, name string) { b.NoVar(r, arg, name) },
		Strange: func(d *load.Decl, p *types.Var) { b.StrangeParam(r, d, p) },
	}
}
