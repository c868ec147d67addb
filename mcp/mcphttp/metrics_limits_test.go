package mcphttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// handled is a handler of a logger that calls itself for each record.
type handled func()

func (f handled) Enabled(context.Context, slog.Level) bool  { return true }
func (f handled) Handle(context.Context, slog.Record) error { f(); return nil }
func (f handled) WithAttrs([]slog.Attr) slog.Handler        { return f }
func (f handled) WithGroup(string) slog.Handler             { return f }
func logger(handle func()) *slog.Logger                     { return slog.New(handled(handle)) }
func refusedFor(reason string) string                       { return `mcp_refusals_total{reason="` + reason + `"}` }

// opens sends a request whose response is a stream that goes on, until the returned function ends it.
func (o *observed) opens(body string, headers ...string) (end func()) {
	req := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	setHeaders(req, headers)
	ctx, cancel := contextOf(req)
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.http.ServeHTTP(httptest.NewRecorder(), req.WithContext(ctx))
	}()
	synctest.Wait()
	return func() { cancel(); <-done }
}

// placeEvents are those of the bytes and the streams that there are.
func placeEvents() map[string]event {
	large := func(method string) (string, []string) {
		return modern("tools/call", method, `"name":"`+method+`","arguments":{"x":"`+strings.Repeat("x", 40_000)+`"}`)
	}
	return map[string]event{
		`mcp_pending_bytes{kind="answers"}`: {
			edit: func(f *mcprt.Features) {
				f.Resources[0].Read = func(*mcprt.Call) (mcprt.Contents, error) { return mcprt.AsStream(new(gated), nil) }
			},
			do: func(o *observed) {
				done := o.post(request("resources/read", `"uri":"r:///ä"`), o.session()...)
				if n := o.now(); n < 100_000 {
					o.t.Errorf("%v bytes are pending", n)
				}
				time.Sleep(time.Minute)
				want(o.t, <-done, http.StatusOK)
			},
		},
		`mcp_pending_bytes{kind="unread"}`: {do: func(o *observed) {
			s, on := o.session(), make(chan struct{})
			o.do("POST", `{"jsonrpc":"2.0","id":8,"method":"logging/setLevel","params":{"level":"info"}}`, s...)
			req := httptest.NewRequest(http.MethodPost, target, strings.NewReader(callOf(10, "big")))
			setHeaders(req, s)
			done := make(chan struct{})
			go func() {
				defer close(done)
				o.http.ServeHTTP(&stuck{httptest.NewRecorder(), on}, req)
			}()
			synctest.Wait()
			if n := o.now(); n < 1_000 {
				o.t.Errorf("%v bytes are pending", n)
			}
			close(on)
			<-done
		}},
		`mcp_pending_bytes{kind="bodies"}`: {do: func(o *observed) {
			body, headers := large("wait")
			done := o.post(body, headers...)
			if n := o.now(); n < 40_000 {
				o.t.Errorf("%v bytes are pending", n)
			}
			o.proceed <- struct{}{}
			<-done
		}},
		"mcp_retained_bytes": {do: func(o *observed) {
			s := o.session()
			o.do("POST", `{"jsonrpc":"2.0","id":8,"method":"logging/setLevel","params":{"level":"info"}}`, s...)
			o.do("POST", callOf(9, "log"), s...)
			if n := o.now(); n == 0 {
				o.t.Error("nothing is kept")
			}
			o.do("DELETE", "", s...)
		}},
		`mcp_sessions`: {do: func(o *observed) {
			s := o.session()
			o.is(1)
			o.do("DELETE", "", s...)
		}},
	}
}

