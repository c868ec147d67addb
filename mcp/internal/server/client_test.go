package server

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// person is what generated code makes of a struct with //mcp:form.
type person struct {
	Name string
	Age  int
}

func (*person) MCPForm() wire.FormSchema[person] {
	return wire.FormSchema[person]{
		Schema: `{"type":"object","properties":{"name":{"type":"string","title":"Name"},"age":{"type":"integer","default":30}},"required":["name"]}`,
		Decode: func(d *wire.Decoder, v *person) {
			named := false
			for d.Object(); d.Next(); {
				switch string(d.Name()) {
				case "name":
					v.Name, named = d.String(), true
				case "age":
					v.Age = wire.Int[int](d)
				default:
					d.Fail("unknown argument")
				}
			}
			if !named {
				d.Missing("name")
			}
		},
	}
}

// choosy has fields that 2025-06-18 does not know.
type choosy struct{}

func (*choosy) MCPForm() wire.FormSchema[choosy] {
	return wire.FormSchema[choosy]{
		Schema: `{"type":"object","properties":{"one":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}],"default":"a"},
			"plain":{"type":"string","enum":["x"]}}}`,
		Decode: func(d *wire.Decoder, _ *choosy) { d.Skip() },
	}
}

// askers are tools that ask the client.
var askers = map[string]func(c *call.Call) (string, error){
	"greet": func(c *call.Call) (string, error) {
		p, err := call.AskForm[person](c, c.Peer(), "user_name", "Who are you?")
		return fmt.Sprintf("%s is %d", p.Name, p.Age), err
	},
	"swallow": func(c *call.Call) (string, error) {
		p, err := call.AskForm[person](c, c.Peer(), "user_name", "Who are you?")
		return fmt.Sprint(p.Name, err == nil), nil
	},
	"sample": func(c *call.Call) (string, error) {
		r, err := c.Peer().AskModel(c, "model",
			protocol.CreateMessageRequestParams{Messages: []protocol.SamplingMessage{call.UserMessage("hi")}, MaxTokens: 100})
		if err != nil {
			return "", err
		}
		return call.MessageText(r), nil
	},
	"folders": func(c *call.Call) (string, error) {
		roots, err := c.Peer().AskRoots(c)
		return fmt.Sprint(len(roots)), err
	},
	"visit": func(c *call.Call) (string, error) {
		return "ok", c.Peer().AskURL(c, "page", "Log in", "https://example.org/login")
	},
	"choose": func(c *call.Call) (string, error) {
		_, err := call.AskForm[choosy](c, c.Peer(), "k", "m")
		return "ok", err
	},
	"steps": func(c *call.Call) (string, error) {
		a, err := call.AskForm[person](c, c.Peer(), "first", "One?")
		if err != nil {
			return "", err
		}
		b, err := call.AskForm[person](c, c.Peer(), "second", "Two, "+a.Name+"?")
		return a.Name + "+" + b.Name, err
	},
	"all": func(c *call.Call) (string, error) {
		who, model, roots := call.NewFormQuestion[person]("who", "Who?"), call.NewModelQuestion("model",
			protocol.CreateMessageRequestParams{MaxTokens: 1}), call.NewRootsQuestion("roots")
		if err := c.Peer().Ask(c, who, model, roots); err != nil {
			return "", err
		}
		p, err := call.FormAnswer[person](who)
		m, err2 := model.Answer()
		r, err3 := roots.Answer()
		if err := errors.Join(err, err2, err3); err != nil {
			return "", err
		}
		return p.Name + m.Model + r[0].URI, nil
	},
	"fallback": func(c *call.Call) (string, error) {
		if !c.Peer().Can(call.Elicitation) {
			return "nobody", nil
		}
		return "somebody", nil
	},
}

