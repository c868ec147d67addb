package feature

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Experimental is an experimental capability of a server.
type Experimental struct {
	// Name is the name of the capability.
	Name string
	// Settings returns its settings, a JSON object; nil means that it has none. It is called once, when the server is
	// made.
	Settings func() (json.RawMessage, error)
}

// DeclareExperimental returns what adds experimental capabilities to those of a server, whose map is not changed.
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

// declaredSettings adds the versions that a server speaks to the settings of an extension.
func declaredSettings(e *Extension) (json.RawMessage, error) {
	settings, err := call.SettingsOf(e.Settings)
	if err != nil || len(e.Revisions) == 0 {
		return settings, err
	}
	if !slices.IsSorted(e.Revisions) || len(slices.Compact(slices.Clone(e.Revisions))) != len(e.Revisions) {
		return nil, errors.New("the revisions are not in order, or one is there twice")
	}
	for _, name := range []string{memberRevision, memberRevisions} {
		if _, taken := wire.Lookup(settings, name); taken {
			return nil, fmt.Errorf("the member %q is that of the versions", name)
		}
	}
	var all wire.Extra
	d := wire.NewDecoder(settings)
	all.DecodeJSON(&d)
	all.Set(memberRevisions, json.RawMessage(wire.AppendStrings(nil, e.Revisions)))
	return all.AppendJSON(nil), d.Err()
}
