package robustness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
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

// hooks is code of the program that does what it is told to where it is told to, once.
type hooks struct {
	mu sync.Mutex
	in string
	do func()
}

// arm says what is done in a place.
func (h *hooks) arm(in string, do func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.in, h.do = in, do
}

// at is called by each of them.
func (h *hooks) at(in string) {
	h.mu.Lock()
	do := h.do
	if h.in != in {
		do = nil
	} else {
		h.in = ""
	}
	h.mu.Unlock()
	if do != nil {
		do()
	}
}

// hookedLog is a slog.Handler that belongs to the program.
type hookedLog struct {
	slog.Handler
	h  *hooks
	in string
}

func (l hookedLog) Enabled(context.Context, slog.Level) bool { return true }

func (l hookedLog) Handle(context.Context, slog.Record) error { l.h.at(l.in); return nil }

// features have a place for each kind of code that the program gives to a server.
func (h *hooks) features(f *mcprt.Features) {
	f.Capabilities.Completions = new(protocol.ServerCapabilitiesCompletions)
	f.Capabilities.Prompts = new(protocol.ServerCapabilitiesPrompts)
	f.Capabilities.Resources.ListChanged = new(true)
	h.tools(f)
	f.Prompts = []mcprt.Prompt{{
		Entry: &protocol.Prompt{Name: "prompt", Arguments: []protocol.PromptArgument{{Name: "a"}}},
		Get: func(*mcprt.Call) (mcprt.PromptResult, error) {
			h.at("prompt")
			return mcprt.PromptResult{Description: "fine"}, nil
		},
		Complete: []mcprt.Completer{{Var: "a", Values: func(*mcprt.Call, string, mcprt.CompletionContext) ([]string, error) {
			h.at("completer")
			return nil, nil
		}}},
	}}
	h.resources(f)
}

// policy is a policy that runs a hook.
func (h *hooks) policy(in string) []mcprt.Policy {
	return []mcprt.Policy{func(*mcprt.Call) error { h.at(in); return nil }}
}

// tools adds tools that run hooks, and the guards around them.
func (h *hooks) tools(f *mcprt.Features) {
	tool := func(name string, guard *mcprt.Guard) {
		f.Tools = append(f.Tools, mcprt.Tool{Entry: &protocol.Tool{Name: name,
			InputSchema: json.RawMessage(`{"type":"object"}`)}, Guard: guard,
			Call: func(*mcprt.Call, []byte) (mcprt.ToolResult, error) {
				h.at(name)
				return mcprt.ToolResultOf(mcp.ToolText("fine"), nil)
			}})
	}
	tool("tool", nil)
	tool("guarded", &mcprt.Guard{Access: mcprt.Access{Policies: h.policy("policy")}})
	tool("around", &mcprt.Guard{Use: mcprt.Use(func(c *mcp.Call, p mcp.Params, next mcp.Next) (mcp.Result, error) {
		h.at("middleware")
		return next(c, p)
	})})
	tool("logs", &mcprt.Guard{Use: mcprt.Use(func(*mcp.Call, mcp.Params, mcp.Next) (mcp.Result, error) {
		return nil, context.Canceled
	})})
}

// resources adds resources that run hooks when they are listed, read and watched.
func (h *hooks) resources(f *mcprt.Features) {
	extra := func(uri string, r mcprt.Resource) {
		r.Entry = &protocol.Resource{URI: uri, Name: uri}
		route, at := f.Route, len(f.Resources)
		f.Resources = append(f.Resources, r)
		f.Route = func(u string, v *mcprt.Vars) int {
			if u == uri {
				return at
			}
			return route(u, v)
		}
	}
	read := func(in string) func(*mcprt.Call) (mcprt.Contents, error) {
		return func(*mcprt.Call) (mcprt.Contents, error) { h.at(in); return mcprt.Text("fine"), nil }
	}
	extra("hook:///reader", mcprt.Resource{Read: read("reader"),
		List: mcprt.ListSeq(func(context.Context) iter.Seq2[string, error] {
			return func(yield func(string, error) bool) { h.at("lister"); yield("hook:///reader", nil) }
		}, func(b []byte, uri string) mcprt.Ref { return mcprt.Ref{URI: append(b, uri...), Name: uri} })})
	extra("hook:///watched", mcprt.Resource{Read: read("-"), Subscribe: true,
		Watch: func(*mcprt.Call) (iter.Seq2[time.Time, error], error) {
			h.at("watcher")
			return func(func(time.Time, error) bool) {}, nil
		}})
	extra("hook:///guarded", mcprt.Resource{Read: read("-"), Subscribe: true,
		Guard: &mcprt.Guard{Access: mcprt.Access{Policies: h.policy("policy of an update")}}})
}

