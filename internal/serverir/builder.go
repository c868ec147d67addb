package serverir

import (
	"github.com/mcpgen/mcpgen/internal/serverir/codec"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
)

// packageBuilder builds what the servers of a package share, and the servers.
type packageBuilder struct {
	*codec.Codecs
	servers *feature.Servers
	// mounting are the packages that mount this one.
	mounting map[string]bool
	// taken are the generated names of the package.
	taken map[string]names.Claim
}

// serverBuilder builds one server of a package.
type serverBuilder struct {
	*feature.Context
	mounting map[string]bool
	names    *names.Registry
}
