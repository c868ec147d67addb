package serverir

import (
	"github.com/mcpgen/mcpgen/internal/serverir/codec"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
)

// packageBuilder makes what the output of a package has once, and its servers.
type packageBuilder struct {
	*codec.Codecs
	servers *feature.Servers
	// mounting are the packages that mount this one.
	mounting map[string]bool
	// taken are the generated names of the package.
	taken map[string]names.Claim
}

// serverBuilder makes one server of a package.
type serverBuilder struct {
	*feature.Context
	mounting map[string]bool
	names    *names.Registry
}
