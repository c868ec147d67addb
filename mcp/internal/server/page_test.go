package server

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
)

type listPage struct {
	Result struct {
		Resources         []protocolEntry
		ResourceTemplates []protocolEntry
		Tools             []protocolEntry
		NextCursor        string
	}
	Error *struct{ Code int }
}

type protocolEntry struct{ Name string }

func (p *listPage) names() string {
	var names []string
	for _, list := range [][]protocolEntry{p.Result.Resources, p.Result.ResourceTemplates, p.Result.Tools} {
		for _, e := range list {
			names = append(names, e.Name)
		}
	}
	return strings.Join(names, " ")
}

func askPage(t *testing.T, c *harness, method, cursor string) (p listPage) {
	t.Helper()
	params := ""
	if cursor != "" {
		params = `"cursor":"` + cursor + `"`
	}
	if err := json.Unmarshal([]byte(c.ask(request("1", method, params))), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// walk returns the names of all pages.
func walk(t *testing.T, c *harness, method string) string {
	t.Helper()
	var all []string
	for cursor := ""; ; {
		p := askPage(t, c, method, cursor)
		if p.Error != nil {
			t.Fatalf("error %d", p.Error.Code)
		}
		all = append(all, p.names())
		if cursor = p.Result.NextCursor; cursor == "" {
			return strings.Join(all, "|")
		}
	}
}

func TestPages(t *testing.T) {
	t.Attr("requirements", "res-paginate")
	for _, l := range []struct {
		size int
		want map[string]string
	}{
		{0, map[string]string{"resources/list": "a a b c z", "resources/templates/list": "do item",
			"tools/list": "echo fail public badargs panic exit block struct missing"}},
		{5, map[string]string{"resources/list": "a a b c z",
			"tools/list": "echo fail public badargs panic|exit block struct missing"}},
		{4, map[string]string{"resources/list": "a a b c|z"}},
		{3, map[string]string{"resources/list": "a a b|c z",
			"tools/list": "echo fail public|badargs panic exit|block struct missing"}},
		{2, map[string]string{"resources/list": "a a|b c|z", "resources/templates/list": "do item"}},
		{1, map[string]string{"resources/list": "a|a|b|c|z", "resources/templates/list": "do|item"}},
	} {
		c := newSession(t, newTestServer(t, &Options{PageSize: l.size}).Server, protocol.Revision20250618)
		for method, want := range l.want {
			if got := walk(t, c, method); got != want {
				t.Errorf("size %d: %s: got %q, want %q", l.size, method, got, want)
			}
		}
	}
}

func TestPageSurvivesVanishingEntries(t *testing.T) {
	t.Attr("requirements", "res-list-gone page-stable")
	st := newTestServer(t, &Options{PageSize: 3})
	st.items = []string{"k", "l", "m", "n", "o", "p"}
	c := newSession(t, st.Server, protocol.Revision20251125)
	first := askPage(t, c, "resources/list", "")
	st.items = []string{"k", "m", "n", "o", "p"} // the last one shown was l
	if got := askPage(t, c, "resources/list", first.Result.NextCursor); got.names() != "m n o" {
		t.Errorf("after %q comes %q", first.names(), got.names())
	}
	st.items = []string{"0", "k", "l", "m"}
	if got := askPage(t, c, "resources/list", first.Result.NextCursor); got.names() != "0 m z" {
		t.Errorf("after %q comes %q", first.names(), got.names())
	}
}

func TestCursors(t *testing.T) {
	t.Attr("requirements", "page-invalid")
	key := []byte("0123456789abcdef")
	st, twin, stranger := newTestServer(t, &Options{PageSize: 2, Keys: [][]byte{key}}),
		newTestServer(t, &Options{PageSize: 2, Keys: [][]byte{[]byte("another key, now"), key}}), newTestServer(t,
			&Options{PageSize: 2})
	c := newSession(t, st.Server, protocol.Revision20251125)
	cursor := askPage(t, c, "resources/list", "").Result.NextCursor
	if got := askPage(t, newSession(t, twin.Server, protocol.Revision20250618), "resources/list",
		cursor); got.names() != "b c" {
		t.Errorf("a replica with the key says %q", got.names())
	}
	flipped := []byte(cursor)
	flipped[len(flipped)/2] ^= 1
	for name, bad := range map[string]string{
		"invented": "abc", "not base64": "!", "flipped": string(flipped), "cut": cursor[:len(cursor)-4],
		"of another list": askPage(t, c, "tools/list", "").Result.NextCursor,
		"past the end":    st.cursors.Seal(paging.Resources, paging.Position{Index: 1 << 20}, ""),
		"huge":            st.cursors.Seal(paging.Resources, paging.Position{Index: -1}, ""),
	} {
		if got := askPage(t, c, "resources/list", bad); got.Error == nil || got.Error.Code != -32602 {
			t.Errorf("%s: got %q, %v", name, got.names(), got.Error)
		}
	}
	if got := askPage(t, newSession(t, stranger.Server, protocol.Revision20250618), "resources/list",
		cursor); got.Error == nil {
		t.Errorf("a stranger opened the cursor: %q", got.names())
	}
	if got := askPage(t, c, "tools/list", cursor); got.Error == nil || got.Error.Code != -32602 {
		t.Errorf("cursor in the wrong list: %q", got.names())
	}
}

func TestListEntries(t *testing.T) {
	st := newTestServer(t, nil)
	st.items = []string{"k"}
	eachRevision(t, st.Server, func(t *testing.T, rev protocol.Revision, ask func(method, params string) string) {
		end := ""
		if era.IsModern(rev) {
			end = `,"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{"…":0}`
		}
		wantMatch(t, ask("resources/list", ""), `{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"fix:///a","name":"a","mimeType":"text/plain"},`+
			`{"uri":"item:///k","name":"k","description":"An item.","mimeType":"text/x-item","annotations":{"priority":0.5}},{"uri":"fix:///z","name":"z"}]`+end+`}}`)
		wantMatch(t, ask("resources/templates/list", ""), `{"jsonrpc":"2.0","id":1,"result":{"resourceTemplates":[{"uriTemplate":"do:///{what}","name":"do","mimeType":"text/plain"},`+
			`{"uriTemplate":"item:///{id}{?lang}","name":"item","description":"An item.","mimeType":"text/x-item","annotations":{"priority":0.5}}]`+end+`}}`)
	})
}
