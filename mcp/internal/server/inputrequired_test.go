package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// retry repeats a call with what the client has to say.
func retry(id, tool, answers, state string) string {
	more := ""
	if answers != "" {
		more = `"inputResponses":` + answers
	}
	if state != "" {
		more = strings.TrimPrefix(more+`,"requestState":"`+state+`"`, ",")
	}
	return modernCall(id, tool, everything, more)
}

// stateOf returns the request state of an answer that asks for input.
func stateOf(t testing.TB, msg string) string {
	t.Helper()
	var m struct {
		Result struct{ ResultType, RequestState string }
	}
	if err := json.Unmarshal([]byte(msg), &m); err != nil || m.Result.ResultType != "input_required" ||
		m.Result.RequestState == "" {
		t.Fatalf("no input required: %s", msg)
	}
	return m.Result.RequestState
}

func modernText(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","content":[{"type":"text","text":"` + text +
		`"}],"_meta":{"…":0}}}`
}

func inputRequired(id, requests string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"input_required","inputRequests":` + requests +
		`,"requestState":"*","_meta":{"…":0}}}`
}

func TestAskLater(t *testing.T) {
	t.Attr("requirements", "http-no-requests ask-in-results ask-kinds ask-nonempty ask-unanswered "+
		"ask-answers-valid ask-validate cancel-timeout stdio-requests")
	const who = `{"user_name":{"method":"elicitation/create","params":{"mode":"form","message":"*","requestedSchema":{"…":0}}}}`
	s := asker(t, nil)
	c := newHarness(t, s)
	for _, tool := range []string{"greet", "swallow"} {
		first := c.ask(retry("1", tool, "", ""))
		wantMatch(t, first, inputRequired("1", who))
		state := stateOf(t, first)
		text := map[string]string{"greet": "Ada is 36", "swallow": "Adatrue"}[tool]
		wantMatch(t, c.ask(retry("2", tool, `{"user_name":`+adaForm+`,"extra":{"action":"cancel"},"other":7}`, state)),
			modernText("2", text))
		wantMatch(t, c.ask(retry("3", tool, `{"wrong":`+adaForm+`}`, state)), inputRequired("3", who))
		wantMatch(t, c.ask(retry("4", tool, `{}`, state)), inputRequired("4", who))
	}
	const invalid = `{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"*"}}`
	state := stateOf(t, c.ask(retry("1", "greet", "", "")))
	for _, answers := range []string{
		`{"user_name":12345}`, `null`, `{"user_name":{"action":"accept","content":{"name":7}}}`, `{"user_name":{"roots":[]}}`,
		`{"user_name":{"action":"shrug"}}`,
	} {
		wantMatch(t, c.ask(retry("5", "greet", answers, state)), invalid)
	}
	if got := c.ask(retry("5", "greet", `{"user_name":{"action":"accept","content":{"name":7}}}`,
		state)); !strings.Contains(got, "/inputResponses/user_name/content/name: must be a string") {
		t.Error(got)
	}
	wantMatch(t, c.ask(retry("6", "greet", `{"user_name":{"action":"decline"}}`, state)),
		`{"jsonrpc":"2.0","id":6,"result":{"resultType":"complete","isError":true,"content":[{"type":"text","text":"the user declined"}],"_meta":{"…":0}}}`)
}

func TestAskRounds(t *testing.T) {
	t.Attr("requirements", "state-handle ask-keys ask-answers-extra ask-answers-missing")
	s := asker(t, nil)
	c := newHarness(t, s)
	one := c.ask(retry("1", "steps", "", ""))
	wantMatch(t, one, inputRequired("1", `{"first":{"…":0}}`))
	two := c.ask(retry("2", "steps", `{"first":`+adaForm+`}`, stateOf(t, one)))
	wantMatch(t, two, inputRequired("2",
		`{"second":{"method":"*","params":{"mode":"form","message":"Two, Ada?","requestedSchema":{"…":0}}}}`))
	if stateOf(t, one) == stateOf(t, two) {
		t.Error("both rounds have the same state")
	}
	const bob = `{"second":{"action":"accept","content":{"name":"Bob"}}}`
	wantMatch(t, c.ask(retry("3", "steps", bob, stateOf(t, two))), modernText("3", "Ada+Bob"))
	// What was accepted stays: the client cannot take it back later.
	const both = `{"first":{"action":"accept","content":{"name":"Eve"}},"second":{"action":"accept","content":{"name":"Bob"}}}`
	wantMatch(t, c.ask(retry("4", "steps", both, stateOf(t, two))), modernText("4", "Ada+Bob"))

	all := c.ask(retry("5", "all", "", ""))
	wantMatch(t, all, inputRequired("5",
		`{"who":{"method":"elicitation/create","…":0},"model":{"method":"sampling/createMessage","…":0},"roots":{"method":"roots/list","params":{}}}`))
	part := c.ask(retry("6", "all", `{"who":`+adaForm+`,"roots":{"roots":[{"uri":"file:///a"}]}}`, stateOf(t, all)))
	wantMatch(t, part, inputRequired("6", `{"model":{"…":0}}`))
	wantMatch(t, c.ask(retry("7", "all", `{"model":{"role":"assistant","model":"m","content":{"type":"text","text":"x"}}}`, stateOf(t, part))), modernText("7", "Adamfile:///a"))
}

// Answers that are too large to come back with the next request end the questions: the handler gets an error that says
// so.
func TestAskAfterLargeAnswer(t *testing.T) {
	t.Attr("requirements", "sampling-iterations")
	c := newHarness(t, asker(t, nil))
	large := func(n int) string {
		return `{"first":{"action":"accept","content":{"name":"` + strings.Repeat("x", n) + `"}}}`
	}
	state := stateOf(t, c.ask(retry("1", "steps", "", "")))
	wantMatch(t, c.ask(retry("2", "steps", large(3<<20), state)),
		`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":`+
			`"the answers so far are too large to ask for more"}],"isError":true,"_meta":{"…":0}}}`)
	if next := stateOf(t, c.ask(retry("3", "steps", large(1000<<10), state))); len(next) > 3<<19 {
		t.Errorf("a state of %d bytes", len(next))
	}
}

