package mcpevent_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcpevent"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// held is a log that takes nothing until it is opened.
type held struct {
	*event.Memory
	open chan struct{}
}

func (l *held) Append(ctx context.Context, name string, e *event.Entry, keep event.Retention) error {
	select {
	case <-l.open:
		return l.Memory.Append(ctx, name, e, keep)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// notesWith makes a server with the template notes:///{id}, whose updates are events, and a tool that changes a note.
func notesWith(t *testing.T, opts *mcp.Options) *mcp.Server {
	t.Helper()
	f := &mcprt.Features{
		Info: protocol.Implementation{Name: "notes", Version: "1"},
		Resources: []mcprt.Resource{{
			Template:  &protocol.ResourceTemplate{Name: "note", URITemplate: "notes:///{id}"},
			Read:      func(*mcprt.Call) (mcprt.Contents, error) { return mcprt.AsText("text", nil) },
			Subscribe: true,
		}, {
			Entry:     &protocol.Resource{Name: "other", URI: "other:///"},
			Read:      func(*mcprt.Call) (mcprt.Contents, error) { return mcprt.AsText("text", nil) },
			Subscribe: true,
		}},
		Route: func(uri string, _ *mcprt.Vars) int {
			if strings.HasPrefix(uri, "notes:///") {
				return 0
			}
			return -1
		},
		Tools: []mcprt.Tool{{
			Entry: &protocol.Tool{Name: "change", InputSchema: mcprt.NoInput},
			Call: func(c *mcprt.Call, _ []byte) (mcprt.ToolResult, error) {
				c.ResourceUpdated("notes:///a")
				return mcprt.AsToolText("changed", nil)
			},
		}},
	}
	mcpevent.Add(f, &mcpevent.Updates{
		Name: "note.updated", Resource: "notes:///{id}", Modes: mcpevent.Poll | mcpevent.Push,
	})
	opts.Logger = quiet()
	s, err := mcprt.NewServer(f, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// hints polls note.updated until there are as many events as wanted, and returns the URIs, with a star if the caller
// has caused them, and the cursor.
func hints(t *testing.T, c *mcptest.Client, args, cursor string, want int) (uris, next string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		text, err := c.Do("events/poll", json.RawMessage(`{"name":"note.updated","arguments":`+args+`,"cursor":`+cursor+`}`))
		if err != nil {
			t.Fatal(err)
		}
		var p struct {
			Events []struct {
				Data struct{ URI string }
				Meta map[string]bool `json:"_meta"`
			}
			Cursor json.RawMessage
		}
		if err := json.Unmarshal(text, &p); err != nil {
			t.Fatal(err)
		}
		if len(p.Events) < want && time.Now().Before(end) {
			continue
		}
		var all []string
		for _, e := range p.Events {
			mark := ""
			if e.Meta["io.github.mcpgen/own"] {
				mark = "*"
			}
			all = append(all, strings.TrimPrefix(e.Data.URI, "notes:///")+mark)
		}
		return strings.Join(all, " "), string(p.Cursor)
	}
}

// Updates of a resource are events for who wants them, of all URIs or of one.
func TestUpdates(t *testing.T) {
	s := notesWith(t, &mcp.Options{})
	ann := mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	bob := mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "bob"}))
	_, begin := hints(t, ann, `{}`, "null", 0)
	ann.Call("change", `{}`)
	if got, _ := hints(t, ann, `{}`, begin, 1); got != "a*" {
		t.Errorf("ann, who has caused it, gets %q", got)
	}
	s.ResourceUpdated("other:///")
	s.ResourceUpdated("notes:///b")
	if got, _ := hints(t, bob, `{}`, begin, 2); got != "a b" {
		t.Errorf("bob gets %q", got)
	}
	if got, _ := hints(t, bob, `{"uri":"notes:///b"}`, begin, 1); got != "b" {
		t.Errorf("of notes:///b bob gets %q", got)
	}
}

// Updates that are events leave records of the audit, with who has caused them.
func TestUpdatesAudit(t *testing.T) {
	var told strings.Builder
	s := notesWith(t, &mcp.Options{Audit: slog.New(slog.NewTextHandler(&told, nil))})
	mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "ann"})).Call("change", `{}`)
	s.ResourceUpdated("notes:///b")
	s.ResourceUpdated("other:///")
	_ = s.Close()
	for principal, want := range map[string]int{"ann": 1, `""`: 1} {
		record := "principal=" + principal + ` client="" method=event/publish target=note.updated decision=allow status=ok`
		if n := strings.Count(told.String(), record); n != want {
			t.Errorf("%d records with the principal %s in\n%s", n, principal, told.String())
		}
	}
}

// While the log is away, the updates of a URI are one, and nobody's own if several have caused them.
func TestUpdatesMerged(t *testing.T) {
	log := &held{event.NewMemory(), make(chan struct{})}
	s := notesWith(t, &mcp.Options{Events: &event.Options{Log: log}})
	ann := mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
	_, begin := hints(t, ann, `{}`, "null", 0)
	s.ResourceUpdated("notes:///first") // which the log is about to take
	time.Sleep(20 * time.Millisecond)
	for range 3 {
		ann.Call("change", `{}`)
		s.ResourceUpdated("notes:///b")
	}
	s.ResourceUpdated("notes:///a")
	ann.Call("change", `{}`)
	close(log.open)
	if got, _ := hints(t, ann, `{}`, begin, 3); got != "first a b" {
		t.Errorf("got %q, want one of each", got)
	}
}
