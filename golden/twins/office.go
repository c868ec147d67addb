package twins

import (
	"context"
	"fmt"

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

// Answer drafts an answer to a review.
//
//mcp:prompt server=back-office,shop
//mcp:toggle
func (b *Book) Answer(ctx context.Context, author string, stars int) (string, error) {
	text, err := b.ReviewOf(ctx, author)
	return fmt.Sprintf("Answer %s, who gave %d stars: %s", author, stars, text), err
}

// CompleteWho proposes authors for answers.
//
//mcp:complete of=Answer var=author
func (b *Book) CompleteWho(ctx context.Context, prefix string) ([]string, error) {
	return b.CompleteAuthor(ctx, prefix)
}
