package feature

import (
	"strings"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Vars returns the variables called names as variables 0, 1 and so on, for decoding them.
func (g CompletionContext) Vars(names ...string) *uri.Vars {
	v := new(uri.Vars)
	for i, name := range names {
		if text, ok := g[name]; ok {
			v.Set(i, string(wire.AppendSegment(nil, text)))
		}
	}
	return v
}

// CompleteFrom returns the Values of a Completer whose variable is one of values.
func CompleteFrom(values ...string) func(c *call.Call, prefix string, given CompletionContext) ([]string, error) {
	return func(_ *call.Call, prefix string, _ CompletionContext) ([]string, error) {
		var fit []string
		for _, value := range values {
			if strings.HasPrefix(value, prefix) {
				fit = append(fit, value)
			}
		}
		return fit, nil
	}
}
