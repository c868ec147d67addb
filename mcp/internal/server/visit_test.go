package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

const agreed = `{"action":"accept"}`

// visitor is a server with a tool that sends the user to a page, and hands the question out.
func visitor(t *testing.T) (*Server, <-chan *call.URLQuestion) {
	t.Helper()
	visits := make(chan *call.URLQuestion, 10)
	return newNotifier(t, map[string]func(*call.Call) error{"visit": func(c *call.Call) error {
		q := call.NewURLQuestion("page", "Look.", "https://page.example")
		q.Complete() // does nothing yet
		if err := c.Peer().Ask(c, q); err != nil {
			return err
		}
		visits <- q
		return q.Answer()
	}}), visits
}

// visit calls the tool and agrees; the id is that of the elicitation.
func visit(t *testing.T, c *harness) (id string) {
	t.Helper()
	c.send(toolCall("1", "visit", "{}"))
	var q struct {
		ID     json.RawMessage
		Params struct{ ElicitationID string }
	}
	if err := json.Unmarshal([]byte(c.recv()), &q); err != nil {
		t.Fatal(err)
	}
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, agreed))
	if got := c.recv(); !strings.Contains(got, `"id":1`) {
		t.Fatalf("got %s", got)
	}
	return q.Params.ElicitationID
}

// The end of a visit is told to the client that was asked, once, however late.
func TestVisitComplete(t *testing.T) {
	t.Attr("requirements", "ask-secrets-url ask-user-opens ask-complete")
	s, visits := visitor(t)
	asked, other := able(t, s, protocol.Revision20251125, everything), able(t, s, protocol.Revision20251125, everything)
	first, otherFirst := visit(t, asked), visit(t, other)
	q, otherQ := <-visits, <-visits
	if first == "" || first == otherFirst {
		t.Fatalf("ids %q and %q", first, otherFirst)
	}
	for range 2 {
		q.Complete()
	}
	wantMatch(t, asked.recv(),
		fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":%q}}`, first))
	wantMatch(t, asked.ask(request("2", "ping", "")), `{"jsonrpc":"2.0","id":2,"result":{}}`)
	wantMatch(t, other.ask(request("2", "ping", "")), `{"jsonrpc":"2.0","id":2,"result":{}}`)
	otherQ.Complete()
	wantMatch(t, other.recv(),
		fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":%q}}`,
			otherFirst))
}

// A client that has left is told nothing, and nothing breaks.
func TestVisitCompleteLate(t *testing.T) {
	t.Attr("requirements", "ask-complete")
	s, visits := visitor(t)
	c := able(t, s, protocol.Revision20251125, everything)
	visit(t, c)
	_ = c.conn.Close()
	_, _ = c.wait()
	(<-visits).Complete()
}

// 2026-07-28 has no such message: the client repeats its request instead.
func TestVisitCompleteModern(t *testing.T) {
	s, visits := visitor(t)
	c := newHarness(t, s)
	first := c.ask(modernCall("1", "visit", everything, ""))
	wantMatch(t, first, inputRequired("1", `{"page":{"method":"elicitation/create","params":{"mode":"url","message":"Look.","url":"https://page.example"}}}`))
	again := `"inputResponses":{"page":` + agreed + `},"requestState":"` + stateOf(t, first) + `"`
	wantMatch(t, c.ask(modernCall("2", "visit", everything, again)), `{"jsonrpc":"2.0","id":2,"result":{"…":0}}`)
	(<-visits).Complete()
	wantMatch(t, c.ask(modern("3", "tools/list", "")), `{"jsonrpc":"2.0","id":3,"result":{"…":0}}`)
}
