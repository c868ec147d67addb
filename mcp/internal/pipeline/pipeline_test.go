package pipeline_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// sequence is a use of a feature that notes its steps. It implements [pipeline.Operation] and [pipeline.Limits].
type sequence struct {
	spec   pipeline.Spec
	guard  access.Guard // of the spec
	steps  []string
	full   error // of the limits
	run    func(c *call.Call) error
	denied bool
}

var (
	errAbsent  = wire.NewError(wire.CodeInvalidParams, "absent")
	errInvalid = wire.NewError(wire.CodeInvalidParams, "invalid")
	errFull    = wire.NewError(wire.CodeInternal, "full")
)

func (s *sequence) note(step string)     { s.steps = append(s.steps, step) }
func (s *sequence) Spec() *pipeline.Spec { return &s.spec }
func (s *sequence) Absent() error        { return errAbsent }
func (s *sequence) Reset()               { s.note("reset") }

func (s *sequence) Run(c *call.Call) error {
	s.note("run")
	if s.run != nil {
		return s.run(c)
	}
	return nil
}

func (s *sequence) Conclude(_ *call.Call, err error) error {
	s.note("conclude")
	return err
}

func (s *sequence) Params() call.Params { return &protocol.PaginatedRequestParams{} }

func (s *sequence) Replace(*call.Call, call.Params) error { return nil }

func (s *sequence) Reply(*call.Call) (protocol.Reply, error) { return protocol.Prepared("{}"), nil }

func (s *sequence) Adopt(*call.Call, protocol.Reply) error { return nil }

func (s *sequence) Take(*access.Guard, *call.Call) (*ratelimit.Limiter, error) {
	s.note("limits")
	return nil, s.full
}

// policy is a policy that notes that it is asked.
func (s *sequence) policy(name string, err error) access.Policy {
	return func(*call.Call) error { s.note(name); return err }
}

// middleware notes that it begins and ends.
func (s *sequence) middleware(c *call.Call, p call.Params, next call.Next) (protocol.Reply, error) {
	s.note("before")
	defer s.note("after")
	return next(c, p)
}

// one is a handler whose requests are uses of one sequence.
type one struct {
	*session.Worker
	s *sequence
	p pipeline.Pipeline
}

func (o *one) Request(_, b []byte) ([]byte, error) {
	_, err := o.p.Perform(o.s)
	o.s.denied = o.TakeDenied()
	return append(b, `{"resultType":"complete"}`...), err
}

func (*one) CallTool(context.Context, *protocol.CallToolRequestParams) (protocol.CallToolReply, error) {
	return nil, feature.ErrNoMethod
}

func (*one) Notification(_, _ []byte) {}

func (*one) Offers(feature.Kind, string) bool { return false }

func (*one) ToolFailed() bool { return false }

func (o *one) Reset() { o.p.Forget() }

// perform returns the message of the error with which a request of who for s is answered, and the steps before that;
// "ok" for a result.
func (s *sequence) perform(t *testing.T, who call.Caller) (message string, steps string) {
	t.Helper()
	h := &session.Host{
		Log: slog.New(slog.DiscardHandler), Grace: time.Second,
		NewHandler: func(w *session.Worker) session.Handler {
			return &one{w, s, pipeline.Pipeline{Worker: w, Limits: s}}
		},
		Lists: func() []pubsub.Kind { return nil }, Opened: func() {}, Blind: func() <-chan struct{} { return nil },
	}
	h.MaxInFlight = 10
	w := new(responses)
	e := session.OpenEnvelope([]byte(`{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	h.Exchange(t.Context(), &e, who, w)
	if len(w.got) != 1 {
		t.Fatalf("the responses are %q", w.got)
	}
	if message = "ok"; !strings.Contains(w.got[0], `"result":`) {
		raw, _ := wire.Lookup([]byte(w.got[0]), "error", "message")
		message = strings.Trim(string(raw), `"`)
	}
	return message, strings.Join(s.steps, " ")
}

// responses is a call.ResponseWriter that keeps what it gets.
type responses struct{ got []string }

func (w *responses) Notify([]byte) error { return nil }

func (w *responses) Respond(frame []byte, _ int) error {
	w.got = append(w.got, string(frame))
	return nil
}

// Who may not know of a feature learns nothing else, and nothing of the program runs before that is known.
func TestSequence(t *testing.T) {
	refuses := errors.New("no")
	for _, c := range []struct {
		name    string
		with    func(s *sequence)
		who     call.Caller
		message string
		steps   string
		denied  bool
	}{
		{"open", func(s *sequence) { s.spec.Guard = nil }, call.Caller{}, "ok", "run conclude reset", false},
		{"guarded", func(s *sequence) {}, call.Caller{Scopes: []string{"a"}}, "ok",
			"alone items limits before run after conclude reset", false},
		{"scope", func(s *sequence) { s.spec.Invalid = errInvalid }, call.Caller{}, "absent", "reset", true},
		{"scope, shown", func(s *sequence) { s.guard.Access.Shown = true }, call.Caller{}, "forbidden: it needs a", "reset",
			true},
		{"expired", func(s *sequence) {}, call.Caller{Scopes: []string{"a"}, Expires: time.Unix(1, 0)}, "absent", "reset",
			true},
		{"policy", func(s *sequence) {
			s.guard.Access.Policies = []access.Policy{s.policy("alone", refuses)}
			s.spec.Invalid = errInvalid
		}, call.Caller{Scopes: []string{"a"}}, "absent", "alone reset", true},
		{"policy of items", func(s *sequence) {
			s.guard.Access.ItemPolicies = []access.Policy{s.policy("items", refuses)}
		}, call.Caller{Scopes: []string{"a"}}, "absent", "alone items reset", true},
		{"invalid", func(s *sequence) { s.spec.Invalid = errInvalid }, call.Caller{Scopes: []string{"a"}}, "invalid",
			"alone reset", false},
		{"invalid, without policies", func(s *sequence) {
			s.guard.Access.Policies, s.guard.Access.ItemPolicies, s.spec.Invalid = nil, nil, errInvalid
		}, call.Caller{Scopes: []string{"a"}}, "invalid", "reset", false},
		{"limits", func(s *sequence) { s.full = errFull }, call.Caller{Scopes: []string{"a"}}, "full",
			"alone items limits conclude reset", false},
		{"completer", func(s *sequence) { s.spec.Completer = true }, call.Caller{Scopes: []string{"a"}}, "ok",
			"alone items before run after conclude reset", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSequence()
			c.with(s)
			message, steps := s.perform(t, c.who)
			if message != c.message || steps != c.steps || s.denied != c.denied {
				t.Errorf("%q after %q, denied %v; want %q after %q, denied %v", message, steps, s.denied, c.message, c.steps,
					c.denied)
			}
		})
	}
}

