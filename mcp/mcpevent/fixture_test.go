package mcpevent_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
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
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// opened is the payload of incident.opened.
type opened struct {
	ID       string    `json:"id"`
	Opened   time.Time `json:"opened"`
	Severity int       `json:"severity"`
	Service  string    `json:"service"`
	Contact  string    `json:"contact,omitempty"`
}

// wanted are the arguments.
type wanted struct {
	Service  string
	Severity int
}

func readWanted(d *wire.Decoder, v *wanted) {
	for d.Object(); d.Next(); {
		switch string(d.Name()) {
		case "service":
			v.Service = d.String()
		case "severity":
			v.Severity = wire.Int[int](d)
			d.Must(v.Severity >= 1, "must be at least 1")
		default:
			d.Fail("unknown argument")
		}
	}
}

type incident = mcpevent.Type[opened, wanted]

// incidents is the type incident.opened, as generated code declares it. Only ops sees whom to contact.
func incidents() *incident {
	return &incident{
		Name: "incident.opened", Title: "Incident opened", Description: "An incident was opened.",
		Modes: mcpevent.Poll | mcpevent.Push | mcpevent.Webhook,
		Arguments: json.RawMessage(`{"type":"object","properties":{"service":{"type":"string"},` +
			`"severity":{"type":"integer","minimum":1}},"additionalProperties":false}`),
		Payload: json.RawMessage(`{"type":"object"}`),
		ID:      func(e *opened) string { return e.ID },
		At:      func(e *opened) time.Time { return e.Opened },
		Args:    readWanted,
		Match: func(f wanted, e *opened) bool {
			return (f.Service == "" || f.Service == e.Service) && f.Severity <= e.Severity
		},
		Shape: func(who mcp.Caller, _ wanted, e *opened) opened {
			out := *e
			if who.Subject != "ops" {
				out.Contact = ""
			}
			return out
		},
	}
}

// quiet is a logger for tests that provoke what is logged.
func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// serverOf makes a server with events, and a tool that commits incidents.
func serverOf(t *testing.T, opts *mcp.Options, types ...mcpevent.Any) *mcp.Server {
	t.Helper()
	s, err := newServer(opts, types...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func newServer(opts *mcp.Options, types ...mcpevent.Any) (*mcp.Server, error) {
	f := &mcprt.Features{Info: protocol.Implementation{Name: "incidents", Version: "1"}}
	for _, x := range types {
		if in, ok := x.(*incident); ok {
			f.Tools = append(f.Tools, mcprt.Tool{
				Entry: &protocol.Tool{Name: "open_" + strings.ReplaceAll(in.Name, ".", "_"), InputSchema: mcprt.NoInput},
				Call: func(c *mcprt.Call, _ []byte) (mcprt.ToolResult, error) {
					return mcprt.AsToolText("opened", in.Commit(c, &opened{ID: "own", Opened: day, Severity: 5, Service: "api"}))
				},
			})
		}
	}
	mcpevent.Add(f, types...)
	if opts == nil {
		opts = &mcp.Options{}
	}
	if opts.Logger == nil {
		opts.Logger = quiet()
	}
	return mcprt.NewServer(f, opts)
}

var day = time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)

// commit commits an incident.
func commit(t *testing.T, in *incident, id, service string, severity int) {
	t.Helper()
	e := &opened{ID: id, Opened: day, Severity: severity, Service: service, Contact: "+49"}
	if err := in.Commit(context.Background(), e); err != nil {
		t.Fatal(err)
	}
}

// polled is the result of events/poll.
type polled struct {
	Events []struct {
		EventID   string          `json:"eventId"`
		Name      string          `json:"name"`
		Timestamp string          `json:"timestamp"`
		Data      opened          `json:"data"`
		Meta      map[string]bool `json:"_meta"`
	} `json:"events"`
	Cursor     string `json:"cursor"`
	Truncated  bool   `json:"truncated"`
	HasMore    bool   `json:"hasMore"`
	NextPollMs int    `json:"nextPollMs"`
}

func (p *polled) ids() string {
	var ids []string
	for i := range p.Events {
		ids = append(ids, p.Events[i].EventID)
	}
	return strings.Join(ids, " ")
}

// poll asks for events; params are members besides the name and cursor.
func poll(t *testing.T, c *mcptest.Client, cursor, params string) polled {
	t.Helper()
	text, err := c.Do("events/poll", pollParams(cursor, params))
	if err != nil {
		t.Fatalf("events/poll: %v", err)
	}
	var p polled
	if err := json.Unmarshal(text, &p); err != nil || p.Events == nil || p.Cursor == "" {
		t.Fatalf("events/poll: %v in %s", err, text)
	}
	return p
}

func pollParams(cursor, params string) json.RawMessage {
	b := []byte(`{"name":"incident.opened"`)
	if cursor != "" {
		b = wire.AppendString(append(b, `,"cursor":`...), cursor)
	}
	return json.RawMessage(string(b) + params + "}")
}

// faultOf is an error of a client, as code and data.
func faultOf(t *testing.T, err error) (int, string) {
	t.Helper()
	f, ok := errors.AsType[*wire.Error](err)
	if !ok {
		t.Fatalf("no fault: %v", err)
	}
	return f.Code, string(f.Data)
}

var _ event.Settings = (*event.Options)(nil)