// asker is a server whose handlers ask.
func asker(t testing.TB, opts *Options) *Server {
	t.Helper()
	if opts == nil {
		opts = &Options{Logger: silent()}
	}
	s, err := NewServer(askerFeatures(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// askerFeatures are those of asker.
func askerFeatures() *feature.Features {
	f := &feature.Features{
		Info: protocol.Implementation{Name: "asker", Version: "v1"},
		Capabilities: protocol.ServerCapabilities{
			Tools: new(protocol.ServerCapabilitiesTools), Resources: new(protocol.ServerCapabilitiesResources),
		},
		Resources: []feature.Resource{{
			Entry: &protocol.Resource{URI: "ask:///me", Name: "me"}, Asks: true,
			Read: func(c *call.Call) (content.Contents, error) {
				p, err := call.AskForm[person](c, c.Peer(), "user_name", "Who?")
				return content.AsText(p.Name, err)
			},
		}},
		Route: func(uri string, _ *uri.Vars) int { return strings.Index(uri, "ask:///me") },
	}
	places := map[string]int{}
	for name, run := range askers {
		places[name] = len(f.Tools)
		f.Tools = append(f.Tools, feature.Tool{Entry: &protocol.Tool{Name: name, InputSchema: []byte(`{"type":"object"}`)},
			Asks: true, Call: func(c *call.Call, _ []byte) (content.ToolResult, error) {
				return content.AsToolText(run(c))
			}})
	}
	return f
}

// able is newSession with capabilities of the client.
func able(t testing.TB, s *Server, rev protocol.Revision, capabilities string) *harness {
	t.Helper()
	c := newHarness(t, s)
	c.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"t","version":"1"}}}`, rev, capabilities))
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

const (
	everything = `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}`
	adaForm    = `{"action":"accept","content":{"name":"Ada","age":36}}`
)

func textAnswer(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"` + text + `"}]}}`
}

