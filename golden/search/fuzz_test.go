package search_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/golden/search"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// FuzzMethods sends any method with any params, of a client with any capabilities, in both eras. Each response is valid
// JSON with a result or with one of a few codes, and the server goes on.
func FuzzMethods(f *testing.F) {
	for _, method := range []string{id + "/query", id + "/count", id + "/remove", "notifications/" + id + "/opened", ""} {
		f.Add(method, `{"words":["a"],"limit":1}`, declares)
		f.Add(method, `{"name":"é","_meta":{}}`, `{"experimental":{"com.example/search":{}}}`)
		f.Add(method, `[]`, `{"extensions":{"com.example/search":[]}}`)
	}
	index := search.NewIndex(search.Page{Name: "start", Text: "a"})
	srv, err := search.NewSearchServer(search.SearchImpl{Index: index},
		&mcp.Options{Logger: slog.New(slog.DiscardHandler), Caller: editor})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, method, params, capabilities string) {
		if strings.Contains(params, "progress") || !utf8.ValidString(method) || method == "subscriptions/listen" ||
			!isJSON(params) || !isJSON(capabilities) ||
			!strings.HasPrefix(strings.TrimLeft(params, " \t\n\r"), "{") {
			return
		}
		name := string(wire.AppendString(nil, method))
		own := strings.TrimSpace(params)[1:]
		if rest := strings.TrimSpace(own); rest != "}" {
			own = "," + own
		}
		all := talk(t, srv,
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":`+
				capabilities+`,"clientInfo":{"name":"fuzz","version":"1"}}}`,
			`{"jsonrpc":"2.0","id":2,"method":`+name+`,"params":`+params+`}`,
			`{"jsonrpc":"2.0","id":3,"method":`+name+`,"params":{"_meta":{`+
				`"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
				`"io.modelcontextprotocol/clientCapabilities":`+capabilities+`}`+own+`}`)
		for _, text := range all {
			var m struct {
				Result map[string]any
				Error  *wire.Error
			}
			if err := json.Unmarshal([]byte(text), &m); err != nil || (m.Result == nil) == (m.Error == nil) {
				t.Fatalf("%q %q %q: %s %v", method, params, capabilities, text, err)
			}
		}
	})
}

// isJSON reports whether text is one line of JSON.
func isJSON(text string) bool {
	return !strings.ContainsAny(text, "\n\r") && wire.Check([]byte(text), wire.Limits{}) == nil
}
