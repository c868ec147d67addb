package mcphttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

const (
	waits = "com.example/x/wait"
	quick = "com.example/x/quick"
	notes = "notifications/com.example/x/note"
)

// newExtensionServer returns a server with a request and a notification of an extension that wait, within a limit.
func newExtensionServer(t *testing.T, limit mcprt.Limit, o *mcp.Options) *rig {
	t.Helper()
	var r *rig
	call := func(c *mcprt.Call, _ []byte) (json.RawMessage, error) {
		_, err := r.wait(c, nil)
		return json.RawMessage("{}"), err
	}
	r = newRigWith(t, nil, o, func(f *mcprt.Features) {
		f.Extensions = mcprt.Extensions(mcprt.Extension{ID: "com.example/x", Methods: []mcprt.Method{
			{Name: waits, Undeclared: true, Guard: &mcprt.Guard{Limit: limit}, Call: call},
			{Name: quick, Undeclared: true, Call: func(*mcprt.Call, []byte) (json.RawMessage, error) {
				return json.RawMessage("{}"), nil
			}},
			{Name: notes, Undeclared: true, Notification: true, Guard: &mcprt.Guard{Limit: limit}, Call: call},
		}})
	})
	return r
}

// stdio is a client of a rig on a connection, in one of the eras.
type stdio struct {
	t      *testing.T
	near   transport.Conn
	params string // of each message
}

// connect serves a client on a connection until the test ends.
func (r *rig) connect(t *testing.T, modern bool) *stdio {
	t.Helper()
	near, far := transport.Pipe(nil)
	served := make(chan error, 1)
	ctx := context.WithoutCancel(t.Context())
	go func() { served <- r.srv.Serve(ctx, far) }()
	t.Cleanup(func() {
		_ = near.Close()
		<-served
	})
	c := &stdio{t: t, near: near}
	if modern {
		c.params = modernMeta
		return c
	}
	c.send(`"id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}`)
	c.gets(`"id":0`)
	return c
}

// send sends a message, whose params are those of all messages if it has none.
func (c *stdio) send(members string) {
	c.t.Helper()
	if !strings.Contains(members, `"params"`) {
		members += `,"params":{` + c.params + `}`
	}
	if err := c.near.WriteMessage([]byte(`{"jsonrpc":"2.0",` + members + "}\n")); err != nil {
		c.t.Fatal(err)
	}
}

// gets reads the next message and insists on texts in it.
func (c *stdio) gets(texts ...string) {
	c.t.Helper()
	b, err := c.near.ReadMessage(nil)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, text := range texts {
		if !strings.Contains(string(b), text) {
			c.t.Errorf("no %s in %s", text, b)
		}
	}
}

// cancel sends notifications/cancelled.
func (c *stdio) cancel(id string) {
	c.t.Helper()
	params := `"requestId":` + id
	if c.params != "" {
		params += "," + c.params
	}
	c.send(`"method":"notifications/cancelled","params":{` + params + `}`)
}

// A client cancels a request of an extension, which then gets no response, in both eras; a notification has no id that
// it could name.
func TestCancelExtension(t *testing.T) {
	for _, modern := range []bool{false, true} {
		r := newExtensionServer(t, mcprt.Limit{}, nil)
		c := r.connect(t, modern)
		c.send(`"id":"a","method":"` + waits + `"`)
		<-r.started
		c.cancel(`"a"`)
		<-r.ended
		c.send(`"id":"b","method":"` + waits + `"`)
		<-r.started
		r.proceed <- struct{}{}
		c.gets(`"id":"b"`, `"result"`)

		c.send(`"method":"` + notes + `"`)
		<-r.started
		for n := range 40 { // whatever it is called inside
			for _, id := range []string{fmt.Sprintf(`"notification %d"`, n), fmt.Sprint(n + 1), `"null"`} {
				c.cancel(id)
				c.send(`"id":` + id + `,"method":"` + quick + `"`)
				c.gets(`"id":`+id+`,`, `"result"`)
			}
		}
		select {
		case <-r.ended:
			t.Error("a client has cancelled its notification")
		default:
		}
		r.proceed <- struct{}{}
	}
}

// Over HTTP a client of 2026-07-28 cancels by leaving, and one of a session by a notification.
func TestCancelExtensionHTTP(t *testing.T) {
	t.Attr("requirements", "http-close-cancels")
	r := newExtensionServer(t, mcprt.Limit{}, nil)
	body, headers := modern(waits, "", "")
	ctx, leave := context.WithCancel(t.Context())
	req := httptest.NewRequestWithContext(ctx, "POST", target, strings.NewReader(body))
	setHeaders(req, headers)
	done := make(chan bool)
	go func() {
		r.http.ServeHTTP(httptest.NewRecorder(), req)
		close(done)
	}()
	<-r.started
	leave()
	<-r.ended
	<-done

	session := r.initialize(t, "2025-11-25")
	w := make(chan *httptest.ResponseRecorder)
	go func() { w <- r.do("POST", request(waits, ""), session...) }()
	<-r.started
	cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	want(t, r.do("POST", cancelled, session...), 202)
	<-r.ended
	if got := <-w; strings.Contains(got.Body.String(), `"result"`) || strings.Contains(got.Body.String(), `"error"`) {
		t.Errorf("the response to a cancelled request is %s", got.Body)
	}
}

