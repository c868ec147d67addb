package mcphttp_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

func contextOf(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithCancel(r.Context())
}

// withMore adds tools that the rig does not have, before edit.
func withMore(edit func(*mcprt.Features)) func(*mcprt.Features) {
	return func(f *mcprt.Features) {
		add := func(name string, g *mcprt.Guard, call func(*mcprt.Call) error) {
			entry := &protocol.Tool{Name: name, InputSchema: []byte(`{"type":"object"}`)}
			f.Tools = append(f.Tools, mcprt.Tool{Guard: g, Entry: entry,
				Call: func(c *mcprt.Call, _ []byte) (mcprt.ToolResult, error) {
					err := call(c)
					return mcprt.ToolResultOf(mcp.ToolText("done"), err)
				}})
		}
		add("fail", nil, func(*mcprt.Call) error { return errors.New("failed") })
		add("panic", nil, func(*mcprt.Call) error { panic("at the disco") })
		add("policy", &mcprt.Guard{Access: mcprt.Access{Policies: []mcprt.Policy{
			func(*mcprt.Call) error { panic("policy") }}}}, func(*mcprt.Call) error { return nil })
		add("rated", &mcprt.Guard{Limit: mcprt.Limit{Rate: 1, Per: time.Hour, Burst: 1, By: mcprt.Global}},
			func(*mcprt.Call) error { return nil })
		add("single", &mcprt.Guard{Limit: mcprt.Limit{Concurrency: 1}}, func(*mcprt.Call) error {
			time.Sleep(time.Second)
			return nil
		})
		add("late", &mcprt.Guard{Limit: mcprt.Limit{Timeout: time.Second}}, func(*mcprt.Call) error {
			time.Sleep(time.Minute)
			return nil
		})
		add("roots", nil, func(c *mcprt.Call) error {
			_, err := (*mcp.Call)(c).Peer().AskRoots(c)
			return err
		})
		add("sample", nil, func(c *mcprt.Call) error {
			_, err := (*mcp.Call)(c).Peer().AskModel(c, "s", protocol.CreateMessageRequestParams{})
			return err
		})
		add("elicit", nil, func(c *mcprt.Call) error {
			return (*mcp.Call)(c).Peer().Ask(c, mcp.NewFormQuestion[nothing]("e", "?"))
		})
		add("big", nil, func(c *mcprt.Call) error {
			c.Logger().Info(strings.Repeat("x", 2000))
			return nil
		})
		if edit != nil {
			edit(f)
		}
	}
}

// nothing is a form without fields.
type nothing struct{}

// MCPForm implements mcp.Form.
func (*nothing) MCPForm() mcprt.FormSchema[nothing] {
	return mcprt.FormSchema[nothing]{Schema: `{"type":"object","properties":{}}`}
}

// watched makes the resource of the rig a watched one.
func watched(watch func(*mcprt.Call) (iter.Seq2[time.Time, error], error)) func(*mcprt.Features) {
	return func(f *mcprt.Features) { f.Resources[0].Watch = watch }
}

// quietly is a watch function that sees nothing.
func quietly(c *mcprt.Call) (iter.Seq2[time.Time, error], error) {
	return func(func(time.Time, error) bool) { <-c.Done() }, nil
}

const subscribeText = `{"jsonrpc":"2.0","id":7,"method":"resources/subscribe","params":{"uri":"r:///ä"}}`

func requests(method, code string) string {
	return `mcp_requests_total{method="` + method + `",code="` + code + `"}`
}

// sends is an event that is one request.
func sends(method, body string, headers ...string) event {
	return event{do: func(o *observed) { o.do(method, body, headers...) }}
}

// modernly is sends of a modern request.
func modernly(method, name, params string) event {
	body, headers := modern(method, name, params)
	return sends("POST", body, headers...)
}

// callsTool is an event that is one call of a tool.
func callsTool(name string) event {
	return event{do: func(o *observed) { o.tool(name) }}
}

