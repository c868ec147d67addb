package nearmiss

import (
	"github.com/mcpgen/mcpgen/internal/directive"
)

// misspelt finds directives with a wrong prefix, as in //+mcp:tool, //mcpgen:tool, //mcp.tool and //mpc:tool.
func (m *miss) misspelt(body string) bool {
	if isExample(body) && !m.where.First {
		return false
	}
	a, ok := attemptOf(body)
	if !ok {
		return false
	}
	code := a.verdict(m.where)
	if code == "" {
		return false
	}
	head := "//" + body[:a.head]
	repair := directive.Prefix + knownName(a.text)
	shown := "write `" + directive.Prefix + firstWord(knownName(a.text)) + "`"
	if code == "MCP114" {
		if !slipped(a.tool) {
			repair = "" // another tool may be called so
		}
		return m.report(code, bytesAt{2, len(head)}, repair, shown+", or //mcp:allow MCP114 with a reason",
			"`%s` is not read by mcpgen, whose directives begin with `%s`", head, directive.Prefix)
	}
	return m.report(code, bytesAt{2, len(head)}, repair, shown,
		"`%s` is a comment, not a directive, which begins with `%s`", head, directive.Prefix)
}
