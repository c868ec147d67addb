package build

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// Variables in the manner of routers and of other template languages.
var (
	// foreignBrackets is <id>, <int:id>, [id] or [...path].
	foreignBrackets = regexp.MustCompile(`^(?:<(?:[a-z]+:)?([A-Za-z_][A-Za-z0-9_]*)>|\[(?:\.\.\.)?([A-Za-z_][A-Za-z0-9_]*)\])`)
	// foreignSegment is a segment that is :id, $id, *, ** or *path, or ends with the $ of ${id}.
	foreignSegment = regexp.MustCompile(`^(?:[:$]([A-Za-z_][A-Za-z0-9_]*)[?]?|\*{1,2}([A-Za-z_][A-Za-z0-9_]*)?|%[sdv])$`)
	// foreignBraces is {id...}, {*path}, {id?} or {id:[0-9]+}, without its braces.
	foreignBraces = regexp.MustCompile(`^(?:([A-Za-z_][A-Za-z0-9_]*)(\.\.\.|\?|:[^0-9].*)|(\*{1,2})([A-Za-z_][A-Za-z0-9_]*))$`)
)

// foreignVar is the name of the variable in brackets that begins text, or "".
func foreignVar(text string) string {
	m := foreignBrackets.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

// foreignSpec is what to write for a variable in braces that has the form of another template language; "" if it has
// not.
func foreignSpec(spec string) string {
	m := foreignBraces.FindStringSubmatch(spec)
	switch {
	case m == nil:
		return ""
	case m[3] != "":
		return "{+" + m[4] + "}"
	case m[2] == "...":
		return "{+" + m[1] + "}"
	case m[2] == "?":
		return "{?" + m[1] + "}"
	}
	if isWord(m[2][1:]) { // {id:int} names a type, {id:[0-9]+} has a pattern
		return fmt.Sprintf("{%s}; its type is that of the parameter", m[1])
	}
	return fmt.Sprintf("{%s}, and //mcp:var %s pattern=%s", m[1], m[1], m[2][1:])
}

// isWord reports whether text consists of letters, digits and underscores.
func isWord(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !isNameRune(r) }) < 0
}

// foreignVars warns of literal text that is a variable elsewhere. It is an error, and true, if the function has a
// parameter of that name.
func (b *features) foreignVars(r *resource) bool {
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
			options = append(options, func(d *diag.Diagnostic) { d.Severity = diag.Error }, b.edit(arg.At(from), arg.At(to), better))
		} else {
			options[0] = fix(better + ", or //mcp:allow MCP210 with a reason")
		}
		b.report("MCP210", arg.At(from), arg.At(to), fmt.Sprintf("`%s` is literal text here: a variable is written in braces", r.URI[from:to]), options...)
	}
	return failed
}

// paramsOf are the names of the parameters of the function of r.
func (b *features) paramsOf(r *resource) []string {
	if sig := signature(r.decl); sig != nil {
		return paramNames(sig)
	}
	return nil
}
