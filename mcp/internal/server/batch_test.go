package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
)

func TestBatch(t *testing.T) {
	t.Attr("requirements", "msg-batch-receive msg-batch-initialize")
	st := newTestServer(t, nil)
	ping := request("1", "ping", "")
	for _, b := range []struct{ name, send, want string }{
		{"one", `[` + ping + `]`, `[{"jsonrpc":"2.0","id":1,"result":{}}]`},
		{"mixed", `[{"jsonrpc":"2.0","method":"notifications/nonsense"},` + read("2", "fix:///a") + `,` + ping +
			`,7,{"jsonrpc":"2.0","id":3,"result":{}}]`,
			`[{"jsonrpc":"2.0","id":2,"result":{"…":0}},{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"*"}}]`},
		{"errors", `[` + request("1", "no/such", "") + `,` + read("2", "no:///such") + `]`,
			`[{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"*"}},{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"*","data":{"uri":"no:///such"}}}]`},
		{"initialize", `[` + request("1", "initialize", "") + `]`, `[{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"*batch"}}]`},
		{"modern", `[` + modern("1", "server/discover", "") + `]`, `[{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"*batch"}}]`},
		{"empty", `[]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"*empty batch"}}`},
		{"nested", `[[` + ping + `]]`, `[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"*"}}]`},
		{"broken", `[` + ping, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"*"}}`},
	} {
		t.Run(b.name, func(t *testing.T) {
			c := newSession(t, st.Server, protocol.Revision20250326)
			wantMatch(t, c.ask(b.send), b.want)
			c.quiet()
		})
	}
}

func TestBatchOnlyInItsRevision(t *testing.T) {
	st := newTestServer(t, nil)
	for _, rev := range era.Revisions() {
		if rev == protocol.Revision20250326 {
			continue
		}
		c := newHarness(t, st.Server)
		if !era.IsModern(rev) {
			c = newSession(t, st.Server, rev)
		}
		wantMatch(t, c.ask(`[`+request("1", "ping", "")+`]`), `{"jsonrpc":"2.0","…":0,"error":{"code":-32600,"message":"*batches"}}`)
	}
}

func TestBatchWithoutRequestsIsNotAnswered(t *testing.T) {
	c := newSession(t, newTestServer(t, nil).Server, protocol.Revision20250326)
	c.send(`[{"jsonrpc":"2.0","method":"notifications/nonsense"},{"jsonrpc":"2.0","id":3,"result":{}}]`)
	c.quiet()
}

// TestBatchOfSlowRequests has a cancellation behind two handlers that block, and a request behind it.
func TestBatchOfSlowRequests(t *testing.T) {
	st := newTestServer(t, nil)
	c := newSession(t, st.Server, protocol.Revision20250326)
	c.send(`[` + read("1", "do:///block") + `,` + read("2", "do:///obey") + `,` +
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}},` + read("3", "do:///text") + `]`)
	<-st.entered
	ended := make(chan struct{})
	defer close(ended)
	go func() { // the second request may have been cancelled before its handler began
		select {
		case <-st.entered:
		case <-ended:
		}
	}()
	c.quiet()
	st.release <- struct{}{}
	got := c.recv()
	var answers []json.RawMessage
	if err := json.Unmarshal([]byte(got), &answers); err != nil || len(answers) != 2 || strings.Contains(got, `"id":2`) {
		t.Errorf("got %s", got)
	}
	c.quiet()
}

func TestBatchIsAnsweredAfterEOF(t *testing.T) {
	st := newTestServer(t, nil)
	c := newSession(t, st.Server, protocol.Revision20250326)
	c.send(`[` + read("1", "do:///block") + `,` + read("2", "do:///exit") + `,` + read("3", "do:///panic") + `,` +
		read("4", "do:///text") + `]`)
	cutInput(c)
	<-st.entered
	st.release <- struct{}{}
	answers, err := c.wait()
	if err != nil || len(answers) != 1 || strings.Count(answers[0], `"id":`) != 4 {
		t.Errorf("answers %q, Serve: %v", answers, err)
	}
}

func TestBatchDoesNotWaitForCancelledRequests(t *testing.T) {
	st := newTestServer(t, nil)
	c := newSession(t, st.Server, protocol.Revision20250326)
	c.send(`[` + read("1", "do:///block") + `,` + read("2", "do:///text") + `]`)
	<-st.entered
	c.quiet()
	wantMatch(t, c.ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`),
		`[{"jsonrpc":"2.0","id":2,"result":{"…":0}}]`)
	st.release <- struct{}{}
	c.quiet()
}

func TestBatchAtTheEndOfGrace(t *testing.T) {
	st := newTestServer(t, &Options{Grace: 20 * time.Millisecond})
	c := newSession(t, st.Server, protocol.Revision20250326)
	c.send(`[` + read("1", "do:///text") + `,` + read("2", "do:///block") + `,` + request("3", "ping", "") + `,` +
		read("4", "do:///block") + `]`)
	<-st.entered
	<-st.entered
	c.cancel()
	answers, err := c.wait()
	if err != nil || len(answers) != 1 {
		t.Fatalf("answers %q, Serve: %v", answers, err)
	}
	for id := range 4 {
		if !strings.Contains(answers[0], fmt.Sprintf(`"id":%d`, id+1)) {
			t.Errorf("no answer to %d in %s", id+1, answers[0])
		}
	}
	st.release <- struct{}{}
	st.release <- struct{}{}
}

// All items of a batch that is larger than what may be in flight are answered.
func TestBatchBeyondInFlight(t *testing.T) {
	const items = 1_000
	for _, most := range []int{0, 1, 2} {
		s, _ := waitingServer(t, &Options{MaxInFlight: most})
		c := newSession(t, s, protocol.Revision20250326)
		texts := make([]string, items)
		for i := range texts {
			texts[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"fine"}}`, i)
		}
		got := c.ask("[" + strings.Join(texts, ",") + "]")
		if n := strings.Count(got, `"fine"`); n != items {
			t.Errorf("%d in flight: %d results of %d: %.300s", most, n, items, got)
		}
	}
}