// newSequence returns the use of a feature that needs a scope, and has policies, limits and a middleware.
func newSequence() *sequence {
	s := new(sequence)
	s.guard.Access = access.Access{
		Scopes: []string{"a"}, Policies: []access.Policy{s.policy("alone", nil)},
		ItemPolicies: []access.Policy{s.policy("items", nil)},
	}
	s.guard.Use = call.NewUse(s.middleware)
	s.spec = pipeline.Spec{Guard: &s.guard, Target: "x", Named: true, Items: true}
	return s
}

// What takes too long, or is too large, is answered with an error that says so.
func TestBounds(t *testing.T) {
	late := func(c *call.Call) error { <-c.Done(); return c.Err() }
	for _, c := range []struct {
		name string
		with func(s *sequence)
		want string
		took time.Duration
	}{
		{"timeout", func(s *sequence) { s.guard.Limit.Timeout, s.run = time.Minute, late }, "took longer than 1m0s",
			time.Minute},
		{"completer", func(s *sequence) { s.spec.Completer, s.run = true, late }, "took longer than 30s", call.ListTimeout},
		{"policy", func(s *sequence) {
			s.guard.Access.Policies = []access.Policy{func(c *call.Call) error { return late(c) }}
		}, "absent", access.PolicyTimeout},
		{"bytes", func(s *sequence) { s.guard.Limit.Bytes = 10 }, "the result has 25 bytes: at most 10 are sent", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, begin := newSequence(), time.Now()
				c.with(s)
				message, _ := s.perform(t, call.Caller{Scopes: []string{"a"}})
				if took := time.Since(begin); message != c.want || took != c.took {
					t.Errorf("%q after %v, want %q after %v", message, took, c.want, c.took)
				}
			})
		})
	}
}

// A panic of a policy refuses; one of other code of the program is an internal error. The feature is forgotten.
func TestPanics(t *testing.T) {
	s := newSequence()
	s.guard.Access.Policies = []access.Policy{func(*call.Call) error { panic("secret") }}
	if message, steps := s.perform(t, call.Caller{Scopes: []string{"a"}}); message != "absent" || steps != "reset" {
		t.Errorf("policy: %q after %q", message, steps)
	}
	s = newSequence()
	s.run = func(*call.Call) error { panic("secret") }
	message, steps := s.perform(t, call.Caller{Scopes: []string{"a"}})
	if !strings.HasPrefix(message, "internal error") || steps != "alone items limits before run after reset" {
		t.Errorf("handler: %q after %q", message, steps)
	}
}

