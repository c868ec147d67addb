package resource

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// foreignSegment matches a segment that is a variable in other template languages and routers: :id, $id, *, ** or
// *path, or one that ends with the $ of ${id}.
var foreignSegment = regexp.MustCompile(
	`^(?:[:$]([A-Za-z_][A-Za-z0-9_]*)[?]?|\*{1,2}([A-Za-z_][A-Za-z0-9_]*)?|%[sdv])$`)

// foreignVars warns of literal text that would be a variable in another template language. If the function has a
// parameter of that name it is an error, and foreignVars returns true.
func (b *Builder) foreignVars(r *binding.Resource) bool {
	arg := r.Spec.URI.Arg
	_, rest, ok := strings.Cut(r.URI, "://")
	at := len(r.URI) - len(rest)
	failed := false
	for i, seg := range strings.Split(rest, "/") {
		from := at
		at += len(seg) + 1
		head, _, braces := strings.Cut(seg, "{")
		m := foreignSegment.FindStringSubmatch(seg)
		if !ok || i == 0 && strings.HasPrefix(seg, ":") || m == nil && (!braces || !strings.HasSuffix(head, "$")) {
			continue
		}
		to, name := from+len(seg), ""
		better := "{name}, or {+path} for several segments"
		switch {
		case m == nil:
			from, to, better = from+len(head)-1, from+len(head), "{name} without `$`"
		case m[1]+m[2] != "":
			name = m[1] + m[2]
			better = "{" + name + "}"
			if m[2] != "" {
				better = "{+" + name + "}"
			}
		}
		options := []func(*diag.Diagnostic){report.Fix(better)}
		if name != "" && slices.Contains(paramsOf(r), name) {
			failed = true
			options = append(options, func(d *diag.Diagnostic) { d.Severity = diag.Error },
				b.Edit(arg.At(from), arg.At(to), better))
		} else {
			options[0] = report.Fix(better + ", or //mcp:allow MCP210 with a reason")
		}
		b.Report("MCP210", arg.At(from), arg.At(to), fmt.Sprintf("`%s` is literal text here: a variable is written in braces",
			r.URI[from:to]), options...)
	}
	return failed
}

// paramsOf returns the names of the parameters of the function of r.
func paramsOf(r *binding.Resource) []string {
	if sig := source.Signature(r.Decl); sig != nil {
		return gotype.ParamNames(sig)
	}
	return nil
}

// authorityVar warns of a variable where URL parsers expect a host name.
func authorityVar(b *report.Reporter, r *binding.Resource, t *uritemplate.Template) {
	arg := r.Spec.URI.Arg
	v := r.Vars[t.Segments[0][0].Var]
	at := strings.Index(r.URI, "{")
	end := at + strings.Index(r.URI[at:], "}") + 1
	better := strings.Replace(r.URI, "://", ":///", 1)
	from, to := source.ValueOf(arg)
	b.Report("MCP208", arg.At(at), arg.At(end),
		fmt.Sprintf("`{%s}` is in the authority of `%s`; values with `/`, space or `:` cannot be written there, "+
			"because URL parsers of clients refuse them", v.Name, r.URI), b.Replace(from, to, better))
}
