package server

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
)

// prepared holds what is encoded once for each revision, because it never changes.
type prepared struct {
	initialize era.Lazy[protocol.Prepared]
	discover   era.Lazy[protocol.Prepared]
	fixed      []era.Lazy[protocol.Prepared] // by index in Features.Resources
}
