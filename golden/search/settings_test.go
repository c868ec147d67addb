package search_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/golden/search"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

const query = `{"jsonrpc":"2.0","id":2,"method":"` + id + `/query","params":{"words":["pages"]}}`

const titles = `{"jsonrpc":"2.0","id":2,"method":"` + id + `/titles"}`

// settings are what a client may declare, and what it gets: in all revisions, and in a session over HTTP.
var settings = []struct{ own, answer string }{
	{`{}`, `"more":false`},
	{` { } `, `"more":false`},
	{`{"maxHits":1}`, `"more":true`},
	{`{"maxHits":1,"later":{"a":[]}}`, `"more":true`}, // clients of a newer version of the extension
	{`{"maxHits":null}`, `"more":false`},
	{`{"maxHits":"1"}`, `"invalid settings of the extension com.example/search: /maxHits: want int, got string"`},
	{`{"maxHits":1e99}`, `/maxHits: want int, got number 1e99"`},
	{`{"revision":"2026-09-15"}`, `"more":false`},
	{`{"revision":5}`, `/revision: the server speaks 2026-08-01, 2026-09-15","data":{"supported":["2026-08-01","2026-09-15"]}`},
	{`{"revision":null}`, `/revision: the server speaks 2026-08-01, 2026-09-15"`},
	{`{"a":"` + strings.Repeat("x", 1016) + `"}`, `"more":false`},
}

func TestSettings(t *testing.T) {
	for _, test := range settings {
		capabilities := `{"extensions":{"com.example/other":{"a":1},"com.example/search":` + test.own + `}}`
		body, _ := modern(`"id":1,`, id+"/query", capabilities, `,"words":["pages"]`)
		if got := talk(t, newServer(t), body); !strings.Contains(got[0], test.answer) {
			t.Errorf("%s: %s", test.own, got)
		}
		early := strings.Replace(capabilities, "extensions", "experimental", 1)
		for _, declares := range []string{capabilities, early} {
			if got := talk(t, newServer(t), initialize(declares), query); !strings.Contains(got[1], test.answer) {
				t.Errorf("%s: %s", declares, got[1])
			}
		}
		body, headers := modern(`"id":1,`, id+"/query", capabilities, `,"words":["pages"]`)
		post(t, newHandler(t), body, headers, 200, test.answer)
		session := post(t, newHandler(t), initialize(capabilities), nil, 200).Get("Mcp-Session-Id")
		headers = []string{"Mcp-Session-Id", session, "Mcp-Protocol-Version", "2025-11-25"}
		post(t, newHandler(t), query, headers, 200, test.answer) // which goes on in another process
	}
}

// Settings that a session does not remember are reported to those who need them, and to nobody else.
func TestLongSettings(t *testing.T) {
	const why = `"code":-32602,"message":"invalid settings of the extension com.example/search: ` +
		`those of all extensions may have 1024 bytes"`
	for _, n := range []int{1017, 3 << 20} {
		begin := initialize(`{"extensions":{"com.example/search":{"a":"` + strings.Repeat("x", n) + `"}}}`)
		count := `{"jsonrpc":"2.0","id":3,"method":"` + id + `/count"}`
		got := talk(t, newServer(t), begin, query, count)
		if !strings.Contains(got[1], why) || !strings.Contains(got[2], `"pages":2`) {
			t.Errorf("%d: %s", n, got[1:])
		}
		newest := initialize(`{"extensions":{"com.example/search":{"a":"` + strings.Repeat("x", n) +
			`","revision":"2026-09-15"}}}`)
		if got := talk(t, newServer(t), newest, titles); !strings.Contains(got[1], `"revision":"2026-09-15"`) {
			t.Errorf("%d: the version is forgotten: %s", n, got[1:])
		}
		session := post(t, newHandler(t), begin, nil, 200).Get("Mcp-Session-Id")
		if len(session) > 256 {
			t.Errorf("the id of the session has %d characters", len(session))
		}
		headers := []string{"Mcp-Session-Id", session, "Mcp-Protocol-Version", "2025-11-25"}
		for range 2 {
			post(t, newHandler(t), query, headers, 200, why)
		}
	}
}

// Each method of an extension is counted by its name, and what no extension has is other.
func TestStats(t *testing.T) {
	srv := newServer(t)
	c := mcptest.New(t, srv, mcptest.WithExtension(id, ""))
	for range 2 {
		c.Do(id+"/query", []byte(`{"words":["pages"]}`))
	}
	c.Do(id+"/query", nil)
	c.Do(id+"/none", nil)
	c.Do("notifications/"+id+"/opened", []byte(`{"name":"help"}`))
	c.Notify("notifications/"+id+"/opened", []byte(`{"name":"help"}`))
	c.Notify("notifications/"+id+"/opened", []byte(`{"page":"help"}`))
	c.Notify("notifications/"+id+"/none", []byte(`{}`))
	c.Do(id+"/count", nil)
	want := map[string]int64{
		id + "/query ok": 2, id + "/query -32602": 1, id + "/count ok": 1, "other -32601": 1,
		"notifications/" + id + "/opened -32601": 1, "notifications/" + id + "/opened ok": 1,
		"notifications/" + id + "/opened -32602": 1,
	}
	var got map[string]int64
	// Notifications may take longer than what follows them.
	for end := time.Now().Add(20 * time.Second); !maps.Equal(got, want) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
		got = map[string]int64{}
		for _, r := range srv.(*search.SearchServer).Stats().Requests {
			if strings.Contains(r.Method, id) || r.Method == "other" {
				got[r.Method+" "+r.Code] = r.Count
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
