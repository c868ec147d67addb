package server

import (
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// MayKnow returns a function for methods of extensions that are about resources. It reports whether the caller of c may
// know of the resource at a URI, as resources/list decides. Policies are asked once for each guard. The function is for
// the goroutine of c only.
func MayKnow(c *call.Call) func(uri string) (bool, error) {
	s, who := serverOf(c), c.Caller()
	asked := map[*access.Guard]bool{}
	var vars uri.Vars
	return func(uri string) (bool, error) {
		i := s.registry.RouteFor(uri, &vars, c.Revision())
		if i < 0 {
			return false, nil
		}
		g := s.features.Resources[i].Guard
		if g == nil || g.Access.Shown {
			return true, nil
		}
		known, ok := asked[g]
		if ok {
			return known, nil
		}
		err := g.Scopes(&who)
		if err == nil {
			err = g.Policies(c, false, nil)
		}
		if _, refused := err.(*access.ForbiddenError); err != nil && !refused { //nolint:errorlint // made here, never wrapped
			return false, err
		}
		asked[g] = err == nil
		return err == nil, nil
	}
}

// PageSizeOf is the largest number of entries that a page of a list has for the client of c.
func PageSizeOf(c *call.Call) int { return serverOf(c).lists.PageSize }

// SealCursor returns a cursor for the page behind the entry that is called last, in a list of an extension. It is
// valid for callers with the same rights as that of c, for a day, on all servers of that name with the same keys.
func SealCursor(c *call.Call, list, last string) string {
	return serverOf(c).cursors.Seal(paging.Extension, paging.Position{From: last}, cursorAccess(c, list))
}

// OpenCursor returns the name of the entry behind which a page begins. Its error is the response to what is no cursor
// of that list for the caller of c.
func OpenCursor(c *call.Call, list, cursor string) (last string, err error) {
	at, ok := serverOf(c).cursors.Open(paging.Extension, cursor, cursorAccess(c, list))
	if !ok || at.From == "" {
		return "", content.ErrCursor
	}
	return at.From, nil
}

// cursorAccess binds a cursor to its list, and to the rights of who has got it.
func cursorAccess(c *call.Call, list string) string {
	who := c.Caller()
	return list + "\x00" + who.AccessHash()
}
