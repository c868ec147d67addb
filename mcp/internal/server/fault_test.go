package server

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// eachRevision runs f with a connection that speaks each revision. ask sends a request of it.
func eachRevision(t *testing.T, s *Server, f func(t *testing.T, rev protocol.Revision,
	ask func(method, params string) string)) {
	for _, rev := range era.Revisions() {
		t.Run(rev.String(), func(t *testing.T) {
			if era.IsModern(rev) {
				c := newHarness(t, s)
				f(t, rev, func(method, params string) string { return c.ask(modern("1", method, params)) })
				return
			}
			c := newSession(t, s, rev)
			f(t, rev, func(method, params string) string { return c.ask(request("1", method, params)) })
		})
	}
}

func TestErrorsOfReaders(t *testing.T) {
	t.Attr("requirements", "msg-error-form code-retired code-own res-list-gone res-not-found res-not-found-draft "+
		"res-internal res-errors res-empty")
	var log logBook
	st := newTestServer(t, &Options{Logger: log.logger()})
	eachRevision(t, st.Server, func(t *testing.T, rev protocol.Revision, ask func(method, params string) string) {
		notFound := `{"code":-32002,"message":"*not found","data":{"uri":%q}}`
		if era.IsModern(rev) {
			notFound = `{"code":-32602,"message":"*not found","data":{"uri":%q}}`
		}
		masked := `{"code":-32603,"message":"*internal error (ref ","data":{"uri":%q}}`
		for uri, want := range map[string]string{
			"no:///such":      notFound,
			"not a uri":       notFound,
			"":                notFound,
			"do:///none":      notFound,
			"do:///missing":   notFound,
			"do:///notfound":  notFound,
			"do:///gone":      strings.Replace(notFound, "*not found", "resource not found: gone", 1),
			"do:///public":    `{"code":-32603,"message":"the disk is full","data":{"uri":%q}}`,
			"do:///var":       `{"code":-32602,"message":"variable what: want more","data":{"uri":%q}}`,
			"do:///..%2Fetc":  `{"code":-32602,"message":"*variable what","data":{"uri":%q}}`,
			"do:///secret":    masked,
			"do:///panic":     masked,
			"do:///exit":      masked,
			"do:///coded":     `{"code":-31999,"message":"own code"}`,
			"do:///undefined": masked,
		} {
			if strings.Contains(want, "%q") {
				want = fmt.Sprintf(want, uri)
			}
			got := ask("resources/read", `"uri":"`+uri+`"`)
			wantMatch(t, got, `{"jsonrpc":"2.0","id":1,"error":`+want+`}`)
			if strings.Contains(got, "secret ") {
				t.Errorf("%s: leaks: %s", uri, got)
			}
		}
	})
	text := log.String()
	for _, want := range []string{"secret text", "secret panic", "testserver_test.go", "handler ended its goroutine",
		"method=resources/read"} {
		if !strings.Contains(text, want) {
			t.Errorf("the log does not tell of %q", want)
		}
	}
	for line := range strings.Lines(text) {
		if strings.Contains(line, "open secret") && !strings.Contains(line, "level=DEBUG") {
			t.Errorf("a missing resource is logged as a fault: %s", line)
		}
	}
}