// tape is a response that is read while it is written.
type tape struct {
	mu   sync.Mutex
	b    bytes.Buffer
	head http.Header
}

func (p *tape) Header() http.Header { return p.head }
func (p *tape) WriteHeader(int)     {}
func (p *tape) Flush()              {}

func (p *tape) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.Write(b)
}

// count is how often text was written.
func (p *tape) count(text string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Count(p.b.String(), text)
}

// hookRows are the places, a request that leads to each, and whether somebody else answers it if they hang.
var hookRows = []struct {
	in, method, name, params string
	deadline                 time.Duration // 0 for none: the request is its handler's
}{
	{"tool", "tools/call", "tool", `"name":"tool"`, 0},
	{"middleware", "tools/call", "around", `"name":"around"`, 0},
	{"policy", "tools/call", "guarded", `"name":"guarded"`, 5 * time.Second},
	{"prompt", "prompts/get", "prompt", `"name":"prompt"`, 0},
	{"completer", "completion/complete", "",
		`"ref":{"type":"ref/prompt","name":"prompt"},"argument":{"name":"a","value":""}`, 30 * time.Second},
	{"reader", "resources/read", "hook:///reader", `"uri":"hook:///reader"`, 0},
	{"lister", "resources/list", "", `"cursor":""`, 30 * time.Second},
	{"watcher", "resources/subscribe", "", `"uri":"hook:///watched"`, 10 * time.Second},
	{"policy of an update", "resources/subscribe", "", `"uri":"hook:///guarded"`, 5 * time.Second},
	{"logger", "tools/call", "logs", `"name":"logs"`, time.Second},
	{"audit", "tools/call", "echo", `"name":"echo"`, time.Second},
	{"authenticate", "ping", "", ``, 10 * time.Second},
}

// hooked is a server with hooks, a client that does not use them and hears of pages, and one that does.
type hooked struct {
	*victim
	hooks   *hooks
	session string // of the client that uses them
	heard   *tape  // of the other one
}

