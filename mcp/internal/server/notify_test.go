package server

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// newNotifier returns a server whose tools do what the test says, and can log.
func newNotifier(t testing.TB, tools map[string]func(c *call.Call) error) *Server {
	t.Helper()
	f := &feature.Features{
		Info: protocol.Implementation{Name: "teller", Version: "v1"},
		Capabilities: protocol.ServerCapabilities{Tools: new(protocol.ServerCapabilitiesTools),
			Logging: new(protocol.ServerCapabilitiesLogging)},
	}
	var names []string
	for name := range tools {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f.Tools = append(f.Tools, feature.Tool{
			Entry: &protocol.Tool{Name: name, InputSchema: []byte(`{"type":"object"}`)},
			Call:  func(c *call.Call, _ []byte) (content.ToolResult, error) { return content.AsDone(tools[name](c)) },
		})
	}
	s, err := NewServer(f, &Options{Logger: silent()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// until returns the messages up to and with the answer to request id.
func (c *harness) until(id string) []string {
	c.t.Helper()
	var all []string
	for {
		msg := c.recv()
		if all = append(all, msg); msg == "" || strings.Contains(msg, `"id":`+id+",") {
			return all
		}
	}
}

func TestNotifyAfterTheResponse(t *testing.T) {
	t.Attr("requirements", "http-related progress-active progress-stops")
	calls := make(chan *call.Call, 1)
	s := newNotifier(t, map[string]func(*call.Call) error{"keep": func(c *call.Call) error { calls <- c; return nil }})
	c := newSession(t, s, protocol.Revision20251125)
	wantMatch(t, c.ask(toolCall("1", "keep", "{}")), `{"jsonrpc":"2.0","id":1,"result":"*"}`)
	if err := (<-calls).Send([]byte(`{}`)); !errors.Is(err, engine.ErrEnded) {
		t.Errorf("tell after the answer: %v", err)
	}
	c.quiet()
	if err := new(call.Call).Send([]byte(`{}`)); !errors.Is(err, engine.ErrEnded) {
		t.Errorf("tell without a connection: %v", err)
	}
}

func TestNotifyAfterCancel(t *testing.T) {
	t.Attr("requirements", "progress-stops stdio-cancel")
	notified := make(chan error)
	s := newNotifier(t, map[string]func(*call.Call) error{"wait": func(c *call.Call) error {
		_ = c.Send([]byte(`{"jsonrpc":"2.0","method":"started"}`))
		<-c.Done()
		notified <- c.Send([]byte(`{"jsonrpc":"2.0","method":"late"}`))
		return nil
	}})
	c := newSession(t, s, protocol.Revision20250326)
	c.send("[" + toolCall("1", "wait", "{}") + "]")
	wantMatch(t, c.recv(), `{"jsonrpc":"2.0","method":"started"}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if err := <-notified; !errors.Is(err, engine.ErrEnded) {
		t.Errorf("tell after cancel: %v", err)
	}
	c.quiet()
}

// WithMeta is a call of a tool with members of _meta.
func withMeta(id, tool, meta string) string {
	return request(id, "tools/call", `"name":"`+tool+`","_meta":{`+meta+`}`)
}

func TestProgress(t *testing.T) {
	t.Attr("requirements", "progress-token progress-increases progress-active progress-message")
	s := newNotifier(t, map[string]func(*call.Call) error{"work": func(c *call.Call) error {
		p := c.Progress()
		p.Report(0, 100, "start")
		p.Report(math.NaN(), 100, "")
		p.Report(50, math.Inf(1), "")
		p.Report(50, 100, "no news")
		p.Report(100, 100, "done")
		if c.Progress() != p {
			return errors.New("another progress")
		}
		return nil
	}})
	for _, rev := range era.Revisions() {
		if era.IsModern(rev) {
			continue
		}
		c := newSession(t, s, rev)
		wantMatch(t, c.ask(toolCall("1", "work", "{}")), `{"jsonrpc":"2.0","id":1,"result":"*"}`) // nobody asked
		c.send(withMeta("2", "work", `"progressToken":"\u0061"`))
		got := c.until("2")
		message := func(m string) string {
			if rev < protocol.Revision20250326 {
				return ""
			}
			return `,"message":"` + m + `"`
		}
		const head = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"\u0061",`
		want := []string{
			head + `"progress":0,"total":100` + message("start") + `}}`, head + `"progress":50}}`,
			head + `"progress":100,"total":100` + message("done") + `}}`, `{"jsonrpc":"2.0","id":2,"result":"*"}`,
		}
		if len(got) != len(want) {
			t.Fatalf("%v: got %q", rev, got)
		}
		for i := range want {
			wantMatch(t, got[i], want[i])
		}
	}
}

func TestProgressIsCoalesced(t *testing.T) {
	t.Attr("requirements", "progress-increases progress-rate")
	synctest.Test(t, func(t *testing.T) {
		s := newNotifier(t, map[string]func(*call.Call) error{"work": func(c *call.Call) error {
			for i := range 10_000 {
				c.Progress().Report(float64(i), 20_000, "")
			}
			time.Sleep(150 * time.Millisecond)
			c.Progress().Report(15_000, 0, "")
			c.Progress().Report(20_000, 20_000, "")
			for i := range 10_000 { // beyond the total
				c.Progress().Report(float64(20_001+i), 20_000, "")
			}
			return nil
		}})
		c := newSession(t, s, protocol.Revision20251125)
		c.send(withMeta("1", "work", `"progressToken":1`))
		var seen []string
		for _, msg := range c.until("1") {
			_, after, _ := strings.Cut(msg, `"progress":`)
			seen = append(seen, strings.TrimRight(strings.Split(after, ",")[0], "}"))
		}
		var want []string
		for i := range 20 {
			want = append(want, fmt.Sprint(i))
		}
		want = append(want, "9999", "15000", "20000", "")
		if !slices.Equal(seen, want) {
			t.Errorf("got  %q\nwant %q", seen, want)
		}
		c.cancel()
		_ = c.conn.Close()
		synctest.Wait()
	})
}

// chatty logs one message at each level.
func chatty(c *call.Call) error {
	l := c.Logger()
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelInfo + 2, slog.LevelWarn,
		slog.LevelError, slog.LevelError + 4, slog.LevelError + 8, slog.LevelError + 12} {
		l.Log(c, level, "m")
	}
	return nil
}

// levelsOf are the levels of the log messages among messages.
func levelsOf(t *testing.T, messages []string) string {
	t.Helper()
	var levels []string
	for _, msg := range messages[:len(messages)-1] {
		_, after, ok := strings.Cut(msg, `"level":"`)
		if !ok || !strings.Contains(msg, `"method":"notifications/message"`) || !strings.Contains(msg, `"logger":"chat"`) {
			t.Fatalf("no log message: %s", msg)
		}
		level, _, _ := strings.Cut(after, `"`)
		levels = append(levels, level)
	}
	return strings.Join(levels, " ")
}

const allLevels = "debug info notice warning error critical alert emergency"

func TestLogLevels(t *testing.T) {
	t.Attr("requirements", "log-level log-requested log-stream log-access")
	s := newNotifier(t, map[string]func(*call.Call) error{"chat": chatty})
	legacy := newSession(t, s, protocol.Revision20241105)
	legacy.send(toolCall("1", "chat", "{}"))
	wantText(t, "before setLevel", levelsOf(t, legacy.until("1")), "")
	for i, level := range strings.Fields(allLevels) {
		wantMatch(t, legacy.ask(request(`"set"`, "logging/setLevel", `"level":"`+level+`"`)),
			`{"jsonrpc":"2.0","id":"set","result":{}}`)
		legacy.send(toolCall("2", "chat", "{}"))
		want := strings.Join(strings.Fields(allLevels)[i:], " ")
		wantText(t, "legacy "+level, levelsOf(t, legacy.until("2")), want)

		modern := newHarness(t, s)
		modern.send(withMeta("3", "chat",
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"`+level+`"`))
		wantText(t, "modern "+level, levelsOf(t, modern.until("3")), want)
		modern.send(modernCall("4", "chat", `{}`, ``))
		wantText(t, "modern without level", levelsOf(t, modern.until("4")), "")
	}
	wantMatch(t, legacy.ask(request("5", "logging/setLevel", `"level":"loud"`)),
		`{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"*loud"}}`)
}

// modernCall calls a tool in the newest revision; capabilities are those of the client.
func modernCall(id, tool, capabilities, more string) string {
	return request(id, "tools/call",
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`+
			capabilities+`},"name":"`+tool+`"`+comma(more))
}

func TestLogContent(t *testing.T) {
	t.Attr("requirements", "log-secrets log-logger log-validate log-monitor")
	s := newNotifier(t, map[string]func(*call.Call) error{"log": func(c *call.Call) error {
		l := c.Logger().With("a", 1).WithGroup("g").With("b", errBoom)
		l.Info("hello", "d", time.Second, "e", math.Inf(1), "f", func() {}, "a", slog.GroupValue(slog.Int("x", 1)),
			slog.Group("", "y", 2), slog.Any("", nil))
		l.WithGroup("").Info("bye", "b", "other", "t", time.Unix(0, 0).UTC())
		return nil
	}})
	c := newSession(t, s, protocol.Revision20250618)
	c.ask(request("1", "logging/setLevel", `"level":"debug"`))
	c.send(toolCall("2", "log", "{}"))
	got := c.until("2")
	wantMatch(t, got[0], `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"log","data":{
		"msg":"hello","a":1,"g":{"a":{"x":1},"b":"boom","d":"1s","e":"+Inf","f":"*0x","y":2}}}}`)
	wantMatch(t, got[1], `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"log","data":{
		"msg":"bye","a":1,"g":{"b":"other","t":"1970-01-01T00:00:00Z"}}}}`)
}

func TestLoggingNotDeclared(t *testing.T) {
	t.Attr("requirements", "log-capability deprecated-features")
	s := newNotifier(t, map[string]func(*call.Call) error{"chat": chatty})
	s.features.Capabilities.Logging = nil
	c := newSession(t, s, protocol.Revision20251125)
	wantMatch(t, c.ask(request("1", "logging/setLevel", `"level":"debug"`)),
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"*"}}`)
	c.send(toolCall("2", "chat", "{}"))
	wantText(t, "undeclared", levelsOf(t, c.until("2")), "")
}
