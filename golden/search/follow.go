package search

import (
	"context"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
)

// FollowParams name pages.
type FollowParams struct {
	Names []string `json:"names" jsonschema:"minItems=1"`
}

// Follow follows pages: a client that listens with their names is told when they change.
//
//mcp:method filter since=2026-09-15
//mcp:access roles=editor
func (x *Index) Follow(ctx context.Context, p FollowParams) ([]string, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, name := range p.Names {
		if x.find(name) < 0 {
			return nil, mcp.Errorf("there is no page %q", name)
		}
	}
	return p.Names, nil
}

// Changed tells who follows a page how long its new text is.
//
//mcp:notification since=2026-09-15 topic=Name
type Changed struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

// WriteParams are a page and its new text.
type WriteParams struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Write replaces the text of a page.
//
//mcp:method since=2026-09-15
//mcp:access roles=editor
func (x *Index) Write(ctx context.Context, p WriteParams) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	i := x.find(p.Name)
	if i < 0 {
		return mcp.Errorf("there is no page %q", p.Name)
	}
	x.pages[i].Text = p.Text
	return x.OnChange(Changed{Name: p.Name, Size: len(p.Text)})
}

// find is the place of a page; -1 for none.
func (x *Index) find(name string) int {
	return slices.IndexFunc(x.pages, func(page Page) bool { return page.Name == name })
}
