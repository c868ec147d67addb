// Package search is an example server with an extension of the protocol of its own, com.example/search: clients search
// all pages at once, without a model in between.
//
//mcp:server name=search version=1.0.0
package search

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Settings are what the server declares with the extension.
type Settings struct {
	// MaxHits is the largest number of hits of one query.
	MaxHits int `json:"maxHits"`
	// Languages of the pages.
	Languages []string `json:"languages"`
}

// Search finds pages by their words.
//
//mcp:extension id=com.example/search revisions=2026-08-01,2026-09-15
var Search = Settings{MaxHits: 10, Languages: []string{"en"}}

// ClientSettings are what clients may declare with the extension.
type ClientSettings struct {
	// MaxHits is the largest number of hits that the client shows.
	MaxHits *int `json:"maxHits"`
	// Announce asks for a notification for each hit, before the others are looked for.
	Announce bool `json:"announce"`
}

// Found tells the client of a query of a hit.
//
//mcp:notification
type Found struct {
	Name string `json:"name"`
	// Of is how many pages there are.
	Of int `json:"of,omitempty"`
}

// Missed tells the client of a query of a page that has only some of the words.
//
//mcp:notification since=2026-09-15
type Missed struct {
	Name string `json:"name"`
}

// Index has the pages to search.
type Index struct {
	mu     sync.Mutex
	pages  []Page
	opened map[string]int
	// OnChange is called for each change of a page, without waiting. It is set before there are clients.
	OnChange func(Changed) error
}

// Page is one page.
type Page struct{ Name, Text string }

// NewIndex returns an index of pages.
func NewIndex(pages ...Page) *Index {
	return &Index{
		pages: pages, opened: map[string]int{}, OnChange: func(Changed) error { return nil },
	}
}

// Order of hits.
//
//mcp:enum
type Order string

// The orders.
const (
	ByName    Order = "name"
	ByOpening Order = "opening" // most opened first
)

// QueryParams say what to look for.
type QueryParams struct {
	// Words that a page must have, all of them.
	Words []string `json:"words" jsonschema:"minItems=1,maxItems=8"`
	Order Order    `json:"order" jsonschema:"default=name"`
	Limit int      `json:"limit" jsonschema:"default=5,minimum=1,maximum=10"`
}

// Hits are the pages that were found.
type Hits struct {
	Pages []Hit `json:"pages"`
	// More says that there are others.
	More bool `json:"more"`
}

// Hit is a page that was found.
type Hit struct {
	Name   string `json:"name"`
	Opened int    `json:"opened,omitempty"`
}

// Query finds pages.
//
//mcp:method
//mcp:limit timeout=2s rate=100/s
func (x *Index) Query(
	ctx context.Context, p QueryParams, call *mcp.Call, report mcp.Progress, log *slog.Logger,
) (Hits, error) {
	var own ClientSettings
	if _, err := call.Peer().Extension("com.example/search", &own); err != nil {
		return Hits{}, err
	}
	if own.MaxHits != nil {
		p.Limit = min(p.Limit, max(*own.MaxHits, 0))
	}
	log.Info("query", "words", len(p.Words))
	x.mu.Lock()
	defer x.mu.Unlock()
	var out Hits
	for i, page := range x.pages {
		report.Report(float64(i+1), float64(len(x.pages)), page.Name)
		if !hasAll(page.Text, p.Words) {
			if own.Announce && hasAny(page.Text, p.Words) {
				if err := call.Notify(Missed{Name: page.Name}); err != nil {
					return Hits{}, err
				}
			}
			continue
		}
		out.Pages = append(out.Pages, Hit{page.Name, x.opened[page.Name]})
		if own.Announce {
			if err := call.Notify(Found{Name: page.Name, Of: len(x.pages)}); err != nil {
				return Hits{}, err
			}
		}
	}
	if p.Order == ByOpening {
		slices.SortStableFunc(out.Pages, func(a, b Hit) int { return b.Opened - a.Opened })
	}
	if out.More = len(out.Pages) > p.Limit; out.More {
		out.Pages = out.Pages[:p.Limit]
	}
	return out, nil
}

func hasAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

func hasAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// Titles are the names of pages.
type Titles struct {
	Names []string `json:"names"`
	// Revision is the version of the extension that the client speaks.
	Revision string `json:"revision"`
}

// Titles returns the names of all pages. The first version of the extension does not have it.
//
//mcp:method since=2026-09-15
func (x *Index) Titles(ctx context.Context, call *mcp.Call) (Titles, error) {
	rev, err := call.Peer().ExtensionRevision("com.example/search")
	out := Titles{Revision: rev}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, page := range x.pages {
		out.Names = append(out.Names, page.Name)
	}
	return out, err
}

// Size is how much there is to search.
type Size struct {
	Pages int `json:"pages"`
}

// Count returns the number of pages, also to clients that have not declared the extension.
//
//mcp:method undeclared
func (x *Index) Count(ctx context.Context) (*Size, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return &Size{len(x.pages)}, nil
}

// PageParams name a page.
type PageParams struct {
	Name string `json:"name"`
}

// Forget removes a page from the index.
//
//mcp:method name=com.example/search/remove
//mcp:access roles=editor
//mcp:availability proto=2025-06-18..
func (x *Index) Forget(ctx context.Context, p *PageParams) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	i := x.find(p.Name)
	if i < 0 {
		return mcp.Errorf("there is no page %q", p.Name)
	}
	x.pages = slices.Delete(x.pages, i, i+1)
	return nil
}

// Opened says that a person has opened a page, so that it is found before others.
//
//mcp:method notification
func (x *Index) Opened(ctx context.Context, p PageParams) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.find(p.Name) >= 0 {
		x.opened[p.Name]++
	}
	return nil
}
