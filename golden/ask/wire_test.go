package ask_test

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/ask"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newServer(t *testing.T) mcptest.Server {
	t.Helper()
	s, err := ask.NewAskServer(ask.AskImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// patient is a user who answers everything.
func patient(p protocol.ElicitRequestParams) protocol.ElicitResult {
	form, ok := p.(*protocol.ElicitRequestFormParams)
	switch {
	case !ok:
		return mcptest.Accept("")
	case strings.Contains(form.Message, "sit"):
		return mcptest.Accept(`{"class":"first","backup":"second","meals":["fish"],"any":[]}`)
	}
	return mcptest.Accept(`{"name":"Ada","email":"ada@example.com","age":36,"vip":true,"luggage":20.5}`)
}

// All questions and answers, in each revision. Revisions without forms refuse what needs one; 2025-06-18 is not asked
// for the fields that have several choices.
func TestWire(t *testing.T) {
	t.Attr("requirements", "ask-in-results ask-secrets-url ask-form-params ask-url-in-form stdio-requests")
	script := func(c *mcptest.Client, _ protocol.Revision) {
		c.List()
		c.Call("book", `{"to":"Rome"}`)
		c.Call("pay", "")
		c.Call("advise", `{"to":"Rome"}`)
		c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"ask:///tickets/Rome"}`))
		c.Do(protocol.MethodPromptsGet, []byte(`{"name":"plan","arguments":{"to":"Rome"}}`))
	}
	transcript.Run(t, "wire", newServer, script,
		mcptest.WithElicitation(patient),
		mcptest.WithSampling(func(*protocol.CreateMessageRequestParams) protocol.CreateMessageResult {
			return mcptest.Reply("Old.")
		}),
		mcptest.WithRoots(protocol.Root{URI: "file:///trips", Name: "Trips"}),
		mcptest.WithProgress(), mcptest.WithLogs(protocol.LoggingLevelInfo))
}

// Users refuse, and clients cannot do everything.
func TestWireRefusals(t *testing.T) {
	t.Attr("requirements", "ask-undeclared ask-mode ask-declined")
	script := func(c *mcptest.Client, _ protocol.Revision) {
		c.Do(protocol.MethodToolsCall, []byte(`{"name":"book","arguments":{"to":"Rome"}}`))
		c.Do(protocol.MethodToolsCall, []byte(`{"name":"pay"}`))
		c.Do(protocol.MethodToolsCall, []byte(`{"name":"advise","arguments":{"to":"Rome"}}`))
		c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"ask:///tickets/Rome"}`))
	}
	transcript.Run(t, "refused", newServer, script,
		mcptest.WithElicitation(func(protocol.ElicitRequestParams) protocol.ElicitResult { return mcptest.Decline() }))
	transcript.Run(t, "unable", newServer, script)
}

// What a test of such a server looks like, in each revision that has forms with choices.
func TestBook(t *testing.T) {
	for _, rev := range mcp.Revisions() {
		if rev < protocol.Revision20251125 {
			continue
		}
		c := mcptest.New(t, newServer(t), mcptest.WithRevision(rev), mcptest.WithElicitation(patient), mcptest.WithProgress(),
			mcptest.WithLogs(protocol.LoggingLevelInfo))
		if r := c.Call("book", `{"to":"Rome"}`); string(r.StructuredContent) != `{"name":"Ada","class":"first"}` {
			t.Errorf("%v: booked %s", rev, r.StructuredContent)
		}
		if logs := c.Logs(); len(logs) != 1 || string(logs[0].Data) != `{"class":"first","msg":"booked","to":"Rome"}` {
			t.Errorf("%v: logs %v", rev, logs)
		}
		if done := c.Progress(); len(done) == 0 || done[len(done)-1].Progress != 3 {
			t.Errorf("%v: progress %v", rev, done)
		}
	}
}
