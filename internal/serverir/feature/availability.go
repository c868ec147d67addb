package feature

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// version matches a version: up to three numbers, and a suffix that is ignored.
var version = regexp.MustCompile(`^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:[-+].*)?$`)

// versionOf returns the numbers of a version; nil if it is none.
func versionOf(text string) []int {
	m := version.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	var out []int
	for _, number := range m[1:] {
		n, _ := strconv.Atoi(cmp.Or(number, "0")) // digits, and few
		out = append(out, n)
	}
	return out
}

// notNow reports whether an availability line leaves its feature out of this version of the server. If so, a note says
// that.
func (b *Context) notNow(m *directive.Availability) bool {
	if !m.Since.Set() && !m.Until.Set() {
		return false
	}
	since, ok := b.availabilityVersion(m.Since)
	until, ok2 := b.availabilityVersion(m.Until)
	if !ok || !ok2 {
		return false
	}
	if since != nil && until != nil && slices.Compare(since, until) >= 0 {
		from, to := source.ValueOf(m.Until.Arg)
		b.Report("MCP109", from, to, fmt.Sprintf("`until=%s` is not after `since=%s`, so the feature never exists", m.Until.V,
			m.Since.V), report.Fix("swap the two"))
		return false
	}
	now := versionOf(b.Server.Version)
	arg, word := m.Since.Arg, "begins with"
	if m.Until.Set() && (since == nil || now == nil || slices.Compare(now, since) >= 0) {
		arg, word = m.Until.Arg, "ends with"
	}
	from, to := source.ValueOf(arg)
	switch {
	case !b.versioned() || now == nil:
		b.Report("MCP110", from, to, "this is compared with the version of the server, which has none that can be compared",
			report.Fix("write //mcp:server … version=1.0.0"))
		return false
	case since != nil && slices.Compare(now, since) < 0, until != nil && slices.Compare(now, until) >= 0:
		b.Report("MCP607", from, to, fmt.Sprintf("this feature is not offered: it %s %s, and the server is %s", word,
			arg.Value, b.Server.Version),
			report.Fix("change version= of the server when it is time"))
		return true
	}
	return false
}

// availabilityVersion reads a version of an availability line; nil if it is not given.
func (b *Context) availabilityVersion(s directive.String) (numbers []int, ok bool) {
	if !s.Set() {
		return nil, true
	}
	if numbers = versionOf(s.V); numbers == nil {
		from, to := source.ValueOf(s.Arg)
		b.Report("MCP109", from, to, fmt.Sprintf("`%s` is no version such as 1.2", s.V),
			report.Fix("write numbers with dots between them"))
	}
	return numbers, numbers != nil
}

// versioned reports whether the server directive gives a version.
func (b *Context) versioned() bool {
	if b.ServerDecl == nil {
		return false
	}
	spec, ok := b.ServerDecl.Primary.Spec.(*directive.Server)
	return ok && spec.Version.Set()
}

// Deprecated adds to a description what clients should use instead of a deprecated feature.
func (b *Context) Deprecated(d *load.Decl, description string) string {
	text := ""
	for _, at := range append(b.DefaultsFor(d), d) {
		for _, m := range load.Refinements[*directive.Availability](at) {
			if m.Deprecated.Set() {
				text = strings.TrimSpace(m.Deprecated.V)
			}
		}
	}
	if text == "" {
		return description
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return strings.TrimSpace(description + "\n\nDeprecated: " + text)
}
