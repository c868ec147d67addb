package notes_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// The whole of what the server answers, in each revision.
func TestWire(t *testing.T) {
	t.Attr("requirements", "init-answer res-templates-dynamic res-scheme-document res-names res-describe "+
		"res-fields version-discover")
	var srv *notes.NotesServer
	start := func(t *testing.T) mcptest.Server {
		srv, _ = newServer(t, nil)
		return srv
	}
	transcript.Both(t, "wire", start, func(c *mcptest.Client, rev protocol.Revision) {
		if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
			c.Do(protocol.MethodServerDiscover, nil)
		}
		if protocol.HasMethod(rev, protocol.MethodPing) {
			c.Do(protocol.MethodPing, nil)
		}
		c.List()
		c.Templates()
		c.Read("notes:///today")
		c.Read("docs:///readme")
		c.Read("notebook:///index")
		c.Complete("notes:///{name}", "name", "p")
		c.Tools()
		c.Call("search", `{"query":"parser"}`)
		sub := c.Subscribe("notes:///plan")
		srv.NoteUpdated("plan")
		sub.Next()
		list := c.SubscribeList()
		srv.NoteListChanged()
		list.Next()
		sub.Close()
		c.Read("notes:///plan")
	})
}

// HTTP+SSE, which has the revisions with sessions.
func TestWireSSE(t *testing.T) {
	var srv *notes.NotesServer
	start := func(t *testing.T) mcptest.Server {
		srv, _ = newServer(t, nil)
		return srv
	}
	transcript.RunSSE(t, "wire", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.Do(protocol.MethodPing, nil)
		c.Read("notes:///today")
		c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"notes:///missing"}`))
		c.Call("search", `{"query":"parser"}`)
		sub := c.Subscribe("notes:///plan")
		srv.NoteUpdated("plan")
		sub.Next()
		sub.Close()
	})
}

// What clients do wrong, and what they are told.
func TestWireFaults(t *testing.T) {
	t.Attr("requirements", "log-level")
	start := func(t *testing.T) mcptest.Server {
		srv, _ := newServer(t, nil)
		return srv
	}
	transcript.Run(t, "faults", start, func(c *mcptest.Client, rev protocol.Revision) {
		for _, request := range []struct{ method, params string }{
			{protocol.MethodResourcesRead, `{"uri":"notes:///missing"}`},
			{protocol.MethodResourcesRead, `{"uri":"notes:///..%2fsecret"}`},
			{protocol.MethodResourcesRead, `{"uri":"other:///x"}`},
			{protocol.MethodResourcesRead, `{"uri":7}`},
			{protocol.MethodResourcesRead, `{"URI":"notes:///today"}`},
			{protocol.MethodResourcesList, `{"cursor":"forged"}`},
			{protocol.MethodCompletionComplete, `{"ref":{"type":"ref/resource","uri":"notes:///{name}"},"argument":{"name":"title","value":""}}`},
			{protocol.MethodCompletionComplete, `{"ref":{"type":"ref/resource","uri":"notes:///{id}"},"argument":{"name":"id","value":""}}`},
			{protocol.MethodCompletionComplete, `{"ref":{"type":"ref/prompt","name":"none"},"argument":{"name":"x","value":""}}`},
			{protocol.MethodToolsCall, `{"name":"none"}`},
			{protocol.MethodToolsCall, `{"name":"search","arguments":{"query":7}}`},
			{protocol.MethodToolsCall, `{"name":"search","arguments":{}}`},
			{protocol.MethodToolsCall, `{"name":"search","arguments":{"query":"x","limit":1.5}}`},
			{protocol.MethodToolsCall, `{"name":"search","arguments":{"query":"x","depth":2}}`},
			{protocol.MethodPromptsList, `{}`},
			{protocol.MethodLoggingSetLevel, `{"level":"debug"}`},
			{"nothing/here", `{}`},
		} {
			c.Do(request.method, []byte(request.params))
		}
		if protocol.HasMethod(rev, protocol.MethodResourcesSubscribe) {
			c.Do(protocol.MethodResourcesSubscribe, []byte(`{"uri":"notebook:///index"}`))
			c.Do(protocol.MethodResourcesSubscribe, []byte(`{"uri":"other:///x"}`))
			c.Do(protocol.MethodResourcesSubscribe, []byte(`{"uri":"notes:///..%2fsecret"}`))
		}
	})
}

// Lists come in pages, and a page begins where the last one ended.
func TestWirePages(t *testing.T) {
	t.Attr("requirements", "page-size cache-scope-pages")
	start := func(t *testing.T) mcptest.Server {
		srv, _ := newServer(t, &mcp.Options{PageSize: 3})
		return srv
	}
	transcript.Run(t, "pages", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.List()
	})
}

// A URI with a value that is not allowed is told from one too many: it never takes a place.
func TestWireSubscriptionsAreCheckedFirst(t *testing.T) {
	srv, _ := newServer(t, &mcp.Options{MaxSubscriptions: 1})
	c := mcptest.New(t, srv, mcptest.WithRevision(protocol.Revision20251125))
	c.Subscribe("notes:///plan")
	_, fault := c.Do(protocol.MethodResourcesSubscribe, []byte(`{"uri":"notes:///..%2fsecret"}`))
	if fault == nil || fault.Error() != "variable name: must not contain path elements of dots (code -32602)" {
		t.Errorf("got %v", fault)
	}
}