func TestShowErrors(t *testing.T) {
	st := newTestServer(t, &Options{ShowErrors: true})
	c := newSession(t, st.Server, protocol.Revision20251125)
	wantMatch(t, c.ask(read("1", "do:///x")),
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"secret text","data":{"uri":"do:///x"}}}`)
}

func TestContents(t *testing.T) {
	t.Attr("requirements", "res-read res-read-many res-encoding res-cache cache-hints cache-author")
	st := newTestServer(t, nil)
	eachRevision(t, st.Server, func(t *testing.T, rev protocol.Revision, ask func(method, params string) string) {
		for uri, want := range map[string]string{
			"fix:///a":      `[{"uri":"fix:///a","mimeType":"text/plain","text":"fixed"}]`,
			"fix:///z":      `[{"uri":"fix:///z","blob":"AAEC"}]`,
			"do:///text":    `[{"uri":"do:///text","mimeType":"text/plain","text":"hello"}]`,
			"do:///blob":    `[{"uri":"do:///blob","mimeType":"text/plain","blob":"aGVsbG8="}]`,
			"do:///many":    `[{"uri":"do:///many","mimeType":"text/plain","text":"one"},{"uri":"do:///sub","mimeType":"x/y","blob":""}]`,
			"do:///empty":   `[]`,
			"item:///a%20b": `[{"uri":"item:///a%20b","mimeType":"text/x-item","text":"a b"}]`,
		} {
			result := `{"contents":` + want + `}`
			if era.IsModern(rev) {
				cache := `"ttlMs":0,"cacheScope":"private"`
				if uri == "fix:///z" {
					cache = `"ttlMs":1500,"cacheScope":"public"`
				}
				result = `{"contents":` + want + `,"resultType":"complete",` + cache + `,"_meta":{"…":0}}`
			}
			for range 2 { // prepared answers: the second one must be the same
				wantMatch(t, ask("resources/read", `"uri":"`+uri+`"`), `{"jsonrpc":"2.0","id":1,"result":`+result+`}`)
			}
		}
	})
}

func TestTools(t *testing.T) {
	t.Attr("requirements", "tool-unknown tool-arguments-error tool-error")
	var log logBook
	st := newTestServer(t, &Options{Logger: log.logger()})
	eachRevision(t, st.Server, func(t *testing.T, rev protocol.Revision, ask func(method, params string) string) {
		extra := ""
		if era.IsModern(rev) {
			extra = `,"resultType":"complete","_meta":{"…":0}`
		}
		text := func(s, more string) string {
			return `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + s + `"}]` + more + extra + `}}`
		}
		fault := func(code, message string) string {
			return `{"jsonrpc":"2.0","id":1,"error":{"code":` + code + `,"message":"` + message + `"}}`
		}
		badArguments := fault("-32602", "*invalid arguments: /x")
		if rev >= protocol.Revision20251125 {
			badArguments = text("*invalid arguments: /x", `,"isError":true`)
		}
		structured := ""
		if rev >= protocol.Revision20250618 {
			structured = `,"structuredContent":{"A":7}`
		}
		for _, c := range []struct{ params, want string }{
			{`"name":"echo","arguments":{"a":[1]}`, text(`{\"a\":[1]}`, "")},
			{`"name":"echo"`, text(`{}`, "")},
			{`"name":"struct"`, text(`{\"A\":7}`, structured)},
			{`"name":"fail"`, text("*internal error (ref ", `,"isError":true`)},
			{`"name":"missing"`, text("not found: what the arguments name does not exist", `,"isError":true`)},
			{`"name":"public"`, text("the disk is full", `,"isError":true`)},
			{`"name":"badargs"`, badArguments},
			{`"name":"panic"`, fault("-32603", "*internal error (ref ")},
			{`"name":"exit"`, fault("-32603", "*internal error (ref ")},
			{`"name":"no such"`, fault("-32602", "*unknown tool")},
			{`"name":7`, fault("-32602", "*/name")},
			{`"arguments":{}`, fault("-32602", "*name")},
			{`"name":"echo","arguments":[]`, fault("-32602", "*arguments")},
		} {
			got := ask("tools/call", c.params)
			wantMatch(t, got, c.want)
			if strings.Contains(got, "secret ") {
				t.Errorf("leaks: %s", got)
			}
		}
	})
	faults := 0
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "level=ERROR") {
			faults++
			if strings.Contains(line, "disk is full") || strings.Contains(line, "open secret") {
				t.Errorf("what the client is told is logged as a fault: %s", line)
			}
		}
	}
	if faults == 0 || !strings.Contains(log.String(), "secret text") {
		t.Error("the log does not tell of masked errors")
	}
}

