package server

import (
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// MayKnow returns a function for methods of extensions that are about resources. The function reports whether the
// caller of c may know of the resource at a URI, by the rules of resources/list; false if there is no such resource. It
// asks the policies of each guard once, and returns their errors except refusals. It must be called only on the
// goroutine of c.
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

// PageSizeOf returns the largest number of entries that a page of a list has on the server that has received c.
func PageSizeOf(c *call.Call) int { return serverOf(c).lists.PageSize }

// SealCursor returns a cursor for the page that begins after the entry with the name last, in a list of an extension.
// It is valid for a day, for callers with the same rights as the caller of c, on all servers with the same name and
// keys.
func SealCursor(c *call.Call, list, last string) string {
	return serverOf(c).cursors.Seal(paging.Extension, paging.Position{From: last}, cursorAccess(c, list))
}

// OpenCursor returns the name of the entry after which the page of the cursor begins. The error for an invalid cursor
// is the error of the response.
func OpenCursor(c *call.Call, list, cursor string) (last string, err error) {
	at, ok := serverOf(c).cursors.Open(paging.Extension, cursor, cursorAccess(c, list))
	if !ok || at.From == "" {
		return "", content.ErrCursor
	}
	return at.From, nil
}

// cursorAccess returns the text to which a cursor is bound: the list, and the rights of the caller of c.
func cursorAccess(c *call.Call, list string) string {
	who := c.Caller()
	return list + "\x00" + who.AccessKey()
}