func TestAskLaterForResource(t *testing.T) {
	t.Attr("requirements", "cache-no-hints")
	c := newHarness(t, asker(t, nil))
	ask := func(id, more string) string {
		return c.ask(request(id, "resources/read", `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`+everything+`},"uri":"ask:///me"`+comma(more)))
	}
	first := ask("1", "")
	wantMatch(t, first, inputRequired("1", `{"user_name":{"…":0}}`))
	state := stateOf(t, first)
	wantMatch(t, ask("2", `"inputResponses":{"user_name":`+adaForm+`},"requestState":"`+state+`"`),
		`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","contents":[{"uri":"ask:///me","text":"Ada"}],"cacheScope":"private","ttlMs":0,"_meta":{"…":0}}}`)
	// The state of a resource does not fit a tool.
	wantMatch(t, c.ask(retry("3", "greet", `{"user_name":`+adaForm+`}`, state)), `{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"*/requestState"}}`)
}

func TestRequestStateIsBound(t *testing.T) {
	t.Attr("requirements", "ask-state-integrity ask-state-caller ask-state-age ask-state-request")
	synctest.Test(t, func(t *testing.T) {
		s := asker(t, &Options{Logger: silent(), AskTimeout: time.Minute})
		c := newHarness(t, s)
		ask := func(msg string) string {
			_ = c.conn.WriteMessage([]byte(msg))
			return <-c.in
		}
		const refused = `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"*/requestState"}}`
		state := stateOf(t, ask(modernCall("1", "greet", everything, `"arguments":{"a":1,"b":[2]}`)))
		with := func(tool, args, state string) string {
			return ask(modernCall("2", tool, everything,
				`"arguments":`+args+`,"inputResponses":{"user_name":`+adaForm+`},"requestState":"`+state+`"`))
		}
		wantMatch(t, with("greet", `{ "b" : [ 2 ], "a":1 }`, state), modernText("2", "Ada is 36"))
		wantMatch(t, with("swallow", `{"a":1,"b":[2]}`, state), refused)
		wantMatch(t, with("greet", `{"a":2,"b":[2]}`, state), refused)
		wantMatch(t, with("greet", `{"a":1,"b":[2]}`, state+"-TAMPERED"), refused)
		wantMatch(t, with("greet", `{"a":1,"b":[2]}`, ""), refused)
		wantMatch(t, with("fallback", `{"a":1,"b":[2]}`, "x"), refused)
		for i := range state {
			changed := []byte(state)
			changed[i] ^= 1
			if got := with("greet", `{"a":1,"b":[2]}`, string(changed)); !strings.Contains(got, "-32602") {
				t.Fatalf("byte %d changed: %s", i, got)
			}
		}
		time.Sleep(time.Minute + call.ClockSkew/2)
		wantMatch(t, with("greet", `{"a":1,"b":[2]}`, state), modernText("2", "Ada is 36"))
		time.Sleep(call.ClockSkew/2 + 2*time.Second)
		wantMatch(t, with("greet", `{"a":1,"b":[2]}`, state), refused)
		_ = c.conn.Close()
		synctest.Wait()
	})
}

