package search_test

import (
	"encoding/json"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/golden/search"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

const id = "com.example/search"

var editor = mcp.Caller{Subject: "ann", Roles: []string{"editor"}}

func newServer(t *testing.T) mcptest.Server {
	t.Helper()
	index := search.NewIndex(
		search.Page{Name: "start", Text: "welcome to the pages"},
		search.Page{Name: "help", Text: "how to search the pages"},
	)
	srv, err := search.NewSearchServer(search.SearchImpl{Index: index},
		&mcp.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// requests are all methods, with good and bad params.
var requests = []struct{ method, params string }{
	{id + "/query", `{"words":["pages"],"order":"opening"}`},
	{id + "/query", `{"words":["pages"],"limit":1}`},
	{id + "/query", `{"words":[],"limit":0,"other":1}`},
	{id + "/query", ``},
	{id + "/count", ``},
	{id + "/count", `{"words":[]}`},
	{id + "/remove", `{"name":"none"}`},
	{id + "/remove", `{"name":"start"}`},
	{id + "/count", `{}`},
	{id + "/titles", `{}`}, // the client speaks the first version
	{id + "/none", `{}`},
	{"notifications/" + id + "/opened", `{"name":"help"}`}, // no request
}

func play(c *mcptest.Client, rev protocol.Revision) {
	if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
		c.Do(protocol.MethodServerDiscover, nil)
	}
	c.Notify("notifications/"+id+"/opened", json.RawMessage(`{"name":"help"}`))
	c.Notify("notifications/"+id+"/opened", json.RawMessage(`{"page":"help"}`)) // is ignored
	for _, r := range requests {
		var params json.RawMessage
		if r.params != "" {
			params = json.RawMessage(r.params)
		}
		c.Do(r.method, params)
	}
}

// What clients get that have declared the extension.
func TestDeclared(t *testing.T) {
	t.Attr("requirements", "extension-declared")
	transcript.Run(t, "declared", newServer, play, mcptest.WithExtension(id, ""), mcptest.WithProgress(),
		mcptest.WithLogs(protocol.LoggingLevelInfo), mcptest.WithCaller(editor))
}

// What clients get that have declared settings with it.
func TestDeclaredSettings(t *testing.T) {
	transcript.Run(t, "settings", newServer, func(c *mcptest.Client, rev protocol.Revision) {
		if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
			c.Do(protocol.MethodServerDiscover, nil)
		}
		c.Do(id+"/query", json.RawMessage(`{"words":["pages"]}`))
	}, mcptest.WithExtension(id, `{"maxHits":1,"announce":true}`))
}

// What clients get that speak the second version of the extension.
func TestRevision(t *testing.T) {
	transcript.Run(t, "revision", newServer, func(c *mcptest.Client, _ protocol.Revision) {
		c.Do(id+"/query", json.RawMessage(`{"words":["pages","search"]}`))
		c.Do(id+"/titles", nil)
	}, mcptest.WithExtension(id, `{"revision":"2026-09-15","announce":true}`))
}

// What clients get that speak none of the versions.
func TestUnknownRevision(t *testing.T) {
	transcript.Run(t, "unknownrevision", newServer, func(c *mcptest.Client, _ protocol.Revision) {
		c.Do(id+"/query", json.RawMessage(`{"words":["pages"]}`))
		c.Notify("notifications/"+id+"/opened", json.RawMessage(`{"name":"help"}`)) // is ignored
		c.Do(id+"/count", nil)
	}, mcptest.WithExtension(id, `{"revision":"2031-01-01"}`))
}

// What clients get that have not.
func TestUndeclared(t *testing.T) {
	t.Attr("requirements", "extension-declared version-extension-fallback version-extension-document")
	transcript.Run(t, "undeclared", newServer, play, mcptest.WithExtension("com.example/other", ""),
		mcptest.WithCaller(editor))
}

// What callers get who may not use a method.
func TestRefused(t *testing.T) {
	transcript.Run(t, "refused", newServer, func(c *mcptest.Client, _ protocol.Revision) {
		c.Do(id+"/remove", json.RawMessage(`{"name":"start"}`))
	}, mcptest.WithExtension(id, ""))
}

// To callers who may not use it, a method does not exist, whether they have declared the extension or not, and whatever
// they send.
func TestRefusedAsUnknown(t *testing.T) {
	for _, rev := range mcp.Revisions() {
		for _, declares := range []string{id, "com.example/other"} {
			c := mcptest.New(t, newServer(t), mcptest.WithRevision(rev), mcptest.WithExtension(declares, ""))
			for _, params := range []string{`{"name":"start"}`, `{}`, `{"_meta":5}`} {
				if params == `{"_meta":5}` && protocol.HasMethod(rev, protocol.MethodServerDiscover) {
					continue // the kit has its own
				}
				_, unknown := c.Do(id+"/none", json.RawMessage(params))
				_, refused := c.Do(id+"/remove", json.RawMessage(params))
				if unknown == nil || refused == nil || !reflect.DeepEqual(unknown, refused) {
					t.Errorf("%s with %s, %s: %v, and %v for what does not exist", rev, declares, params, refused, unknown)
				}
			}
		}
		c := mcptest.New(t, newServer(t), mcptest.WithRevision(rev), mcptest.WithCaller(editor))
		_, fault := c.Do(id+"/remove", json.RawMessage(`{}`))
		if rev >= protocol.Revision20250618 && (fault == nil || !strings.Contains(fault.Error(), "has not declared")) {
			t.Errorf("%s: an editor without the extension: %v", rev, fault)
		}
	}
}

// Clients of earlier revisions may declare an extension in the member that 2026-07-28 has for that.
func TestEarlyMember(t *testing.T) {
	for _, test := range []struct{ capabilities, answer string }{
		{`{"extensions":{"com.example/search":{}}}`, `"pages"`},
		{`{"experimental":{"com.example/search":{"a":1}},"extensions":{}}`, `"pages"`},
		{`{"extensions":{"com.example/search":true}}`, `-32602`},
		{`{"extensions":[]}`, `-32601`}, // a member that the revision does not have may be anything
		{`{"extensions":null}`, `-32601`},
		{`{"experimental":{"com.example/search":"yes"}}`, `-32602`},
		{`{"extensions":{"com.example/SEARCH":{}}}`, `-32601`},
		{`{}`, `-32601`},
	} {
		all := talk(t, newServer(t),
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":`+
				test.capabilities+`,"clientInfo":{"name":"test","version":"1"}}}`,
			`{"jsonrpc":"2.0","id":2,"method":"com.example/search/query","params":{"words":["pages"]}}`)
		if last := all[len(all)-1]; !strings.Contains(last, test.answer) {
			t.Errorf("%s: %s", test.capabilities, last)
		}
	}
}

// talk sends requests, one after the other, and returns the responses.
func talk(t *testing.T, srv mcptest.Server, requests ...string) (responses []string) {
	t.Helper()
	near, far := transport.Pipe(nil)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(t.Context(), far) }()
	for _, r := range requests {
		if err := near.WriteMessage([]byte(r + "\n")); err != nil {
			t.Fatal(err)
		}
		b, err := near.ReadMessage(nil)
		if err != nil {
			t.Fatal(err)
		}
		responses = append(responses, string(b))
	}
	_ = near.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
	return responses
}
