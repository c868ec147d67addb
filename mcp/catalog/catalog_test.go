package catalog_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/twins"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/catalog"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

func shop(t *testing.T, page int) *twins.ShopServer {
	t.Helper()
	products := twins.NewProductStore()
	for _, id := range []string{"a", "b", "c"} {
		if err := products.Put(twins.Product{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	srv, err := twins.NewShopServer(twins.ShopImpl{Product: products, Counter: new(twins.Counter), Book: new(twins.Book)},
		&mcp.Options{PageSize: page})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// A catalog holds what a client finds, in each revision, whatever the size of the pages.
func TestOf(t *testing.T) {
	for _, rev := range mcp.Revisions() {
		srv := shop(t, 2)
		got, err := catalog.Of(t.Context(), srv, rev)
		if err != nil {
			t.Fatal(err)
		}
		var pages []struct {
			Resources  []protocol.Resource
			NextCursor *string
		}
		if err := json.Unmarshal(got[protocol.MethodResourcesList], &pages); err != nil {
			t.Fatal(err)
		}
		var uris []string
		for _, p := range pages {
			if len(p.Resources) > 2 || p.NextCursor != nil {
				t.Errorf("%s: a page of %d with cursor %v", rev, len(p.Resources), p.NextCursor)
			}
			for _, r := range p.Resources {
				uris = append(uris, r.URI)
			}
		}
		var want []string
		for _, r := range mcptest.New(t, srv, mcptest.WithRevision(rev)).List() {
			want = append(want, r.URI)
		}
		if len(pages) < 2 || strings.Join(uris, " ") != strings.Join(want, " ") {
			t.Errorf("%s: %d pages with %v, want %v", rev, len(pages), uris, want)
		}
		_, old := got[protocol.MethodInitialize]
		_, discover := got[protocol.MethodServerDiscover]
		if old == discover || discover != (rev >= protocol.Revision20260728) {
			t.Errorf("%s: initialize %v, discover %v", rev, old, discover)
		}
	}
}

// What a server does not have is absent.
func TestAbsent(t *testing.T) {
	srv, err := mcprt.NewServer(&mcprt.Features{Info: protocol.Implementation{Name: "empty", Version: "v1"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := catalog.Of(t.Context(), srv, slices.Max(mcp.Revisions()))
	if err != nil || len(got) != 1 {
		t.Errorf("%v %v", got, err)
	}
}

// Main writes a file, and says why it cannot.
func TestProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.json")
	entry := catalog.Entry{Package: "example.com/p", Name: "shop",
		New: func() (catalog.Server, error) { return shop(t, 0), nil }}
	for range 2 {
		if status := catalog.Main(t.Context(), []string{file, "2025-06-18"}, []catalog.Entry{entry}); status != 0 {
			t.Fatal(status)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), `"2025-06-18": {`) || strings.Contains(string(text), "2026-07-28") {
		t.Errorf("%s %v", text, err)
	}
	entry.New = func() (catalog.Server, error) { return nil, errors.New("no values") }
	ended, stop := context.WithCancel(t.Context())
	stop()
	for name, status := range map[string]int{
		"no file":     catalog.Main(t.Context(), nil, nil),
		"no revision": catalog.Main(t.Context(), []string{file, "2020-01-01"}, nil),
		"no values":   catalog.Main(t.Context(), []string{file}, []catalog.Entry{entry}),
		"no folder":   catalog.Main(t.Context(), []string{filepath.Join(file, "x")}, nil),
		"ended": catalog.Main(ended, []string{file}, []catalog.Entry{{New: func() (catalog.Server,
			error) {
			return silent{}, nil
		}}}),
		"hangs up": catalog.Main(t.Context(), []string{file}, []catalog.Entry{{New: func() (catalog.Server,
			error) {
			return deaf{}, nil
		}}}),
	} {
		if status != 1 {
			t.Errorf("%s: status %d", name, status)
		}
	}
}

// silent never answers, and deaf goes at once.
type (
	silent struct{}
	deaf   struct{}
)

func (silent) Serve(ctx context.Context, _ transport.Conn) error { <-ctx.Done(); return ctx.Err() }

func (deaf) Serve(_ context.Context, c transport.Conn) error { return c.Close() }