// Servers may share their keys. The state of one is nothing to a server of another name, and goes on at a replica.
func TestRequestStateIsForOneServer(t *testing.T) {
	t.Attr("requirements", "state-process ask-unanswered")
	serve := func(name string) *harness {
		f := askerFeatures()
		f.Info.Name = name
		s, err := NewServer(f, &Options{Logger: silent(), Keys: [][]byte{[]byte("a key that servers share")}})
		if err != nil {
			t.Fatal(err)
		}
		return newHarness(t, s)
	}
	state := stateOf(t, serve("one").ask(retry("1", "greet", "", "")))
	again := retry("2", "greet", `{"user_name":`+adaForm+`}`, state)
	wantMatch(t, serve("two").ask(again), `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"*/requestState"}}`)
	wantMatch(t, serve("one").ask(again), modernText("2", "Ada is 36"))
}

func TestMissingCapability(t *testing.T) {
	t.Attr("requirements", "meta-capability init-negotiated ask-undeclared roots-capability")
	c := newHarness(t, asker(t, nil))
	for tool, o := range map[string]struct{ has, required string }{
		"greet":   {`{"elicitation":{"url":{}}}`, `{"elicitation":{"form":{}}}`},
		"visit":   {`{"elicitation":{}}`, `{"elicitation":{"url":{}}}`},
		"sample":  {`{}`, `{"sampling":{}}`},
		"folders": {`{}`, `{"roots":{}}`},
		"all":     {`{"sampling":{}}`, `{"elicitation":{"form":{}},"roots":{}}`},
	} {
		wantMatch(t, c.ask(modernCall("1", tool, o.has, "")), `{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"*","data":{"requiredCapabilities":`+o.required+`}}}`)
	}
	wantMatch(t, c.ask(modernCall("2", "fallback", "{}", "")), modernText("2", "nobody"))
	wantMatch(t, c.ask(modernCall("3", "fallback", everything, "")), modernText("3", "somebody"))
	old := able(t, asker(t, nil), protocol.Revision20250326, everything)
	wantMatch(t, old.ask(toolCall("4", "greet", "{}")), failedAnswer("4", "capability elicitation.form"))
	wantMatch(t, old.ask(read("5", "ask:///me")), `{"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"*capability elicitation.form","data":{"uri":"ask:///me"}}}`)
}

func TestAskMisuse(t *testing.T) {
	t.Attr("requirements", "ask-where ask-keys")
	s := newNotifier(t, map[string]func(*call.Call) error{"misuse": func(c *call.Call) error {
		for _, err := range []error{
			call.Peer{}.Ask(c, call.NewRootsQuestion("r")), c.Peer().Ask(c, call.NewRootsQuestion("")), c.Peer().Ask(c, call.NewRootsQuestion("r"), call.NewRootsQuestion("r")),
			new(call.Call).Peer().Ask(context.Background(), call.NewRootsQuestion("r")),
		} {
			if err == nil {
				return errors.New("misuse is not noticed")
			}
		}
		if _, err := call.NewRootsQuestion("r").Answer(); err == nil || !strings.Contains(err.Error(), "was not asked") {
			return fmt.Errorf("the answer of a question that was not asked: %w", err)
		}
		return nil
	}})
	c := newSession(t, s, protocol.Revision20251125)
	wantMatch(t, c.ask(toolCall("1", "misuse", "{}")), `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
}
