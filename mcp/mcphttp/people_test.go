package mcphttp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// asking is a server whose tool asks the client for its folders, and a session of a client that has some.
type asking struct {
	*rig
	t       *testing.T
	session []string
	fates   chan error // what the tool got
}

func newAsking(t *testing.T, opts *mcphttp.Options, o *mcp.Options) *asking {
	x := &asking{t: t, fates: make(chan error, 100)}
	x.rig = newRigWith(t, opts, o, func(f *mcprt.Features) {
		f.Tools = []mcprt.Tool{{Entry: &protocol.Tool{Name: "ask", InputSchema: []byte(`{"type":"object"}`)},
			Call: func(c *mcprt.Call, _ []byte) (mcprt.ToolResult, error) {
				roots, err := (*mcp.Call)(c).Peer().AskRoots(c)
				x.fates <- err
				return mcprt.ToolResultOf(mcp.ToolText(fmt.Sprint(len(roots), " roots")), err)
			}}}
	})
	w := x.do("POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"t","version":"1"}}}`)
	x.session = []string{"Mcp-Session-Id", w.Header().Get("Mcp-Session-Id")}
	return x
}

// call calls the tool; the response is there when it has ended.
func (x *asking) call(ctx context.Context, id int) (done <-chan *httptest.ResponseRecorder) {
	c := make(chan *httptest.ResponseRecorder, 1)
	req := httptest.NewRequestWithContext(ctx, "POST", target, strings.NewReader(callOf(id, "ask")))
	setHeaders(req, x.session)
	go func() {
		w := httptest.NewRecorder()
		x.http.ServeHTTP(w, req)
		c <- w
	}()
	return c
}

// answer answers the n-th question of the session.
func (x *asking) answer(n int) {
	x.t.Helper()
	want(x.t, x.do("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"roots":[]}}`, n), x.session...), 202)
}

// Requests that wait for a person do not count among those under way, neither of the session nor of the server; they
// have bounds of their own, for a client and for all.
func TestWaitingForPeople(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newAsking(t, &mcphttp.Options{MaxRequests: 1, MaxWaiting: 5, MaxPerClient: 5},
			&mcp.Options{MaxInFlight: 1, MaxQuestions: 3})
		defer func() { _ = x.srv.Close() }()
		var open []<-chan *httptest.ResponseRecorder
		ask := func() {
			open = append(open, x.call(t.Context(), 10+len(open)))
			synctest.Wait()
		}
		for range 3 {
			ask()
		}
		want(t, x.do("POST", ping, x.session...), 200)
		want(t, <-x.call(t.Context(), 50), 200, "too many questions")
		first := x.session
		other := newSessionOf(x)
		ask()
		ask()
		want(t, <-x.call(t.Context(), 50), 200, "too many questions") // the bound of all
		for n := range 2 {
			x.answer(n + 1)
			synctest.Wait() // the request that was answered is under way until it ends
		}
		x.session = first
		for n := range 3 {
			x.answer(n + 1)
			synctest.Wait()
		}
		for _, done := range open {
			want(t, <-done, 200, "0 roots")
		}
		x.session = other
		want(t, x.do("POST", ping, x.session...), 200)
		done := x.call(t.Context(), 51)
		synctest.Wait()
		x.answer(3)
		want(t, <-done, 200, "0 roots")
	})
}

// newSessionOf opens another session, which x uses from now on.
func newSessionOf(x *asking) []string {
	w := x.do("POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"t","version":"1"}}}`)
	x.session = []string{"Mcp-Session-Id", w.Header().Get("Mcp-Session-Id")}
	return x.session
}

// A question ends with its client: with the session at once; with the connection that it was sent on once the client
// has not come back to it for some time.
func TestQuestionsOfClientsThatLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newAsking(t, nil, nil)
		defer func() { _ = x.srv.Close() }()
		done := x.call(t.Context(), 1)
		synctest.Wait()
		want(t, x.do("DELETE", "", x.session...), 204)
		<-done
		if err := <-x.fates; err == nil {
			t.Error("an answer from nobody")
		}

		newSessionOf(x)
		start := time.Now()
		ctx, drop := context.WithCancel(t.Context())
		done = x.call(ctx, 1)
		time.Sleep(time.Hour / 10)
		drop()
		<-done
		if err := <-x.fates; !errors.Is(err, mcp.ErrNoAnswer) || time.Since(start) != time.Hour/10+30*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// A client that comes back to its stream may take its time for the answer.
func TestQuestionOfClientThatComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newAsking(t, nil, nil)
		defer func() { _ = x.srv.Close() }()
		ctx, drop := context.WithCancel(t.Context())
		first := x.call(ctx, 1)
		synctest.Wait()
		drop()
		time.Sleep(20 * time.Second)
		req := httptest.NewRequest(http.MethodGet, target, nil)
		setHeaders(req, append(x.session[:2:2], "Last-Event-Id", "1-1"))
		w := httptest.NewRecorder()
		var wg sync.WaitGroup
		wg.Go(func() { x.http.ServeHTTP(w, req) })
		time.Sleep(5 * time.Minute)
		x.answer(1)
		wg.Wait()
		want(t, w, 200, `"method":"roots/list"`, "0 roots")
		if err := <-x.fates; err != nil {
			t.Error(err)
		}
		if id := regexp.MustCompile(`id: \d+-\d+`).FindString((<-first).Body.String()); id != "id: 1-1" {
			t.Errorf("the first event is %s", id)
		}
	})
}

// A client that came back to its stream and lost it once more has as much time to come back again as the first time,
// whenever it was asked.
func TestQuestionOfClientThatComesBackTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newAsking(t, nil, nil)
		defer func() { _ = x.srv.Close() }()
		resume := func(ctx context.Context) *httptest.ResponseRecorder {
			req := httptest.NewRequestWithContext(ctx, "GET", target, nil)
			setHeaders(req, append(x.session[:2:2], "Last-Event-Id", "1-1"))
			w := httptest.NewRecorder()
			x.http.ServeHTTP(w, req)
			return w
		}
		ctx, drop := context.WithTimeout(t.Context(), 2*time.Second)
		defer drop()
		first := x.call(ctx, 1)
		time.Sleep(5 * time.Second)
		ctx, leave := context.WithTimeout(t.Context(), 24*time.Second)
		defer leave()
		resume(ctx)
		time.Sleep(20 * time.Second) // 49 seconds after the question, 20 after the stream has broken
		var wg sync.WaitGroup
		wg.Go(func() { want(t, resume(t.Context()), 200, "0 roots") })
		synctest.Wait()
		x.answer(1)
		wg.Wait()
		<-first
		if err := <-x.fates; err != nil {
			t.Error(err)
		}
	})
}
