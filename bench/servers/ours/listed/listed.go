// Package listed is a server of a thousand entries that are asked for each time.
//
//mcp:server name=listed version=1.0.0
package listed

import (
	"context"
	"iter"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// Entry returns the name it was asked for.
//
//mcp:resource uri=list:///{id} mime=text/plain "desc=One of a thousand."
func Entry(ctx context.Context, id string) (string, error) { return id, nil }

// ListEntries lists all entries.
//
//mcp:list of=Entry
func ListEntries(ctx context.Context) iter.Seq2[EntryRef, error] {
	return func(yield func(EntryRef, error) bool) {
		for _, id := range work.IDs() {
			if !yield(EntryRef{ID: id}, nil) {
				return
			}
		}
	}
}