// streamEvents are those of streams.
func streamEvents() map[string]event {
	return map[string]event{
		`mcp_streams{kind="listen"}`: {do: func(o *observed) {
			end := o.listens()
			o.is(1)
			end()
		}},
		`mcp_streams{kind="notifications"}`: {do: func(o *observed) {
			end := o.get(o.session())
			o.is(1)
			end()
		}},
		`mcp_streams{kind="response"}`: {do: func(o *observed) {
			s := o.session()
			o.do("POST", `{"jsonrpc":"2.0","id":8,"method":"logging/setLevel","params":{"level":"info"}}`, s...)
			done := o.post(callOf(9, "wait"), s...)
			o.is(1)
			o.proceed <- struct{}{}
			<-done
		}},
		`mcp_streams_ended_total{reason="other"}`: {do: func(o *observed) { o.get(o.session())() }},
		`mcp_streams_ended_total{reason="replaced"}`: {do: func(o *observed) {
			s := o.session()
			first := o.get(s)
			o.get(s)()
			first()
		}},
		`mcp_streams_ended_total{reason="pending_bytes"}`: pendingEvent(),
		refusedFor("pending_bytes"):                       pendingEvent(),
		refusedFor("retained_bytes"): {
			opts: mcphttp.Options{MaxRetainedBytes: 2100},
			do: func(o *observed) {
				s := o.session()
				o.do("POST", `{"jsonrpc":"2.0","id":8,"method":"logging/setLevel","params":{"level":"info"}}`, s...)
				o.do("POST", callOf(9, "big"), s...)
			},
		},
	}
}

// stuck is a response whose client does not read large pieces until it may.
type stuck struct {
	*httptest.ResponseRecorder
	on chan struct{}
}

func (s *stuck) Write(b []byte) (int, error) {
	if len(b) > 1000 {
		<-s.on
	}
	return len(b), nil
}

// gated is content of 100,000 bytes, most of which take a minute to come.
type gated struct{ read int }

// Len says how much there is.
func (g *gated) Len() int { return 100_000 }

