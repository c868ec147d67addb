package paging_test

import (
	"encoding/base64"
	"math"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/internal/paging"
)

// FuzzCursor opens anything as a cursor: what was not sealed for this list, as this caller sees it, is refused, and
// even what a holder of the key has sealed never gives a position that the list cannot look up.
func FuzzCursor(f *testing.F) {
	c := codec(f, "s", 7)
	const access = "seen by ada"
	good := c.Seal(paging.Resources, paging.Position{Index: 3, From: "next"}, access)
	f.Add(good, []byte("\x03next"))
	f.Add("", []byte{})
	f.Add(good[:len(good)-2], []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Add(good+"=", []byte{0x80})
	f.Add(c.Seal(paging.Tools, paging.Position{}, access), []byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Add(c.Seal(paging.Resources, paging.Position{Index: 3}, ""), []byte{0})
	f.Fuzz(func(t *testing.T, text string, plain []byte) {
		if at, ok := c.Open(paging.Resources, text, access); ok && text != good {
			t.Errorf("%q opens as %+v", text, at)
		}
		purpose := append([]byte{'c', byte(paging.Resources)}, "s\x00"+access...)
		sealed := base64.RawURLEncoding.EncodeToString(c.Box.Seal(plain, purpose))
		if at, ok := c.Open(paging.Resources, sealed, access); ok && (at.Index < 0 || at.Index > math.MaxInt32) {
			t.Errorf("%x is position %+v", plain, at)
		}
		if _, ok := c.Open(paging.Tools, sealed, access); ok {
			t.Errorf("%x opens as a cursor of another list", plain)
		}
		for _, other := range []string{"", "seen by bob"} {
			if _, ok := c.Open(paging.Resources, sealed, other); ok {
				t.Errorf("%x opens for a caller who sees another list", plain)
			}
		}
	})
}
