package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

const unblocked = `{"jsonrpc":"2.0","id":"*","result":{"contents":[{"uri":"do:///block","mimeType":"text/plain","text":"unblocked"}]}}`

func TestSlowHandlersDoNotBlock(t *testing.T) {
	t.Attr("requirements", "state-many ping-answer")
	st := newTestServer(t, nil)
	c := newSession(t, st.Server, protocol.Revision20251125)
	for i := range 5 {
		c.send(read(fmt.Sprint(i), "do:///block"))
	}
	for range 5 {
		<-st.entered
	}
	c.quiet()
	wantMatch(t, c.ask(read("9", "do:///text")), `{"jsonrpc":"2.0","id":9,"result":{"…":0}}`)
	for range 5 {
		st.release <- struct{}{}
		wantMatch(t, c.recv(), unblocked)
	}
	c.quiet()
}

func TestCancel(t *testing.T) {
	t.Attr("requirements", "cancel-stop")
	st := newTestServer(t, nil)
	c := newSession(t, st.Server, protocol.Revision20251125)
	c.send(read(`"\u0061"`, "do:///block"))
	call := <-st.entered
	derived, stop := context.WithCancel(call)
	defer stop()
	c.send(request("1", "notifications/cancelled", `"requestId":7`)) // has an id: a request, and unknown
	wantMatch(t, c.recv(), `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"*"}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	c.quiet()
	if call.Err() != nil {
		t.Error("the wrong call was cancelled")
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
	<-derived.Done()
	if !errors.Is(call.Err(), context.Canceled) {
		t.Errorf("Err is %v", call.Err())
	}
	// The id is free again, although the old handler has not noticed yet.
	wantMatch(t, c.ask(read(`"a"`, "do:///text")), `{"jsonrpc":"2.0","id":"a","result":{"…":0}}`)
	st.release <- struct{}{}
	c.quiet()
}

func TestCancelAcrossEras(t *testing.T) {
	st := newTestServer(t, nil)
	c := newHarness(t, st.Server)
	c.send(modern("1", "resources/read", `"uri":"do:///obey"`))
	call := <-st.entered
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	<-call.Done()
	c.quiet()
}

func TestDuplicateID(t *testing.T) {
	t.Attr("requirements", "msg-id-unique")
	st := newTestServer(t, nil)
	c := newSession(t, st.Server, protocol.Revision20251125)
	c.send(read("1", "do:///block"))
	<-st.entered
	const duplicate = `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"*still being answered"}}`
	wantMatch(t, c.ask(read("1", "do:///text")), duplicate)
	wantMatch(t, c.ask(request("1", "ping", "")), duplicate)
	wantMatch(t, c.ask(read(`"1"`, "do:///text")), `{"jsonrpc":"2.0","id":"1","result":{"…":0}}`)
	st.release <- struct{}{}
	wantMatch(t, c.recv(), unblocked)
	wantMatch(t, c.ask(read("1", "do:///text")), `{"jsonrpc":"2.0","id":1,"result":{"…":0}}`)
}

func TestMaxInFlight(t *testing.T) {
	st := newTestServer(t, &Options{MaxInFlight: 2})
	c := newSession(t, st.Server, protocol.Revision20251125)
	c.send(read("1", "do:///block"))
	c.send(read("2", "do:///block"))
	<-st.entered
	<-st.entered
	wantMatch(t, c.ask(read("3", "do:///text")), `{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"too many requests in flight"}}`)
	c.quiet()
	wantMatch(t, c.ask(read("4", "fix:///a")), `{"jsonrpc":"2.0","id":4,"result":{"…":0}}`)
	// A cancelled request counts until its handler has returned.
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	wantMatch(t, c.ask(read("5", "do:///text")), `{"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"*"}}`)
	st.release <- struct{}{}
	st.release <- struct{}{}
	wantMatch(t, c.recv(), unblocked)
}

func TestGarbage(t *testing.T) {
	st := newTestServer(t, nil)
	deep := strings.Repeat(`[`, 1000) + strings.Repeat(`]`, 1000)
	for _, g := range []struct {
		text string
		code int
		id   string
	}{
		{`{`, -32700, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"} x`, -32700, ""},
		{"\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, -32700, ""},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, -32700, ""},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}", -32700, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":` + deep + `}}`, -32700, "1"},
		{`7`, -32600, ""},
		{`{}`, -32600, ""},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, -32600, "1"},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, ""},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, ""},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, -32600, "1"},
		{`{"jsonrpc":"2.0","id":1,"Method":"ping"}`, -32600, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":7}`, -32600, "1"},
	} {
		for _, rev := range era.Revisions() {
			id, c := `"id":null,`, newHarness(t, st.Server)
			if !era.IsModern(rev) { // else nothing is negotiated
				c = newSession(t, st.Server, rev)
				if rev >= protocol.Revision20251125 {
					id = ""
				}
			}
			if g.id != "" {
				id = `"id":` + g.id + `,`
			}
			wantMatch(t, c.ask(g.text), fmt.Sprintf(`{"jsonrpc":"2.0",%s"error":{"code":%d,"message":"*"}}`, id, g.code))
			c.quiet()
		}
	}
}