// Read implements io.Reader.
func (g *gated) Read(b []byte) (int, error) {
	if g.read > 0 {
		time.Sleep(10 * time.Second)
	}
	n := min(len(b), 100_000-g.read)
	if g.read += n; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// pendingEvent has one response that its client does not read, and another one of the same client.
func pendingEvent() event {
	return event{opts: mcphttp.Options{MaxPendingBytes: 12_000}, do: func(o *observed) {
		s := o.session()
		o.do("POST", `{"jsonrpc":"2.0","id":8,"method":"logging/setLevel","params":{"level":"info"}}`, s...)
		on := make(chan struct{})
		var wg sync.WaitGroup
		for id := range 3 {
			req := httptest.NewRequest(http.MethodPost, target, strings.NewReader(callOf(10+id, "big")))
			setHeaders(req, s)
			wg.Go(func() { o.http.ServeHTTP(&stuck{httptest.NewRecorder(), on}, req) })
			synctest.Wait()
		}
		close(on)
		wg.Wait()
	}}
}

// twice is an event that is two sessions which do the same.
func twice(opts mcphttp.Options, m mcp.Options, do func(o *observed, session []string) (end func())) event {
	return event{opts: opts, o: m, edit: watched(quietly), do: func(o *observed) {
		first, second := o.session(), o.session()
		end := do(o, first)
		do(o, second)()
		end()
	}}
}

func refusalEvents() map[string]event {
	subscribes := func(o *observed, session []string) func() {
		o.do("POST", subscribeText, session...)
		return func() {}
	}
	asks := func(o *observed, session []string) func() {
		done := o.post(callOf(9, "roots"), session...)
		return func() {
			select {
			case <-done:
				return
			default:
			}
			o.do("POST", `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`, session...)
			<-done
		}
	}
	return map[string]event{
		refusedFor("rate"): {do: func(o *observed) { o.tool("rated"); o.tool("rated") }},
		refusedFor("concurrency"): {do: func(o *observed) {
			body, headers := modern("tools/call", "single", `"name":"single"`)
			done := o.post(body, headers...)
			o.tool("single")
			<-done
		}},
		refusedFor("in_flight"): {o: mcp.Options{MaxInFlight: 1}, do: func(o *observed) {
			s := o.session()
			done := o.post(callOf(9, "wait"), s...)
			want(o.t, o.do("POST", callOf(10, "who"), s...), 200, "in flight")
			o.proceed <- struct{}{}
			<-done
		}},
		refusedFor("questions"): {o: mcp.Options{MaxQuestions: 1}, do: func(o *observed) {
			s := o.session()
			end := asks(o, s)
			want(o.t, o.do("POST", callOf(10, "roots"), s...), 200, "too many questions")
			end()
		}},
		refusedFor("subscriptions"): twice(mcphttp.Options{}, mcp.Options{MaxTotalSubscriptions: 1}, subscribes),
		refusedFor("watchers"):      twice(mcphttp.Options{}, mcp.Options{MaxWatchers: 1}, subscribes),
		refusedFor("waiting"):       twice(mcphttp.Options{MaxWaiting: 1}, mcp.Options{}, asks),
		refusedFor("streams"):       twice(mcphttp.Options{MaxStreams: 1}, mcp.Options{}, (*observed).get),
		refusedFor("listens"):       {o: mcp.Options{MaxListens: 1}, do: listensTwice},
		refusedFor("sessions"): {opts: mcphttp.Options{MaxPerClient: 1}, do: func(o *observed) {
			o.session()
			o.session()
		}},
	}
}

// requestRefusals are the refusals of single requests.
func requestRefusals() map[string]event {
	return map[string]event{
		refusedFor("requests"): {opts: mcphttp.Options{MaxRequests: 1}, do: func(o *observed) {
			end := o.waiting()
			want(o.t, o.tool("who"), 503)
			end()
		}},
		refusedFor("unknown_callers"): {
			opts: mcphttp.Options{MaxRequests: 1, Authenticate: slowly},
			do: func(o *observed) {
				body, headers := modern("tools/call", "who", `"name":"who"`)
				done := o.post(body, headers...)
				o.tool("who")
				<-done
			},
		},
		refusedFor("late_caller"): {
			opts: mcphttp.Options{Authenticate: func(*http.Request) (mcp.Caller, error) {
				time.Sleep(time.Minute)
				return mcp.Caller{}, nil
			}},
			do: func(o *observed) { o.tool("who"); time.Sleep(time.Hour) },
		},
		refusedFor("caller"): {
			opts: mcphttp.Options{Authenticate: func(*http.Request) (mcp.Caller, error) {
				return mcp.Caller{}, errors.New("nobody")
			}},
			do: func(o *observed) { want(o.t, o.tool("who"), 401) },
		},
		refusedFor("host"):       {do: func(o *observed) { o.tool("who", "Host", "evil.example") }},
		refusedFor("origin"):     {do: func(o *observed) { o.tool("who", "Origin", "https://evil.example") }},
		refusedFor("media_type"): {do: func(o *observed) { o.tool("who", "Content-Type", "text/plain") }},
		refusedFor("large_body"): {opts: mcphttp.Options{MaxBody: 100}, do: func(o *observed) { o.tool("who") }},
		refusedFor("closing"):    {do: func(o *observed) { _ = o.srv.Close(); want(o.t, o.tool("who"), 503) }},
	}
}

func slowly(*http.Request) (mcp.Caller, error) {
	time.Sleep(time.Second)
	return mcp.Caller{}, nil
}

// listensTwice opens two listens on one connection.
func listensTwice(o *observed) {
	client, server := transport.Pipe(nil)
	served := make(chan error, 1)
	go func() { served <- o.srv.Serve(context.Background(), server) }()
	for id := range 2 {
		body, _ := modern("subscriptions/listen", "", `"notifications":{"resourcesListChanged":true}`)
		body = strings.Replace(body, `"id":1`, fmt.Sprintf(`"id":%d`, id+1), 1)
		if err := client.WriteMessage([]byte(body + "\n")); err != nil {
			o.t.Fatal(err)
		}
		if _, err := client.ReadMessage(nil); err != nil {
			o.t.Fatal(err)
		}
	}
	_ = client.Close()
	<-served
}
