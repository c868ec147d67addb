package paging_test

import (
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/seal/aead"
)

// codec returns that of a server, whose keys it shares with all others.
func codec(t testing.TB, server string, instance uint64) *paging.Codec {
	t.Helper()
	box, err := aead.New([][]byte{[]byte("0123456789abcdef")})
	if err != nil {
		t.Fatal(err)
	}
	return &paging.Codec{Box: box, Server: server, Instance: instance}
}

// What was sealed opens as it was, in a replica too, which knows that it has not made it.
func TestSealOpen(t *testing.T) {
	c, replica, stranger := codec(t, "s", 1), codec(t, "s", 2), codec(t, "other", 1)
	for _, at := range []paging.Position{
		{}, {Index: 7}, {Index: 1 << 20, From: "in\x00side"}, {Index: 2, Names: paging.Names{1, 2, 1 << 63}, From: "x"},
	} {
		text := c.Seal(paging.Tools, at, "ada")
		if got, ok := c.Open(paging.Tools, text, "ada"); !ok || fmt.Sprint(got) != fmt.Sprint(at) {
			t.Errorf("%+v opens as %+v, %v", at, got, ok)
		}
		at.Foreign = true
		if got, ok := replica.Open(paging.Tools, text, "ada"); !ok || fmt.Sprint(got) != fmt.Sprint(at) {
			t.Errorf("a replica opens %+v as %+v, %v", at, got, ok)
		}
		if _, ok := stranger.Open(paging.Tools, text, "ada"); ok {
			t.Errorf("another server opens %+v", at)
		}
	}
}

// A cursor counts for a day, and has one spelling.
func TestCursorAge(t *testing.T) {
	t.Attr("requirements", "page-invalid")
	synctest.Test(t, func(t *testing.T) {
		c := codec(t, "s", 1)
		cursor := c.Seal(paging.Resources, paging.Position{Index: 1}, "")
		for name, other := range map[string]string{
			"line break": cursor[:9] + "\n" + cursor[9:], "at the end": cursor + "\r\n",
			"last bits": cursor[:len(cursor)-1] + string(rune(cursor[len(cursor)-1]+1)),
		} {
			if at, ok := c.Open(paging.Resources, other, ""); ok {
				t.Errorf("%s: opened as %v", name, at)
			}
		}
		time.Sleep(24 * time.Hour)
		if _, ok := c.Open(paging.Resources, cursor, ""); !ok {
			t.Error("not after a day")
		}
		time.Sleep(2 * time.Second)
		if _, ok := c.Open(paging.Resources, cursor, ""); ok {
			t.Error("it counts for more than a day")
		}
	})
}

// The last names are kept, and say where to go on after entries have gone.
func TestNames(t *testing.T) {
	var shown paging.Names
	for _, name := range []string{"a", "b", "c", "d"} {
		shown = shown.Add(paging.Hash(name), 3)
	}
	if want := (paging.Names{paging.Hash("b"), paging.Hash("c"), paging.Hash("d")}); !reflect.DeepEqual(shown, want) {
		t.Errorf("%v, want %v", shown, want)
	}
	back, rest, ok := paging.CutNames(append(shown.AppendTo(nil), "rest"...), nil)
	if !ok || !reflect.DeepEqual(back, shown) || string(rest) != "rest" {
		t.Errorf("%v, %q, %v", back, rest, ok)
	}
	if _, _, ok := paging.CutNames(shown.AppendTo(nil)[:20], nil); ok {
		t.Error("names that are cut off are read")
	}
	for _, c := range []struct {
		list  []string
		index int
		last  bool
	}{
		{[]string{"a", "b", "c", "d", "e"}, 4, true}, {[]string{"d", "a"}, 1, true}, {[]string{"b", "x", "c"}, 3, false},
		{[]string{"x", "b"}, 2, false}, {[]string{"a", "e"}, -1, false}, {nil, -1, false},
	} {
		index, last := shown.After(len(c.list), func(i int) uint64 { return paging.Hash(c.list[i]) })
		if index != c.index || last != c.last {
			t.Errorf("%v: %d, %v, want %d, %v", c.list, index, last, c.index, c.last)
		}
	}
}

func TestHash(t *testing.T) {
	seen := map[uint64]string{}
	for _, name := range []string{"", "a", "b", "ab", "ba", "abcdefgh", "abcdefgi", "abcdefgha", "aaaaaaaabbbbbbbb",
		"bbbbbbbbaaaaaaaa"} {
		h := paging.Hash(name)
		if other, twice := seen[h]; twice || h != paging.Hash([]byte(name)) {
			t.Errorf("%q: %x, as %q", name, h, other)
		}
		seen[h] = name
	}
}
