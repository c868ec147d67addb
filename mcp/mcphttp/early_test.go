package mcphttp_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

func callOf(id any, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"tools/call","params":{"name":%q}}`, id, tool)
}

func cancelOf(id any) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%v}}`, id)
}

// A call and its cancellation come in two requests, in whatever order they are handled: no call goes on.
func TestCancellationHitsWhenever(t *testing.T) {
	for _, revision := range legacyRevisions {
		r := newRig(t, nil)
		r.started, r.ended = make(chan struct{}, 1000), make(chan struct{}, 1000)
		s := r.initialize(t, revision)
		var wg sync.WaitGroup
		for id := 1; id <= 200; id++ { // 0 was that of initialize
			post := func(text string) { wg.Go(func() { want(t, r.do("POST", text, s...), 202) }) }
			if id%2 == 0 {
				post(callOf(id, "wait"))
				post(cancelOf(id))
			} else {
				post(cancelOf(id))
				post(callOf(id, "wait"))
			}
		}
		wg.Wait() // for ever, if one was missed
	}
}

// A cancellation that comes before its call is remembered for half a minute, one that comes too late hits no later
// call.
func TestEarlyAndLateCancellation(t *testing.T) {
	t.Attr("requirements", "cancel-races")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		defer func() { _ = r.srv.Close() }()
		s := r.initialize(t, "2025-11-25")
		want(t, r.do("POST", cancelOf(5), s...), 202)
		if w := r.do("POST", callOf(5, "who"), s...); w.Code != 202 || w.Body.Len() > 0 {
			t.Errorf("a call that was cancelled before: %d %s", w.Code, w.Body)
		}
		want(t, r.do("POST", callOf(5, "who"), s...), 200, "caller=") // the cancellation was for one call
		for _, text := range []string{callOf(6, "who"), `{"jsonrpc":"2.0","id":6,"method":"tools/list"}`, callOf(6, "who")} {
			want(t, r.do("POST", text, s...), 200, `"id":6,"result"`)
			want(t, r.do("POST", cancelOf(6), s...), 202)
		}
		want(t, r.do("POST", cancelOf(7), s...), 202)
		time.Sleep(31 * time.Second)
		want(t, r.do("POST", callOf(7, "who"), s...), 200)
		for id := range 10_000 { // of which few are remembered
			want(t, r.do("POST", cancelOf(fmt.Sprintf("%q", strings.Repeat("x", 1000)+fmt.Sprint(id))), s...), 202)
		}
		want(t, r.do("POST", callOf(fmt.Sprintf("%q", strings.Repeat("x", 1000)+"0"), "who"), s...), 200)
		other := r.initialize(t, "2025-11-25")
		want(t, r.do("POST", cancelOf(8), s...), 202)
		want(t, r.do("POST", callOf(8, "who"), other...), 200) // of another session
	})
}

// A cancellation that comes while a request is handled that cannot be cancelled hits no later one.
func TestCancellationOfWhatCannotBeCancelled(t *testing.T) {
	t.Attr("requirements", "cancel-unknown cancel-initialize")
	hook := func() {}
	r := newRigWith(t, nil, nil, func(f *mcprt.Features) {
		route := f.Route
		f.Route = func(uri string, v *mcprt.Vars) int {
			hook()
			return route(uri, v)
		}
	})
	s := r.initialize(t, "2025-11-25")
	var once sync.Once
	hook = func() { once.Do(func() { want(t, r.do("POST", cancelOf(5), s...), 202) }) }
	want(t, r.do("POST", `{"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":"r:///ä"}}`, s...), 200, `"id":5`)
	want(t, r.do("POST", callOf(5, "who"), s...), 200, "caller=")
}

// A batch may hold a call and its cancellation.
func TestCancelledInItsBatch(t *testing.T) {
	r := newRig(t, nil)
	s := r.initialize(t, "2025-03-26")
	w := r.do("POST", "["+callOf(1, "who")+","+callOf(2, "wait")+","+cancelOf(2)+","+callOf(3, "who")+"]", s...)
	want(t, w, 200, `"id":1,"result"`, `"id":3,"result"`)
	if strings.Contains(w.Body.String(), `"id":2`) {
		t.Errorf("answered: %s", w.Body)
	}
	want(t, r.do("POST", "["+callOf(4, "wait")+","+cancelOf(4)+"]", s...), 202)
}

