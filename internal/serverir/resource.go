package serverir

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/mimetype"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// buildResource turns one resource directive into IR.
func (b *serverBuilder) buildResource(d *load.Decl, spec *directive.Resource) {
	r := &resource{decl: d, spec: spec, Resource: &ir.Resource{
		Pos: b.res.Pos(d.Primary.Pos, d.Primary.End), Callee: b.callee(d), URI: spec.URI.V,
		Name: spec.Name.V, Title: spec.Title.V, Description: spec.Desc.V, MIME: spec.Mime.V,
		Size: -1, Subscribe: spec.Subscribe.V,
	}}
	if r.Name == "" {
		r.Name = joinLower(d.Name, "-")
	}
	if !spec.Desc.Set() {
		r.Description = descriptionOf(d.Doc, d.Name)
	}
	if spec.Size.Set() {
		r.Size = spec.Size.V
	}
	if !b.resourceURI(r) {
		b.broken[d.Name], b.broken[r.Name] = true, true
		return
	}
	b.refinements(r)
	switch d.Kind {
	case directive.OnStruct:
		b.noRoot(r)
		b.resourceStruct(r)
	case directive.OnMethod, directive.OnFunc:
		b.notStruct(r)
		b.resourceFunc(r)
	default:
		b.notStruct(r)
		b.resourceValue(r)
	}
	b.polling(r)
	b.resourceNames(r)
	r.Rules = b.guardOf(r, "may"+upperFirst(r.Names.Read))
	b.publicCache(r)
	b.add(r)
	b.aliases(r)
}

// mistakes are the codes of what is wrong in a template.
var mistakes = map[uritemplate.Mistake]string{
	uritemplate.NoURI: "MCP201", uritemplate.Unbalanced: "MCP202", uritemplate.Unmatched: "MCP203",
	uritemplate.Spanning:   "MCP204",
	uritemplate.Expression: "MCP205",
}

