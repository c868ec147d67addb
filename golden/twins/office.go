package twins

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
)

var errNoReview = mcp.ErrNotFound

// Office is where the staff works.
type Office struct{}

// Briefing stands at the address where customers are welcomed.
//
//mcp:resource uri=shop:///welcome mime=text/markdown server=back-office
//mcp:cache ttl=5m
func (Office) Briefing(ctx context.Context) (string, error) { return "*Count the stock.*\n", nil }
