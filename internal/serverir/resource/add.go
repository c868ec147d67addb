package resource

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// suggestLiteral returns a template that cannot be confused with another. It has one more literal segment after the
// scheme, made from the name of the first variable.
func suggestLiteral(text, variable string) string {
	head, tail, found := strings.Cut(text, "{")
	if !found {
		return text
	}
	return head + "by-" + strings.ReplaceAll(variable, "_", "-") + "/{" + tail
}

// add enters r by its names. If two resources serve the same URI, the first one keeps it.
func (b *Builder) add(r *binding.Resource) {
	from, to := source.ValueOf(r.Spec.URI.Arg)
	double, isDouble := b.byURI[r.URI]
	if r.Template != nil {
		for _, i := range b.templates.Near(r.Template) {
			if o := b.All[i]; !isDouble || i < double {
				b.overlapping(o, r)
			}
		}
	}
	if isDouble {
		if o := b.All[double]; !r.SkillFile || o.Decl == r.Decl { // of others, package skill compares the directories
			ofrom, oto := source.ValueOf(o.Spec.URI.Arg)
			b.Report("MCP207", from, to, fmt.Sprintf("`%s` is already declared by `%s`", r.URI, o.Decl.Name),
				b.Related(ofrom, oto, "declared here first"), report.Fix("change one of them"))
		}
		b.Broken[r.Decl.Name], b.Broken[r.Name] = true, true
		b.doubles = append(b.doubles, r)
		return
	}
	if r.Template != nil {
		b.templates.Add(r.Template, len(b.All))
	}
	b.byURI[r.URI] = len(b.All)
	b.All = append(b.All, r)
	b.Server.Resources = append(b.Server.Resources, r.Resource)
	for _, name := range []string{r.Decl.Name, r.Name, b.base(r)} {
		if b.ByName[name] == nil {
			b.ByName[name] = r
		}
	}
}

// overlapping reports two templates that match the same URI, unless one of them is more specific.
func (b *Builder) overlapping(o, r *binding.Resource) {
	witness, bad := uritemplate.Overlap(o.Template, r.Template)
	if !bad {
		return
	}
	from, to := source.ValueOf(r.Spec.URI.Arg)
	ofrom, oto := source.ValueOf(o.Spec.URI.Arg)
	text := fmt.Sprintf("`%s` and `%s` both match `%s`, and neither is more specific", o.URI, r.URI, witness)
	b.Report("MCP206", from, to, text, b.Related(ofrom, oto, "the other template"),
		report.Fix("add a literal segment to one, such as "+suggestLiteral(r.URI, r.Vars[0].Name)))
}
