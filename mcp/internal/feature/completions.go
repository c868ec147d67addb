package feature

import (
	"strings"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Vars returns the named variables of g as variables 0, 1 and so on, to decode them. Names that g does not have stay
// unset.
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

// Completer completes one variable of a template or one argument of a prompt.
type Completer struct {
	// Var is the name of the variable in the template, or of the argument.
	Var string
	// Listed completes with the values that the variable has in the listed instances of the template. It is not for
	// prompts.
	Listed bool
	// Values returns the values that start with prefix, best first. given has the variables that the user has chosen
	// already. Values is nil if Listed is set.
	Values func(c *call.Call, prefix string, given CompletionContext) ([]string, error)
}

// CompletionContext has the values that the user has chosen already, by the name of the variable or argument. Clients
// of revisions before 2025-06-18 send none.
type CompletionContext map[string]string