func failedAnswer(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"isError":true,"content":[{"type":"text","text":"*` + text + `"}]}}`
}

func TestAskInSession(t *testing.T) {
	t.Attr("requirements", "init-server-waits roots-unavailable roots-cache")
	const schema = `{"type":"object","properties":{"name":{"type":"string","title":"Name"},"age":{"type":"integer","default":30}},"required":["name"]}`
	c := able(t, asker(t, nil), protocol.Revision20251125, everything)
	c.send(toolCall("1", "greet", "{}"))
	wantMatch(t, c.recv(),
		`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"form","message":"Who are you?","requestedSchema":`+schema+`}}`)
	c.quiet() // others are served meanwhile
	wantMatch(t, c.ask(`{"jsonrpc":"2.0","id":1,"result":`+adaForm+`}`), textAnswer("1", "Ada is 36"))

	c.send(toolCall("2", "sample", "{}"))
	wantMatch(t, c.recv(),
		`{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{"maxTokens":100,"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}}`)
	wantMatch(t, c.ask(`{"jsonrpc":"2.0","id":2,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"yes"}}}`), textAnswer("2", "yes"))

	c.send(toolCall("3", "folders", "{}"))
	wantMatch(t, c.recv(), `{"jsonrpc":"2.0","id":3,"method":"roots/list"}`)
	wantMatch(t, c.ask(`{"jsonrpc":"2.0","id":3,"result":{"roots":[{"uri":"file:///a"}]}}`), textAnswer("3", "1"))

	c.send(toolCall("4", "visit", "{}"))
	wantMatch(t, c.recv(), `{"jsonrpc":"2.0","id":4,"method":"elicitation/create","params":{"mode":"url","message":"Log in","url":"https://example.org/login","elicitationId":"*"}}`)
	wantMatch(t, c.ask(`{"jsonrpc":"2.0","id":4,"result":{"action":"accept"}}`), textAnswer("4", "ok"))

	c.send(read("5", "ask:///me"))
	wantMatch(t, c.recv(), `{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"…":0}}`)
	wantMatch(t, c.ask(`{"jsonrpc":"2.0","id":5,"result":`+adaForm+`}`), `{"jsonrpc":"2.0","id":5,"result":{"contents":[{"uri":"ask:///me","text":"Ada"}]}}`)

	c.send(toolCall("6", "folders", "{}")) // the roots of before have gone
	wantMatch(t, c.recv(), `{"jsonrpc":"2.0","id":6,"method":"roots/list"}`)
	wantMatch(t, c.ask(`{"jsonrpc":"2.0","id":6,"result":{"roots":[]}}`), textAnswer("6", "0"))
}

func TestOutcomesInSession(t *testing.T) {
	t.Attr("requirements", "ask-declined ask-validate sampling-human sampling-validate")
	c := able(t, asker(t, nil), protocol.Revision20250618, `{"elicitation":{},"sampling":{}}`)
	for i, o := range []struct{ answer, want string }{
		{`"result":{"action":"decline"}`, "the user declined"},
		{`"result":{"action":"cancel"}`, "the user dismissed the question"},
		{`"result":{"action":"shrug"}`, "the action is not known"},
		{`"result":{"action":"accept"}`, `/name: is required`},
		{`"result":{"action":"accept","content":{"name":5}}`, "/name: must be a string"},
		{`"result":{}`, "/action: is required"},
		{`"result":12345`, "must be an object"},
		{`"error":{"code":-1,"message":"no"}`, "the user declined"},
		{`"error":{"code":-32000,"message":"out of paper"}`, "out of paper (code -32000)"},
	} {
		id := fmt.Sprint(i + 1)
		c.send(toolCall(id, "greet", "{}"))
		wantMatch(t, c.recv(), `{"jsonrpc":"2.0","id":`+id+`,"method":"elicitation/create","params":{"message":"*","requestedSchema":{"…":0}}}`)
		wantMatch(t, c.ask(`{"jsonrpc":"2.0","id":`+id+`,`+o.answer+`}`), failedAnswer(id, o.want))
	}
	// A form asks for its fields and forbids no others.
	c.send(toolCall("10", "greet", "{}"))
	c.recv()
	wantMatch(t, c.ask(`{"jsonrpc":"2.0","id":10,"result":{"action":"accept","content":{"name":"x","other":1}}}`), textAnswer("10", "x is 0"))
	// An answer that nobody waits for is ignored.
	c.send(`{"jsonrpc":"2.0","id":77,"result":{}}`)
	c.quiet()
	wantMatch(t, c.ask(toolCall("20", "folders", "{}")), failedAnswer("20", "capability roots"))
	wantMatch(t, c.ask(toolCall("21", "visit", "{}")), failedAnswer("21", "capability elicitation.url"))
	c.send(toolCall("22", "choose", "{}"))
	wantMatch(t, c.recv(), `{"jsonrpc":"2.0","id":11,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object",
		"properties":{"one":{"type":"string","enum":["a","b"],"enumNames":["A","B"]},
		"plain":{"type":"string","enum":["x"]}}}}}`)
	wantMatch(t, c.ask(`{"jsonrpc":"2.0","id":11,"result":{"action":"accept"}}`), textAnswer("22", "ok"))
}

func TestAskManyInSession(t *testing.T) {
	c := able(t, asker(t, nil), protocol.Revision20251125, everything)
	c.send(toolCall("1", "all", "{}"))
	for _, method := range []string{"elicitation/create", "sampling/createMessage", "roots/list"} {
		if got := c.recv(); !strings.Contains(got, method) {
			t.Errorf("got %s, want %s", got, method)
		}
	}
	c.send(`{"jsonrpc":"2.0","id":3,"result":{"roots":[{"uri":"file:///a"}]}}`)
	c.send(`{"jsonrpc":"2.0","id":1,"result":` + adaForm + `}`)
	c.quiet()
	wantMatch(t, c.ask(`{"jsonrpc":"2.0","id":2,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"yes"}}}`), textAnswer("1", "Adamfile:///a"))
}

func TestAskEnds(t *testing.T) {
	t.Attr("requirements", "init-timeout-option cancel-sent")
	s := asker(t, nil)
	c := able(t, s, protocol.Revision20251125, everything)
	c.send(toolCall("1", "greet", "{}"))
	c.recv()
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	wantMatch(t, c.recv(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	c.quiet()

	c.send(toolCall("2", "greet", "{}"))
	c.recv()
	cutInput(c)
	rest, err := c.wait()
	if err != nil || len(rest) != 2 {
		t.Fatalf("got %q, %v", rest, err)
	}
	for _, msg := range rest {
		if strings.Contains(msg, `"result"`) {
			wantMatch(t, msg, failedAnswer("2", "the client did not answer"))
		}
	}
}

func TestAskTimeout(t *testing.T) {
	t.Attr("requirements", "init-errors init-timeout init-timeout-maximum cancel-sent")
	synctest.Test(t, func(t *testing.T) {
		c := able(t, asker(t, &Options{Logger: silent(), AskTimeout: time.Minute, Grace: time.Second}),
			protocol.Revision20251125, everything)
		before := time.Now()
		c.conn.(*halfCloser).WriteMessage([]byte(toolCall("1", "greet", "{}")))
		<-c.in
		wantMatch(t, <-c.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		wantMatch(t, <-c.in, failedAnswer("1", "the client did not answer"))
		if d := time.Since(before); d < time.Minute || d > time.Minute+time.Second {
			t.Errorf("answered after %v", d)
		}
		_ = c.conn.Close()
		synctest.Wait()
	})
}
