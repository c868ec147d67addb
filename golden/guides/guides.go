// Package guides is an example of a server with skills that not everybody may read, and that mounts a server with more
// of them.
//
//mcp:server name=guides version=1.0.0 page=2 mount=./ops
package guides

import (
	"context"
	"embed"
	"errors"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen ./...

// Public are the skills for everybody.
//
//go:embed public
//mcp:skill tags=public
var Public embed.FS

// Staff are those for employees.
//
//go:embed staff
//mcp:skill path=acme tags=internal
//mcp:access scopes=staff
var Staff embed.FS

// Night is for those on duty, with clients that have structured results.
//
//go:embed night
//mcp:skill tags=internal
//mcp:access policy=OnDuty
//mcp:availability proto=2025-06-18..
var Night embed.FS

// OnDuty lets in who is on duty.
func OnDuty(_ context.Context, who mcp.Caller) error {
	if !slices.Contains(who.Roles, "night") {
		return errors.New("not on duty")
	}
	return nil
}