func newHooked(t *testing.T) *hooked {
	x := &hooked{hooks: new(hooks), heard: &tape{head: make(http.Header)}}
	x.victim = newVictim(t, &mcp.Options{
		Grace: time.Second, UpdateDelay: -1, PageSize: 100,
		Audit:  slog.New(hookedLog{slog.DiscardHandler, x.hooks, "audit"}),
		Logger: slog.New(hookedLog{slog.DiscardHandler, x.hooks, "logger"}),
	}, &mcphttp.Options{Authenticate: func(r *http.Request) (mcp.Caller, error) {
		if r.Header.Get("Hook") != "" {
			x.hooks.at("authenticate")
		}
		return mcp.Caller{}, nil
	}}, x.hooks.features)
	x.session = x.openWhole()
	listen := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["page:///1"]},` + modernMeta + `}}`
	r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(listen))
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"subscriptions/listen"},
	}
	go x.http.ServeHTTP(x.heard, r)
	synctest.Wait()
	return x
}

// others fails the test unless those who do not use the hook go on: another client, another session, a publisher and
// its listener, and the session itself.
func (x *hooked) others(t *testing.T) {
	t.Helper()
	before := x.heard.count("resources/updated")
	x.srv.ResourceUpdated("page:///1")
	synctest.Wait()
	if x.heard.count("resources/updated") != before+1 {
		t.Error("an update is not told")
	}
	ping := `{"jsonrpc":"2.0","id":99,"method":"ping"}`
	for _, s := range []string{x.session, x.open()} {
		if w := x.post(ping, inSession(s)); w.Code != http.StatusOK {
			t.Errorf("ping: %d", w.Code)
		}
	}
}

// request leads to the hook. done is closed when the response is.
func (x *hooked) request(method, params string) (answer *tape, done <-chan struct{}) {
	text := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
	r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(text))
	r.Header = inSession(x.session, "Hook", "yes", "Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	answer = &tape{head: make(http.Header)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		x.http.ServeHTTP(answer, r)
	}()
	return answer, ended
}

// Code of the program that hangs holds up nobody but its own request, and that one not for longer than its deadline.
func TestHooksThatHang(t *testing.T) {
	for _, row := range hookRows {
		t.Run(row.in, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newHooked(t)
				defer func() { _ = x.srv.Close() }()
				begun, on := make(chan struct{}), make(chan struct{})
				hang := func() { close(begun); <-on }
				x.hooks.arm(row.in, hang)
				answer, done := x.request(row.method, row.params)
				<-begun
				x.others(t)
				if row.deadline > 0 {
					time.Sleep(row.deadline - time.Nanosecond)
					synctest.Wait()
					early := answer.count(`"jsonrpc"`)
					time.Sleep(time.Nanosecond)
					synctest.Wait()
					if early != 0 || answer.count(`"jsonrpc"`) != 1 {
						t.Errorf("%d answers before the deadline, %d after it", early, answer.count(`"jsonrpc"`))
					}
					x.others(t)
				}
				close(on)
				<-done
				if answer.count(`"jsonrpc"`) != 1 {
					t.Error("no answer")
				}
				x.others(t)
			})
		})
	}
}

// A policy that hangs while an update is told ends the subscription, and holds up nobody else meanwhile.
func TestPolicyOfUpdateHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newHooked(t)
		defer func() { _ = x.srv.Close() }()
		for _, uri := range []string{"hook:///guarded", "page:///2"} {
			_, done := x.request("resources/subscribe", `"uri":"`+uri+`"`)
			<-done
		}
		news := x.stream(t)
		begun, on := make(chan struct{}), make(chan struct{})
		x.hooks.arm("policy of an update", func() { close(begun); <-on })
		x.srv.ResourceUpdated("hook:///guarded")
		<-begun
		x.others(t)
		x.srv.ResourceUpdated("page:///2")
		time.Sleep(6 * time.Second)
		if news.count("hook:///guarded") != 0 || news.count("page:///2") != 1 || news.count("list_changed") != 1 {
			t.Errorf("the stream has %s", &news.b)
		}
		x.srv.ResourceUpdated("hook:///guarded")
		time.Sleep(6 * time.Second)
		if n := news.count("hook:///guarded"); n != 0 {
			t.Errorf("%d updates after the subscription has ended", n)
		}
		close(on)
	})
}

// stream opens the stream of news of the session that uses the hooks.
func (x *hooked) stream(t *testing.T) *tape {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/mcp", nil)
	r.Header = inSession(x.session)
	r.Header.Set("Accept", "text/event-stream")
	p := &tape{head: make(http.Header)}
	go x.http.ServeHTTP(p, r)
	synctest.Wait()
	return p
}

// Code of the program may use its server, even close it.
func TestHooksThatUseTheServer(t *testing.T) {
	for _, row := range hookRows {
		for _, what := range []string{"publishes", "closes"} {
			t.Run(row.in+"/"+what, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					x := newHooked(t)
					defer func() { _ = x.srv.Close() }()
					ran := make(chan struct{})
					x.hooks.arm(row.in, func() {
						defer close(ran)
						x.srv.ResourceUpdated("page:///1")
						x.srv.ResourceUpdated("hook:///guarded")
						x.srv.ResourceListChanged()
						x.srv.EnableTool("echo", false)
						x.srv.EnableTool("echo", true)
						if what == "closes" {
							_ = x.srv.Close()
						}
					})
					_, done := x.request(row.method, row.params)
					<-done
					<-ran
					synctest.Wait()
					// A server that closes ends its streams. Whether an update of the same moment comes before the
					// end is not promised.
					if n := x.heard.count("resources/updated"); n > 1 || n == 0 && what != "closes" {
						t.Errorf("%d updates were sent", n)
					}
				})
			})
		}
	}
}

// Code of the program that panics or ends its goroutine fails its request; the server goes on.
func TestHooksThatPanic(t *testing.T) {
	for _, row := range hookRows {
		t.Run(row.in, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newHooked(t)
				defer func() { _ = x.srv.Close() }()
				x.hooks.arm(row.in, func() { panic(fmt.Sprint("in ", row.in)) })
				answer, done := x.request(row.method, row.params)
				<-done
				if answer.count(`"jsonrpc"`) != 1 || answer.count("in "+row.in) != 0 {
					t.Errorf("the client gets %s", &answer.b)
				}
				x.others(t)
			})
		})
	}
}
