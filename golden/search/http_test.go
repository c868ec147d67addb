package search_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/golden/search"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// newHandler returns a handler of a server whose sessions others with the same keys can go on with.
func newHandler(t *testing.T) http.Handler {
	t.Helper()
	index := search.NewIndex(search.Page{Name: "start", Text: "the pages"}, search.Page{Name: "help", Text: "the pages"})
	srv, err := search.NewSearchServer(search.SearchImpl{Index: index}, &mcp.Options{
		Logger: slog.New(slog.DiscardHandler), Keys: [][]byte{bytes.Repeat([]byte("k"), 32)},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	h, err := mcphttp.Handler(srv, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// post sends a message with headers, and insists on a status and on texts in the response.
func post(t *testing.T, h http.Handler, body string, headers []string, status int, texts ...string) http.Header {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	for _, text := range texts {
		if !strings.Contains(w.Body.String(), text) {
			t.Errorf("%s\n%d %s\nwant %s", body, w.Code, w.Body, text)
		}
	}
	if w.Code != status {
		t.Errorf("%s\n%d %s\nwant %d", body, w.Code, w.Body, status)
	}
	return w.Header()
}

// modern is a message of 2026-07-28 whose client has the capabilities, and its headers.
func modern(start, method, capabilities, params string) (body string, headers []string) {
	return `{"jsonrpc":"2.0",` + start + `"method":"` + method + `","params":{"_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientCapabilities":` + capabilities + `}` + params + `}}`,
		[]string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method}
}

const declares = `{"extensions":{"com.example/search":{}}}`

func TestModernHTTP(t *testing.T) {
	t.Attr("requirements", "http-notification")
	h := newHandler(t)
	body, headers := modern(`"id":1,`, id+"/query", declares, `,"words":["pages"]`)
	post(t, h, body, headers, 200, `"pages":[{"name":"start"},{"name":"help"}]`)
	post(t, h, body, headers[:2], 400, "-32020")
	post(t, h, body, append(headers[:3:3], id+"/count"), 400, "-32020")
	body, headers = modern(`"id":1,`, id+"/query", `{}`, `,"words":["pages"]`)
	post(t, h, body, headers, 400, `"requiredCapabilities":{"extensions":{"com.example/search":{}}}`, "-32021")
	body, headers = modern(`"id":1,`, id+"/query", `{"extensions":{"`+id+`":{"announce":true}}}`, `,"words":["pages"]`)
	post(t, h, body, headers, 200, `"params":{"name":"start","of":2}`, `"params":{"name":"help","of":2}`, `"more":false`)
	body, headers = modern(`"id":1,`, id+"/none", declares, ``)
	post(t, h, body, headers, 404, "-32601")

	opened := "notifications/" + id + "/opened"
	for _, capabilities := range []string{declares, `{}`} { // the second is ignored
		body, headers = modern(``, opened, capabilities, `,"name":"help"`)
		post(t, h, body, headers, 202)
	}
	body, headers = modern(``, opened, declares, `,"name":"help"`)
	post(t, h, body, headers[:2], 202) // as version 2 of the TypeScript SDK sends it
	post(t, h, body, append(headers[:3:3], id+"/count"), 400, "-32020")
	post(t, h, body, headers[2:], 400, "-32020")
	body, headers = modern(`"id":1,`, id+"/query", declares, `,"words":["pages"],"order":"opening"`)
	post(t, h, body, headers, 200, `"pages":[{"name":"help","opened":2},{"name":"start"}]`)
}

// Capabilities of the wrong type are mistakes of the client, in whatever extension.
func TestWrongTypes(t *testing.T) {
	h := newHandler(t)
	for i, capabilities := range []string{
		`[]`, `1`, // the others are found where the params are decoded
		`{"extensions":[]}`, `{"extensions":null}`, `{"extensions":"x"}`, `{"extensions":{"com.example/search":1}}`,
		`{"extensions":{"io.modelcontextprotocol/tasks":true}}`, `{"extensions":{"io.modelcontextprotocol/ui":[]}}`,
		`{"experimental":{"com.example/search":"x"}}`,
	} {
		body, headers := modern(`"id":1,`, id+"/count", capabilities, ``)
		status := 200
		if i < 2 {
			status = 400
		}
		post(t, h, body, headers, status, "-32602")
		all := talk(t, newServer(t), body)
		if !strings.Contains(all[0], "-32602") {
			t.Errorf("%s on stdio: %s", capabilities, all[0])
		}
		if !strings.Contains(capabilities, "extensions") { // which no revision of sessions has
			post(t, h, initialize(capabilities), nil, 200, "-32602")
		}
	}
	for _, settings := range []string{`{"mimeTypes":1}`, `{"mimeTypes":[1]}`, `{"x":{"y":[null]}}`} {
		for _, name := range []string{"io.modelcontextprotocol/ui", "io.modelcontextprotocol/tasks", id} {
			body, headers := modern(`"id":1,`, id+"/count", `{"extensions":{"`+name+`":`+settings+`}}`, ``)
			post(t, h, body, headers, 200, `"pages":2`) // what other extensions have as settings is their matter
		}
	}
}

func initialize(capabilities string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` +
		capabilities + `,"clientInfo":{"name":"test","version":"1"}}}`
}

// A session keeps what its client has declared, also in another process with the same keys.
func TestSessionHTTP(t *testing.T) {
	h := newHandler(t)
	for capabilities, answer := range map[string]string{
		declares: `"pages":[{"name":"start"}`, `{"experimental":{"com.example/search":{}}}`: `"pages":[{"name":"start"}`,
		`{}`: "-32601",
	} {
		session := post(t, h, initialize(capabilities), nil, 200, `"experimental":{"com.example/search":{"maxHits":10`)
		headers := []string{"Mcp-Session-Id", session.Get("Mcp-Session-Id"), "Mcp-Protocol-Version", "2025-11-25"}
		post(t, h, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, headers, 202)
		post(t, h, query, headers, 200, answer)
		post(t, newHandler(t), query, headers, 200, answer)
	}
}