func TestMalformedModernMessageHasNoNullID(t *testing.T) {
	t.Attr("requirements", "msg-error-id")
	c := newHarness(t, newTestServer(t, nil).Server)
	got := c.ask(`{"jsonrpc":"2.0","id":{},"method":"x","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	wantMatch(t, got, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"*"}}`)
}

func TestAnswersAreNotAnswered(t *testing.T) {
	c := newSession(t, newTestServer(t, nil).Server, protocol.Revision20250618)
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","id":null,"error":7}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`,
		`{"jsonrpc":"2.0","result":{}}`,
	} {
		c.send(text)
	}
	c.quiet()
}

func TestMessageErrorIsAnswered(t *testing.T) {
	st := newTestServer(t, nil)
	client, server := transport.Pipe(nil)
	once := true
	c := &harness{t: t, conn: client, in: make(chan string, 10), served: make(chan error, 1)}
	go func() { c.served <- st.Serve(t.Context(), &badFirst{server, &once}) }()
	go c.readAll()
	wantMatch(t, c.recv(), `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"too long"}}`)
	c.quiet()
	client.Close()
	if _, err := c.wait(); err != nil {
		t.Error(err)
	}
}

func TestEOFAnswersEverythingFirst(t *testing.T) {
	st := newTestServer(t, nil)
	c := newHarness(t, st.Server)
	const n = 40
	c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	for i := range n {
		c.send(read(fmt.Sprint(i), []string{"do:///block", "do:///text", "fix:///a", "do:///exit"}[i%4]))
	}
	cutInput(c)
	for range n / 4 {
		<-st.entered
		st.release <- struct{}{}
	}
	answers, err := c.wait()
	if err != nil || len(answers) != n+1 {
		t.Errorf("%d answers, Serve: %v", len(answers), err)
	}
}

func TestGraceEnds(t *testing.T) {
	st := newTestServer(t, &Options{Grace: 20 * time.Millisecond})
	c := newSession(t, st.Server, protocol.Revision20251125)
	c.send(read("1", "do:///block"))
	c.send(read("2", "do:///obey"))
	calls := []*call.Call{<-st.entered, <-st.entered}
	c.cancel() // the context of Serve
	answers, err := c.wait()
	if err != nil || len(answers) != 2 {
		t.Fatalf("answers %q, Serve: %v", answers, err)
	}
	for _, a := range answers {
		wantMatch(t, a, `{"jsonrpc":"2.0","id":"*","error":{"code":-32603,"message":"*server ended"}}`)
	}
	for _, call := range calls {
		if !errors.Is(call.Err(), context.Canceled) {
			t.Errorf("Err is %v", call.Err())
		}
	}
	st.release <- struct{}{} // its answer comes too late and must hurt nobody
}

func TestServeContextIsNotThatOfHandlers(t *testing.T) {
	st := newTestServer(t, nil)
	type key struct{}
	client, server := transport.Pipe(nil)
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
	c := &harness{t: t, conn: client, in: make(chan string, 10), served: make(chan error, 1)}
	go func() { c.served <- st.Serve(ctx, server) }()
	go c.readAll()
	c.send(modern("1", "resources/read", `"uri":"do:///block"`))
	call := <-st.entered
	cancel()
	if call.Value(key{}) != "value" || call.Err() != nil {
		t.Errorf("value %v, Err %v", call.Value(key{}), call.Err())
	}
	st.release <- struct{}{}
	answers, err := c.wait()
	if err != nil || len(answers) != 1 || !strings.Contains(answers[0], "unblocked") {
		t.Errorf("answers %q, Serve: %v", answers, err)
	}
}

func TestClose(t *testing.T) {
	st := newTestServer(t, nil)
	c := newSession(t, st.Server, protocol.Revision20251125)
	c.quiet()
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if rest, err := c.wait(); err != nil || len(rest) != 0 {
		t.Errorf("answers %q, Serve: %v", rest, err)
	}
	_, server := transport.Pipe(nil)
	if err := st.Serve(t.Context(), server); !errors.Is(err, session.ErrServerClosed) {
		t.Errorf("Serve: %v", err)
	}
}

func TestDeadClient(t *testing.T) {
	st := newTestServer(t, &Options{Grace: time.Hour})
	client, server := transport.Pipe(nil)
	served := make(chan error, 1)
	go func() { served <- st.Serve(t.Context(), server) }()
	c := &harness{t: t, conn: client, in: make(chan string, 10), served: served}
	go c.readAll()
	c.send(modern("1", "resources/read", `"uri":"do:///obey"`))
	c.send(modern("2", "resources/read", `"uri":"do:///block"`))
	<-st.entered
	call := <-st.entered
	client.Close()
	st.release <- struct{}{} // the answer finds nobody, so that the other handler need not go on
	<-call.Done()
	<-served
}

// badFirst drops one message before the first.
type badFirst struct {
	transport.Conn
	once *bool
}

func (b *badFirst) ReadMessage(buf []byte) ([]byte, error) {
	if *b.once {
		*b.once = false
		return buf[:0], &transport.MessageError{Err: tooLong}
	}
	return b.Conn.ReadMessage(buf)
}
