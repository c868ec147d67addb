package feature

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// Experimental is an experimental capability of a server.
type Experimental struct {
	// Name is the name of the capability.
	Name string
	// Settings returns its settings, a JSON object; nil means that it has none. It is called once, when the server is
	// made.
	Settings func() (json.RawMessage, error)
}

// DeclareExperimental returns a function for [Features.Experimental]. The function adds the capabilities of list to a
// copy of c.Experimental. It fails if the settings of a capability fail or are not valid.
func DeclareExperimental(list ...Experimental) func(c *protocol.ServerCapabilities) error {
	return func(c *protocol.ServerCapabilities) error {
		all := slices.Clone(c.Experimental)
		for _, e := range list {
			settings, err := call.SettingsOf(e.Settings)
			if err != nil {
				return fmt.Errorf("mcp: settings of the experimental capability %q: %w", e.Name, err)
			}
			all.Set(e.Name, settings)
		}
		c.Experimental = all
		return nil
	}
}
