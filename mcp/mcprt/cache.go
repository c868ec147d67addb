package mcprt

import (
	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// HasCacheHints reports whether results for the request of c say how long clients may cache them.
func HasCacheHints(c *Call) bool { return call.HasCacheHints(c) }