// Middleware of a tool changes the arguments only, and the result that it keeps is not changed by others.
func TestMiddlewareOfTools(t *testing.T) {
	spec := pipeline.Spec{Target: "x", Args: []byte(`{"a":1}`), Meta: new(protocol.RequestMetaObject)}
	for _, c := range []struct {
		name   string
		change func(p *protocol.CallToolRequestParams)
		want   string
	}{
		{"nothing", func(*protocol.CallToolRequestParams) {}, `{"a":1}`},
		{"arguments", func(p *protocol.CallToolRequestParams) { p.Arguments = []byte(`{"b":2}`) }, `{"b":2}`},
		{"no arguments", func(p *protocol.CallToolRequestParams) { p.Arguments = nil }, `{}`},
		{"a list", func(p *protocol.CallToolRequestParams) { p.Arguments = []byte(`[]`) }, "arguments: want an object"},
		{"name", func(p *protocol.CallToolRequestParams) { p.Name = "y" }, "only arguments may be changed"},
		{"meta", func(p *protocol.CallToolRequestParams) { p.Meta = new(protocol.RequestMetaObject) },
			"only arguments may be changed"},
		{"task", func(p *protocol.CallToolRequestParams) { p.Task = new(protocol.TaskMetadata) },
			"only arguments may be changed"},
	} {
		p := spec.ToolParams().(*protocol.CallToolRequestParams)
		c.change(p)
		args, err := spec.ToolArguments(p)
		if got := string(args); err == nil && got != c.want || err != nil && err.Error() != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
	spec.ToolParams().(*protocol.CallToolRequestParams).Arguments[1] = 'x'
	if string(spec.Args) != `{"a":1}` {
		t.Errorf("the request has %s", spec.Args)
	}
	if _, err := spec.ToolArguments((*protocol.CallToolRequestParams)(nil)); err == nil {
		t.Error("nil is taken")
	}
}

// A result that middleware keeps may be used for several requests.
func TestResultOfMiddleware(t *testing.T) {
	kept := &protocol.CallToolResult{Content: []protocol.ContentBlock{&protocol.TextContent{Text: "x"}}}
	r, err := pipeline.CopyOf[protocol.CallToolResult](kept)
	if err != nil || r == kept || !slices.Equal(r.Content, kept.Content) {
		t.Errorf("%p is the result for %p, %v", r, kept, err)
	}
	for _, other := range []protocol.Reply{(*protocol.CallToolResult)(nil), protocol.Prepared("{}"), nil} {
		if _, err := pipeline.CopyOf[protocol.CallToolResult](other); err == nil {
			t.Errorf("%#v is taken", other)
		}
	}
}

// The metadata of a result of middleware stays, with what all results of the server have.
func TestMetaOfMiddleware(t *testing.T) {
	s := new(call.Shared)
	s.Meta.ServerInfo = &protocol.Implementation{Name: "s"}
	mine, other := wire.Extra{{Name: "a", Value: []byte("1")}}, &protocol.Implementation{Name: "other"}
	kept := &protocol.ResultMetaObject{Extra: mine}
	for _, c := range []struct {
		meta *protocol.ResultMetaObject
		rev  protocol.Revision
		want string
	}{
		{nil, protocol.Latest, `{"io.modelcontextprotocol/serverInfo":{"name":"s","version":""}}`},
		{kept, protocol.Latest, `{"io.modelcontextprotocol/serverInfo":{"name":"s","version":""},"a":1}`},
		{&protocol.ResultMetaObject{ServerInfo: other}, protocol.Latest,
			`{"io.modelcontextprotocol/serverInfo":{"name":"other","version":""}}`},
		{kept, protocol.Revision20251125, `{"a":1}`},
	} {
		if got := string(pipeline.MetaWith(s, c.meta, c.rev).AppendJSON(nil, c.rev)); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	if kept.ServerInfo != nil {
		t.Error("what the middleware keeps was changed")
	}
}

// What is too large for a buffer is encoded when it is written, and the response has it at its place.
func TestLargeValues(t *testing.T) {
	large := strings.Repeat("é\"", call.LargeValue)
	p := pipeline.Pipeline{Worker: new(session.Worker)}
	r := &protocol.CallToolResult{Content: []protocol.ContentBlock{
		&protocol.TextContent{Text: "small"}, &protocol.TextContent{Text: large},
		&protocol.ImageContent{Data: []byte(large), MIMEType: `"data":""`},
		&protocol.EmbeddedResource{Resource: &protocol.TextResourceContents{URI: `a:"text":""`, Text: large}},
		&protocol.AudioContent{Data: []byte(large), MIMEType: "a/b"},
	}}
	mine := slices.Clone(r.Content)
	want := string(r.AppendJSON(nil, protocol.Latest))
	p.CutTool(r)
	b := r.AppendJSON(nil, protocol.Latest)
	if len(b) > call.LargeValue {
		t.Errorf("the buffer has %d bytes", len(b))
	}
	if got := whole(b, p.Worker.Inserts()); got != want {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
	if len(p.Worker.Inserts()) != 4 || slices.Equal(mine, r.Content) {
		t.Errorf("%d values are cut", len(p.Worker.Inserts()))
	}
}

// whole is a response with its large values.
func whole(b []byte, inserts []wire.Insert) string {
	var out []byte
	at := 0
	for _, in := range inserts {
		out = append(out, b[at:in.At]...)
		at = in.At
		text := wire.AppendString(nil, in.Text)
		if in.Blob != nil {
			text = wire.AppendBase64(nil, in.Blob)
		}
		out = append(out, text[1:len(text)-1]...)
	}
	return string(append(out, b[at:]...))
}
