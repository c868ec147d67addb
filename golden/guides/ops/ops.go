// Package ops has the skills of those who run the machines.
//
//mcp:server name=ops version=1.0.0
package ops

import "embed"

// Skills are for everybody who reaches this server.
//
//go:embed skills
//mcp:skill tags=ops
var Skills embed.FS