// resourceURI parses the URI and reports what is wrong with it.
func (b *serverBuilder) resourceURI(r *resource) bool {
	arg := r.spec.URI.Arg
	t, vars, problems := uritemplate.Parse(r.URI)
	for _, p := range problems {
		options := []func(*diag.Diagnostic){fix(p.Fix())}
		if e := p.Edit; e != nil && cures(r.URI, *e, len(problems)) {
			options = append(options, b.edit(arg.At(e.Start), arg.At(e.End), e.New))
		}
		b.report(mistakes[p.Mistake], arg.At(p.Start), arg.At(p.End), p.Message(), options...)
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
	b.webScheme(r)
	b.strictQuery(r)
	if t != nil && !t.Opaque && len(t.Segments[0]) > 0 && t.Segments[0][0].Var >= 0 {
		b.authorityVar(r, t)
	}
	if t != nil && (r.decl.Kind == directive.OnVar || r.decl.Kind == directive.OnConst) && !isRootVar(r.decl) {
		from, to := valueOf(arg)
		b.report("MCP301", from, to, fmt.Sprintf("no parameter for template variable `%s`: a %s has none", vars[0].Name,
			r.decl.Kind),
			fix("annotate a function, or write a URI without braces"))
		return false
	}
	return true
}

// cures reports whether a URI has fewer problems after an edit, and none of its kind.
func cures(uri string, e uritemplate.Edit, before int) bool {
	_, _, problems := uritemplate.Parse(uri[:e.Start] + e.New + uri[e.End:])
	return len(problems) < before
}

// strictQuery notes that unknown parameters are refused. The URI of a literal is compared as a whole, so
// there is nothing to refuse.
func (b *serverBuilder) strictQuery(r *resource) {
	strict := r.spec.Strict
	switch {
	case !strict.V:
	case r.Template == nil:
		b.report("MCP109", strict.Arg.Pos, strict.Arg.End,
			"`strict` is about the query of a template, and this URI has no variables", fix("remove it"))
	default:
		r.Template.StrictQuery = true
	}
}

// authorityVar warns of a variable where URL parsers expect a host name.
func (b *serverBuilder) authorityVar(r *resource, t *uritemplate.Template) {
	arg := r.spec.URI.Arg
	v := r.Vars[t.Segments[0][0].Var]
	at := strings.Index(r.URI, "{")
	end := at + strings.Index(r.URI[at:], "}") + 1
	better := strings.Replace(r.URI, "://", ":///", 1)
	from, to := valueOf(arg)
	b.report("MCP208", arg.At(at), arg.At(end),
		fmt.Sprintf("`{%s}` is in the authority of `%s`; values with `/`, space or `:` cannot be written there, "+
			"because URL parsers of clients refuse them", v.Name, r.URI), b.replace(from, to, better))
}

// add files r under its names. What is served first at a URI keeps it.
func (b *serverBuilder) add(r *resource) {
	from, to := valueOf(r.spec.URI.Arg)
	double, isDouble := b.byURI[r.URI]
	if r.Template != nil {
		for _, i := range b.templates.Near(r.Template) {
			if o := b.resources[i]; !isDouble || i < double {
				b.overlapping(o, r)
			}
		}
	}
	if isDouble {
		o := b.resources[double]
		ofrom, oto := valueOf(o.spec.URI.Arg)
		b.report("MCP207", from, to, fmt.Sprintf("`%s` is already declared by `%s`", r.URI, o.decl.Name),
			b.related(ofrom, oto, "declared here first"), fix("change one of them"))
		b.broken[r.decl.Name], b.broken[r.Name] = true, true
		b.doubles = append(b.doubles, r)
		return
	}
	if r.Template != nil {
		b.templates.Add(r.Template, len(b.resources))
	}
	b.byURI[r.URI] = len(b.resources)
	b.resources = append(b.resources, r)
	b.server.Resources = append(b.server.Resources, r.Resource)
	for _, name := range []string{r.decl.Name, r.Name, b.base(r)} {
		if b.byName[name] == nil {
			b.byName[name] = r
		}
	}
}

// overlapping reports two templates that match one URI if neither is more specific.
func (b *serverBuilder) overlapping(o, r *resource) {
	witness, bad := uritemplate.Overlap(o.Template, r.Template)
	if !bad {
		return
	}
	from, to := valueOf(r.spec.URI.Arg)
	ofrom, oto := valueOf(o.spec.URI.Arg)
	text := fmt.Sprintf("`%s` and `%s` both match `%s`, and neither is more specific", o.URI, r.URI, witness)
	b.report("MCP206", from, to, text, b.related(ofrom, oto, "the other template"),
		fix("add a literal segment to one, such as "+suggestLiteral(r.URI, r.Vars[0].Name)))
}

// resourceNames computes the identifiers that r needs.
func (b *serverBuilder) resourceNames(r *resource) {
	n := templateNames(b.base(r))
	if r.Template == nil {
		n = ir.ResourceNames{Read: n.Read, Watch: n.Watch}
	}
	if r.Subscribe {
		n.Updated = upperFirst(b.base(r)) + "Updated"
	}
	n.Entry, n.List = "", "" // until a list is found
	if r.decl.Recv != "" && slices.ContainsFunc(b.resources, func(o *resource) bool { return o.Names.Read == n.Read }) {
		full := upperFirst(r.decl.Recv) + upperFirst(r.decl.Name)
		n.Read, n.Watch = "read"+full, "watch"+full
	}
	r.Names = n
	if r.Root != nil {
		r.Root.Files = "files" + strings.TrimPrefix(n.Read, "read")
	}
	if r.Struct != nil {
		fitStructNames(r)
	}
}

// resourceValue is a resource whose content is a variable or constant.
func (b *serverBuilder) resourceValue(r *resource) {
	d := r.decl
	if d.Obj == nil || invalid(d.Obj.Type()) {
		return
	}
	t := d.Obj.Type()
	from, to := nameOf(d)
	if isRootVar(d) {
		b.rootVar(r)
		return
	}
	b.noRoot(r)
	switch {
	case isString(t):
		r.Result = ir.ResultText
	case isBytes(t):
		r.Result = ir.ResultBlob
		if mimetype.IsText(cmp.Or(r.MIME, embedType(d))) {
			r.Result = ir.ResultTextBytes
		}
	default:
		b.report("MCP401", from, to, fmt.Sprintf("a resource variable or constant is a string or []byte; found %s",
			b.typeText(t)),
			fix("write a method that returns the value, and annotate that"))
		return
	}
	embedded := len(d.Embed) > 0
	r.Fixed = embedded || d.Kind == directive.OnConst
	r.SizeOf = r.Fixed && r.Size < 0
	b.mimeOf(r, embedType(d))
}

// embedType is the MIME type that the extension of an embedded file stands for, or "".
func embedType(d *load.Decl) string {
	if len(d.Embed) != 1 {
		return ""
	}
	return mimetype.ByName(d.Embed[0])
}

// mimeOf fills in the MIME type if the directive does not say one, and checks it against the result.
func (b *serverBuilder) mimeOf(r *resource, fallback string) {
	if r.MIME == "" {
		r.MIME = fallback
	}
	switch r.Result {
	case ir.ResultText, ir.ResultMarshaler:
		if r.MIME == "" {
			r.MIME = "text/plain"
		} else if mimetype.IsBinary(r.MIME) && r.spec.Mime.Set() {
			from, to := valueOf(r.spec.Mime.Arg)
			b.report("MCP402", from, to, fmt.Sprintf("string result with `mime=%s`: text would be sent for a binary type",
				r.MIME), fix("return []byte"))
		}
	case ir.ResultBlob, ir.ResultStream:
		if r.MIME == "" && r.Root == nil { // each file has its own
			r.MIME = "application/octet-stream"
		}
	case ir.ResultJSON:
		if r.MIME == "" {
			r.MIME = "application/json"
		}
	}
}
