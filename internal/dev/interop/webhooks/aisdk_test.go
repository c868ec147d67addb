package webhooks

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcpevent"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/webhook"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

type opened struct {
	ID      string `json:"id"`
	Service string `json:"service"`
}

type incident = mcpevent.Type[opened, string]

// incidents serves one event over HTTP to whoever has a bearer, whose subject is its text.
func incidents(t *testing.T) (url string, in *incident) {
	t.Helper()
	in = &incident{
		Name: "incident.opened", Modes: mcpevent.Poll | mcpevent.Webhook,
		Arguments: json.RawMessage(`{"type":"object","properties":{"service":{"type":"string"}}}`),
		Payload:   json.RawMessage(`{"type":"object"}`),
		ID:        func(e *opened) string { return e.ID },
		Args: func(d *wire.Decoder, v *string) {
			for d.Object(); d.Next(); {
				*v = d.String()
			}
		},
		Match: func(service string, e *opened) bool { return service == "" || service == e.Service },
	}
	f := &mcprt.Features{Info: protocol.Implementation{Name: "incidents", Version: "1"}}
	mcpevent.Add(f, in)
	log := slog.New(slog.DiscardHandler)
	s, err := mcprt.NewServer(f, &mcp.Options{Logger: log, Events: &event.Options{
		Local: true, Sessions: true, Webhooks: webhook.New(webhook.Options{AllowPrivate: true, AllowHTTP: true}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	h, err := mcphttp.Handler(s, &mcphttp.Options{Authenticate: func(r *http.Request) (mcp.Caller, error) {
		if r.Header.Get("Authorization") != "Bearer ann" {
			return mcp.Caller{}, errors.New("nobody")
		}
		return mcp.Caller{Subject: "ann"}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(h)
	t.Cleanup(func() { _ = s.Close(); web.CloseClientConnections(); web.Close() })
	return web.URL, in
}

// said is a line of aisdk.mjs.
type said struct {
	Kind, ID, Message string
	RefreshBefore     *time.Time
	Truncated         bool
	Data              opened
	Events            []string
}

// partner is a program that is a client with a callback.
type partner struct {
	t     *testing.T
	in    io.Writer
	lines *bufio.Scanner
}

func start(t *testing.T, args ...string) *partner {
	t.Helper()
	install(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	return &partner{t, in, bufio.NewScanner(out)}
}

// tell sends a line, unless it is "", and returns the next one, which is of a kind.
func (p *partner) tell(line, kind string) (s said) {
	p.t.Helper()
	if line != "" {
		if _, err := io.WriteString(p.in, line+"\n"); err != nil {
			p.t.Fatal(err)
		}
	}
	if !p.lines.Scan() {
		p.t.Fatalf("after %q: no line", line)
	}
	if err := json.Unmarshal(p.lines.Bytes(), &s); err != nil || s.Kind != kind {
		p.t.Fatalf("after %q: %s %v, want %s", line, p.lines.Text(), err, kind)
	}
	return s
}

func TestAISDK(t *testing.T) {
	url, in := incidents(t)
	p := start(t, "aisdk.mjs", url)
	if got := p.tell("", "ready"); len(got.Events) != 1 || got.Events[0] != "incident.opened" {
		t.Fatalf("events/list: %+v", got)
	}
	commit := func(id, service string) {
		t.Helper()
		if err := in.Commit(t.Context(), &opened{id, service}); err != nil {
			t.Fatal(err)
		}
	}
	granted := p.tell("subscribe", "subscribe")
	if granted.ID == "" || granted.RefreshBefore == nil || granted.Truncated {
		t.Fatalf("subscribe: %+v", granted)
	}
	commit("1", "db")
	commit("2", "api")
	if got := p.tell("", "event"); got.ID != "2" || got.Data.Service != "api" {
		t.Errorf("event: %+v", got)
	}
	again := p.tell("refresh", "refresh")
	if again.ID != granted.ID || again.RefreshBefore == nil || again.RefreshBefore.Before(*granted.RefreshBefore) {
		t.Errorf("refresh: %+v after %+v", again, granted)
	}
	commit("3", "api")
	if got := p.tell("", "event"); got.ID != "3" {
		t.Errorf("event: %+v", got)
	}
	p.tell("unsubscribe", "unsubscribe")
	commit("4", "api")
	p.tell("unsubscribe", "error") // and no event before it: its record is gone
}