func requestEvents() map[string]event {
	body, head := modern("tools/call", "wait", `"name":"wait"`)
	newer, newest := modern("tools/list", "", "")
	newer, newest[1] = strings.Replace(newer, modernVersion, "2999-01-01", 1), "2999-01-01"
	return map[string]event{
		requests("resources/read", "ok"):       modernly("resources/read", "=?base64?cjovLy/DpA==?=", `"uri":"r:///ä"`),
		requests("resources/read", "-32602"):   modernly("resources/read", "r:///b", `"uri":"r:///b"`),
		requests("tools/call", "tool_error"):   callsTool("fail"),
		requests("tools/call", "-32020"):       sends("POST", body, "Mcp-Protocol-Version", modernVersion),
		requests("tools/list", "-32022"):       sends("POST", newer, newest...),
		requests("other", "-32601"):            modernly("x/y", "", ""),
		requests("invalid", "-32700"):          sends("POST", `{`),
		requests("initialize", "ok"):           {do: func(o *observed) { o.session() }},
		requests("ping", "-32600"):             sends("POST", ping),
		requests("server/discover", "ok"):      modernly("server/discover", "", ""),
		requests("tools/call", "-32021"):       callsTool("roots"),
		requests("resources/subscribe", "ok"):  {do: func(o *observed) { o.do("POST", subscribeText, o.session()...) }},
		requests("subscriptions/listen", "ok"): {do: func(o *observed) { o.listens()() }},
		requests("resources/subscribe", "-32002"): {do: func(o *observed) {
			o.do("POST", strings.Replace(subscribeText, "ä", "b", 1), o.session()...)
		}},
		requests("tools/call", "cancelled"): {do: func(o *observed) {
			s := o.session()
			done := o.post(callOf(9, "wait"), s...)
			o.do("POST", cancelOf(9), s...)
			<-done
		}},
		"mcp_requests_running": {do: func(o *observed) {
			done := o.post(body, head...)
			o.is(1)
			o.proceed <- struct{}{}
			<-done
		}},
		"mcp_requests_waiting":                   {do: func(o *observed) { o.asks("roots", `{"roots":[]}`) }},
		`mcp_questions_open{kind="roots"}`:       {do: func(o *observed) { o.asks("roots", `{"roots":[]}`) }},
		`mcp_questions_open{kind="elicitation"}`: {do: func(o *observed) { o.asks("elicit", `{"action":"decline"}`) }},
		`mcp_questions_open{kind="sampling"}`: {do: func(o *observed) {
			o.asks("sample", `{"role":"assistant","model":"m","content":{"type":"text","text":"t"}}`)
		}},
		"mcp_requests_abandoned_total": callsTool("late"),
		requests("tools/call", "ok"):   callsTool("late"), // a failed result of a tool
		"mcp_handlers_abandoned": {do: func(o *observed) {
			late, headers := modern("tools/call", "late", `"name":"late"`)
			o.post(late, headers...)
			time.Sleep(2 * time.Second)
			o.is(1)
			time.Sleep(time.Hour)
		}},
	}
}

// asks calls a tool that asks the client, and answers.
func (o *observed) asks(tool, answer string) {
	s := o.session()
	done := o.post(callOf(9, tool), s...)
	o.is(1)
	o.do("POST", `{"jsonrpc":"2.0","id":1,"result":`+answer+`}`, s...)
	<-done
}

// listens opens a listen to the resource of the rig, until the returned function ends it.
func (o *observed) listens() (end func()) {
	body, headers := modern("subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["r:///ä"]}`)
	end = o.opens(body, headers...)
	return end
}

func panicEvents() map[string]event {
	return map[string]event{
		`mcp_panics_total{where="handler"}`: callsTool("panic"),
		`mcp_panics_total{where="policy"}`:  callsTool("policy"),
		`mcp_panics_total{where="watcher"}`: {
			edit: watched(func(*mcprt.Call) (iter.Seq2[time.Time, error], error) { panic("watch") }),
			do:   func(o *observed) { o.do("POST", subscribeText, o.session()...) },
		},
		`mcp_panics_total{where="authenticate"}`: {
			opts: mcphttp.Options{Authenticate: func(*http.Request) (mcp.Caller, error) { panic("who") }},
			do:   func(o *observed) { o.tool("who") },
		},
		`mcp_panics_total{where="logger"}`: {
			opts: mcphttp.Options{Logger: logger(func() { panic("log") })},
			do:   func(o *observed) { o.tool("who", "Host", "evil.example") },
		},
		`mcp_log_records_dropped_total{reason="rate"}`: {
			opts: mcphttp.Options{Logger: logger(func() {})},
			do: func(o *observed) {
				for range 30 {
					o.tool("who", "Host", "evil.example")
				}
				time.Sleep(time.Minute)
			},
		},
		`mcp_log_records_dropped_total{reason="slow_handler"}`: {
			opts: mcphttp.Options{Logger: logger(func() { time.Sleep(time.Minute) })},
			do: func(o *observed) {
				for range 2 {
					o.tool("who", "Host", "evil.example")
				}
				time.Sleep(time.Hour)
			},
		},
	}
}

func updateEvents() map[string]event {
	subscribed := func(then func(o *observed)) func(o *observed) {
		return func(o *observed) {
			s := o.session()
			end := o.get(s)
			defer end()
			want(o.t, o.do("POST", subscribeText, s...), 200)
			then(o)
			time.Sleep(time.Second)
		}
	}
	update := func(o *observed) { o.srv.ResourceUpdated("r:///ä") }
	leaves := func(o *observed) {
		s := o.session()
		want(o.t, o.do("POST", subscribeText, s...), 200)
		o.is(1)
		o.do("DELETE", "", s...)
		synctest.Wait()
	}
	return map[string]event{
		"mcp_subscriptions": {do: leaves},
		"mcp_watchers":      {do: leaves, edit: watched(quietly)},
		"mcp_watchers_reopened_total": {
			edit: watched(func(*mcprt.Call) (iter.Seq2[time.Time, error], error) {
				return func(func(time.Time, error) bool) {}, nil
			}),
			do: subscribed(func(*observed) { time.Sleep(time.Minute) }),
		},
		"mcp_updates_published_total": {do: update},
		"mcp_updates_delivered_total": {do: subscribed(update)},
		"mcp_updates_coalesced_total": {do: subscribed(func(o *observed) { update(o); update(o) })},
	}
}
