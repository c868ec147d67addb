package mcprt

import (
	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// HasCacheHints reports whether the revision of c has results that say how long clients may cache them.
func HasCacheHints(c *Call) bool { return call.HasCacheHints(c) }