// timeout= ends requests with an error, and notifications without a word.
func TestExtensionTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newExtensionServer(t, mcprt.Limit{Timeout: 5 * time.Second}, nil)
		defer func() { _ = r.srv.Close() }()
		begin := time.Now()
		body, headers := modern(waits, "", "")
		want(t, r.do("POST", body, headers...), 200, `"code":-32603`, "5s")
		<-r.ended
		session := r.initialize(t, "2025-11-25")
		want(t, r.do("POST", request(waits, ""), session...), 200, `"code":-32603`, "5s")
		<-r.ended
		want(t, r.do("POST", `{"jsonrpc":"2.0","method":"`+notes+`"}`, session...), 202)
		<-r.ended
		body, headers = modern(notes, "", "")
		want(t, r.do("POST", strings.Replace(body, `"id":1,`, "", 1), headers...), 202)
		<-r.ended
		if took := time.Since(begin); took != 20*time.Second {
			t.Errorf("four timeouts took %v", took)
		}
		near, far := transport.Pipe(nil)
		served := make(chan error)
		go func() { served <- r.srv.Serve(context.Background(), far) }()
		c := &stdio{t: t, near: near, params: modernMeta}
		c.send(`"method":"` + notes + `"`)
		c.send(`"id":2,"method":"` + waits + `"`)
		c.gets(`"code":-32603`, `"id":2`)
		<-r.ended
		<-r.ended
		_ = near.Close()
		<-served
	})
}

// rate= and concurrency= refuse requests with an error and notifications without a word, both counted.
func TestExtensionLimits(t *testing.T) {
	for _, modern := range []bool{false, true} {
		r := newExtensionServer(t, mcprt.Limit{Rate: 1, Burst: 1, Per: time.Hour}, nil)
		c := r.connect(t, modern)
		close(r.proceed)
		for range 3 {
			c.send(`"method":"` + notes + `"`)
		}
		c.send(`"id":1,"method":"` + waits + `"`)
		c.gets(`"result"`)
		c.send(`"id":2,"method":"` + waits + `"`)
		c.gets(`"code":-32603`, "called too often", `"retryAfterMs"`)
		counted(t, r, "rate", 3)

		r = newExtensionServer(t, mcprt.Limit{Concurrency: 1}, nil)
		c = r.connect(t, modern)
		c.send(`"method":"` + notes + `"`)
		<-r.started
		c.send(`"method":"` + notes + `"`)
		c.send(`"id":1,"method":"` + waits + `"`) // has a place of its own
		<-r.started
		c.send(`"id":2,"method":"` + waits + `"`)
		c.gets(`"code":-32603`, "at most 1")
		counted(t, r, "concurrency", 2)
		close(r.proceed)
		c.gets(`"id":1`, `"result"`)
	}
}

// A notification takes one of the places of requests in flight, and gets none if there is none.
func TestExtensionInFlight(t *testing.T) {
	for _, modern := range []bool{false, true} {
		r := newExtensionServer(t, mcprt.Limit{}, &mcp.Options{MaxInFlight: 2})
		c := r.connect(t, modern)
		c.send(`"method":"` + notes + `"`)
		<-r.started
		c.send(`"id":1,"method":"` + waits + `"`)
		<-r.started
		c.send(`"method":"` + notes + `"`)
		c.send(`"id":2,"method":"` + quick + `"`)
		c.gets(`"id":2`, "too many requests in flight")
		counted(t, r, "in_flight", 2)
		close(r.proceed)
		c.gets(`"id":1`, `"result"`)
	}
	r := newExtensionServer(t, mcprt.Limit{}, &mcp.Options{MaxInFlight: 1})
	session := r.initialize(t, "2025-11-25")
	done := make(chan bool)
	go func() {
		want(t, r.do("POST", `{"jsonrpc":"2.0","method":"`+notes+`"}`, session...), 202)
		close(done)
	}()
	<-r.started
	want(t, r.do("POST", request(quick, ""), session...), 200, "too many requests in flight")
	r.proceed <- struct{}{}
	<-done
	want(t, r.do("POST", request(quick, ""), session...), 200, `"result"`)
}

// counted waits until so many refusals were counted: notifications have no response that comes behind them.
func counted(t *testing.T, r *rig, why string, n int64) {
	t.Helper()
	for try := 0; r.srv.Stats().Refusals[why] != n; try++ {
		if try == 5000 {
			t.Errorf("%d refusals by %s, want %d", r.srv.Stats().Refusals[why], why, n)
			return
		}
		time.Sleep(time.Millisecond)
	}
}
