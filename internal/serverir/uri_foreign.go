package serverir

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// foreignSegment is a segment that is :id, $id, *, ** or *path, or ends with the $ of ${id}, as routers and other
// template languages write variables.
var foreignSegment = regexp.MustCompile(`^(?:[:$]([A-Za-z_][A-Za-z0-9_]*)[?]?|\*{1,2}([A-Za-z_][A-Za-z0-9_]*)?|%[sdv])$`)

// foreignVars warns of literal text that is a variable elsewhere. It is an error, and true, if the function has a
// parameter of that name.
func (b *serverBuilder) foreignVars(r *resource) bool {
	arg := r.spec.URI.Arg
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
		options := []func(*diag.Diagnostic){fix(better)}
		if name != "" && slices.Contains(b.paramsOf(r), name) {
			failed = true
			options = append(options, func(d *diag.Diagnostic) { d.Severity = diag.Error },
				b.edit(arg.At(from), arg.At(to), better))
		} else {
			options[0] = fix(better + ", or //mcp:allow MCP210 with a reason")
		}
		b.report("MCP210", arg.At(from), arg.At(to), fmt.Sprintf("`%s` is literal text here: a variable is written in braces",
			r.URI[from:to]), options...)
	}
	return failed
}

// paramsOf are the names of the parameters of the function of r.
func (b *serverBuilder) paramsOf(r *resource) []string {
	if sig := signature(r.decl); sig != nil {
		return paramNames(sig)
	}
	return nil
}

// suggestLiteral proposes a template that can no longer be confused with another: a literal segment
// after the scheme, made from the name of the first variable.
func suggestLiteral(text, variable string) string {
	head, tail, found := strings.Cut(text, "{")
	if !found {
		return text
	}
	return head + "by-" + strings.ReplaceAll(variable, "_", "-") + "/{" + tail
}