func TestUndeclaredCapabilities(t *testing.T) {
	t.Attr("requirements", "init-errors roots-capability")
	s, err := NewServer(&feature.Features{Info: protocol.Implementation{Name: "bare", Version: "v1"}},
		&Options{Logger: silent()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	eachRevision(t, s, func(t *testing.T, rev protocol.Revision, ask func(method, params string) string) {
		for method, params := range map[string]string{
			"resources/list": "", "resources/templates/list": "", "resources/read": `"uri":"a:b"`,
			"tools/list": "", "tools/call": `"name":"x"`, "prompts/list": "", "prompts/get": `"name":"x"`,
			"completion/complete":   `"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"x","value":""}`,
			"resources/subscribe":   `"uri":"a:b"`,
			"resources/unsubscribe": `"uri":"a:b"`,
			"logging/setLevel":      `"level":"info"`,
		} {
			wantMatch(t, ask(method, params), `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"*"}}`)
		}
	})
}

func TestCompletion(t *testing.T) {
	t.Attr("requirements", "completion-limit completion-errors completion-validate")
	st := newTestServer(t, nil)
	eachRevision(t, st.Server, func(t *testing.T, rev protocol.Revision, ask func(method, params string) string) {
		for _, c := range []struct{ uri, name, value, want string }{
			{"do:///{what}", "what", "", `"result":{"…":0,"completion":{"values":[],"total":0,"hasMore":false}}`},
			{"item:///{id}{?lang}", "lang", "x", `"result":{"…":0,"completion":{"values":[],"total":0,"hasMore":false}}`},
			{"item:///{id}{?lang}", "la", "x", `"error":{"code":-32602,"message":"*no variable"}`},
			{"no:///{such}", "such", "x", `"error":{"code":-32602,"message":"*unknown template"}`},
			{"fix:///a", "x", "x", `"error":{"code":-32602,"message":"*unknown template"}`},
			{"do:///{what}", "what", "gone", `"result":{"…":0,"completion":{"values":[],"total":0,"hasMore":false}}`},
			{"do:///{what}", "what", "fail", `"error":{"code":-32603,"message":"*internal error (ref "}`},
		} {
			got := ask("completion/complete", fmt.Sprintf(`"ref":{"type":"ref/resource","uri":%q},"argument":{"name":%q,"value":%q}`, c.uri, c.name, c.value))
			wantMatch(t, got, `{"jsonrpc":"2.0","id":1,`+c.want+`}`)
		}
		many := ask("completion/complete", `"ref":{"type":"ref/resource","uri":"do:///{what}"},"argument":{"name":"what","value":"abc"}`)
		if n := strings.Count(many, `"abc`); n != 100 || !strings.Contains(many, `"total":150`) ||
			!strings.Contains(many, `"hasMore":true`) {
			t.Errorf("%d values: %s", n, many)
		}
		wantMatch(t, ask("completion/complete", `"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"x","value":""}`),
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"*unknown prompt"}}`)
		wantMatch(t, ask("completion/complete", `"ref":{"type":"ref/other"},"argument":{"name":"x","value":""}`),
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"*/ref: has no known type"}}`)
		given := ask("completion/complete", `"ref":{"type":"ref/resource","uri":"do:///{what}"},"argument":{"name":"what","value":"given"},"context":{"arguments":{"lang":"de"}}`)
		if knows := rev >= protocol.Revision20250618; strings.Contains(given, `"de"`) != knows {
			t.Errorf("variables filled in before, which the revision knows: %v: %s", knows, given)
		}
	})
}

// rudeLog is a slog.Handler that panics whatever it is asked.
type rudeLog struct{}

func (rudeLog) Enabled(context.Context, slog.Level) bool  { panic("enabled") }
func (rudeLog) Handle(context.Context, slog.Record) error { panic("handle") }
func (rudeLog) WithAttrs([]slog.Attr) slog.Handler        { panic("attrs") }
func (rudeLog) WithGroup(string) slog.Handler             { panic("group") }

// Loggers that panic cost no answer, wherever the server writes to them.
func TestLoggersThatPanic(t *testing.T) {
	rude := slog.New(rudeLog{})
	st := newTestServer(t, &Options{Logger: rude, Audit: rude})
	c := newSession(t, st.Server, protocol.Revision20251125)
	call := func(tool string) string { return request("1", "tools/call", `"name":"`+tool+`"`) }
	wantMatch(t, c.ask(call("echo")), `{"jsonrpc":"2.0","id":1,"result":{"…":0}}`)
	wantMatch(t, c.ask(call("fail")), `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"…":0}}`)
	wantMatch(t, c.ask(call("panic")), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"*internal error (ref "}}`)
	c.send(`{"jsonrpc":"2.0","id":7,"error":{"code":false}}`) // is logged, and has no answer
	wantMatch(t, c.ask(request("1", "ping", "")), emptyResult)
}