// A modern request whose client has gone before it is handled runs no code.
func TestGoneBeforeItIsHandled(t *testing.T) {
	r := newRig(t, nil)
	body, headers := modern("tools/call", "wait", `"name":"wait"`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 {
		req := httptest.NewRequestWithContext(ctx, "POST", target, strings.NewReader(body))
		setHeaders(req, headers)
		r.http.ServeHTTP(httptest.NewRecorder(), req) // returns, or the test does not
	}
}

// Once a session has ended, no code begins for requests of it that were read before: neither the tool behind a policy
// or a middleware that was running, nor the rest of a batch.
func TestEndedSessionRunsNothing(t *testing.T) {
	t.Attr("requirements", "http-session-delete")
	for _, in := range []string{"policy", "middleware", "batch"} {
		t.Run(in, func(t *testing.T) {
			var ran atomic.Int64
			begun, on := make(chan struct{}), make(chan struct{})
			pause := func(at string) {
				if at == in {
					close(begun)
					<-on
				}
			}
			schema := []byte(`{"type":"object"}`)
			tools := []mcprt.Tool{
				{
					Entry: &protocol.Tool{Name: "first", InputSchema: schema},
					Call: func(*mcprt.Call, []byte) (mcprt.ToolResult, error) {
						pause("batch")
						return mcprt.ToolResultOf(mcp.ToolText("x"), nil)
					},
				}, {
					Entry: &protocol.Tool{Name: "second", InputSchema: schema},
					Guard: &mcprt.Guard{
						Access: mcprt.Access{Policies: []mcprt.Policy{func(*mcprt.Call) error { pause("policy"); return nil }}},
						Use: mcprt.Use(func(c *mcp.Call, p mcp.Params, next mcp.Next) (mcp.Result, error) {
							pause("middleware")
							return next(c, p)
						}),
					},
					Call: func(*mcprt.Call, []byte) (mcprt.ToolResult, error) {
						ran.Add(1)
						return mcprt.ToolResultOf(mcp.ToolText("x"), nil)
					},
				},
			}
			r := newRigWith(t, nil, nil, func(f *mcprt.Features) {
				f.Tools = tools
			})
			s := r.initialize(t, "2025-03-26")
			text := callOf(2, "second")
			if in == "batch" {
				text = "[" + callOf(1, "first") + "," + text + "]"
			}
			done := make(chan *httptest.ResponseRecorder)
			go func() { done <- r.do("POST", text, s...) }()
			<-begun
			want(t, r.do("DELETE", "", s...), 204)
			close(on)
			want(t, <-done, 404)
			if ran.Load() != 0 {
				t.Error("code of a session that had ended ran")
			}
		})
	}
}

// yielding is an audit that lets others run between the end of a handler and its response.
type yielding struct{ slog.Handler }

func (yielding) Enabled(context.Context, slog.Level) bool { return true }

func (yielding) Handle(context.Context, slog.Record) error {
	runtime.Gosched()
	return nil
}

// lateWriter is a response that notes whether its body begins after an event.
type lateWriter struct {
	*httptest.ResponseRecorder
	event *atomic.Bool
	late  bool
}

func (w *lateWriter) Write(b []byte) (int, error) {
	w.late = w.late || w.event.Load()
	return w.ResponseRecorder.Write(b)
}

// Once a cancellation was accepted, no response of the cancelled request of the session begins: 100,000 calls are
// cancelled while their responses are made.
func TestNoResponseAfterCancellation(t *testing.T) {
	t.Attr("requirements", "cancel-races")
	calls := 100_000
	if testing.Short() {
		calls = 10_000
	}
	r := newRigWith(t, nil, &mcp.Options{Audit: slog.New(yielding{slog.DiscardHandler})})
	s := r.initialize(t, "2025-11-25")
	answered, late := 0, 0
	next, done := make(chan int), make(chan *lateWriter)
	var accepted atomic.Bool
	go func() {
		defer close(done)
		for id := range next {
			w := &lateWriter{ResponseRecorder: httptest.NewRecorder(), event: &accepted}
			req := httptest.NewRequest(http.MethodPost, target, strings.NewReader(callOf(id, "who")))
			setHeaders(req, s)
			r.http.ServeHTTP(w, req)
			done <- w
		}
	}()
	for id := 1; id <= calls; id++ {
		accepted.Store(false)
		next <- id
		for range id % 32 {
			runtime.Gosched()
		}
		want(t, r.do("POST", cancelOf(id), s...), 202)
		accepted.Store(true)
		w := <-done
		if w.Body.Len() > 0 {
			answered++
		}
		if w.late {
			late++
		}
	}
	close(next)
	<-done
	if late > 0 {
		t.Errorf("%d responses after their cancellation, of %d", late, calls)
	}
	t.Logf("%d of %d calls answered", answered, calls)
}
