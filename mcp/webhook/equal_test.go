package webhook_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcpevent"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/webhook"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// moved is an event with fields that arguments are compared with, and moves are its arguments.
type (
	moved struct {
		ID    string `json:"id"`
		Shelf string `json:"shelf"`
		Goods int    `json:"goods"`
	}
	moves struct {
		shelf string
		goods []int
	}
)

func (f moves) match(e *moved) bool {
	return (f.shelf == "" || f.shelf == e.Shelf) && (len(f.goods) == 0 || slices.Contains(f.goods, e.Goods))
}

func readMoves(d *wire.Decoder, f *moves) {
	for d.Object(); d.Next(); {
		if string(d.Name()) == "shelf" {
			f.shelf = d.String()
			continue
		}
		for d.Array(); d.More(); {
			f.goods = append(f.goods, wire.Int[int](d))
		}
	}
}

// moveServer is a server with an event whose Match is counted, and with subscriptions to it that have all kinds of
// arguments.
func moveServer(t *testing.T, hook *webhooktest.Receiver, asked *atomic.Int64) (
	*mcpevent.Type[moved, moves], map[string]moves) {
	t.Helper()
	typ := &mcpevent.Type[moved, moves]{
		Name: "moved", Modes: mcpevent.Webhook, Payload: json.RawMessage(`{"type":"object"}`),
		Arguments: json.RawMessage(`{"type":"object"}`), ID: func(e *moved) string { return e.ID }, Args: readMoves,
		Match: func(f moves, e *moved) bool { asked.Add(1); return f.match(e) },
		Equal: []mcpevent.Equal[moved, moves]{{
			Wants: func(f moves) []any { return mcpevent.WantedText(f.shelf) }, Has: func(e *moved) any { return e.Shelf },
		}, {
			Wants: func(f moves) []any { return mcpevent.WantedList(f.goods) }, Has: func(e *moved) any { return e.Goods },
		}},
	}
	o := local
	o.Trusted, o.PerPrincipal, o.Total = []string{strings.TrimSuffix(hook.URL, "hook")}, 1000, 1000
	hooks, log := webhook.New(o), event.NewMemory()
	f := &mcprt.Features{Info: protocol.Implementation{Name: "moves", Version: "1"}}
	mcpevent.Add(f, typ)
	s, err := mcprt.NewServer(f, &mcp.Options{
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Events: &event.Options{Log: log, Local: true, Webhooks: hooks},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	now, _ := log.Read(t.Context(), "moved", 0, 0)
	wants := map[string]moves{}
	for i := range 400 {
		m := moves{}
		if i%4 > 0 {
			m.shelf = fmt.Sprint("s", i)
		}
		for k := range i % 3 {
			m.goods = append(m.goods, i+k, i+k)
		}
		if i > 3 && m.shelf == "" && m.goods == nil {
			continue // a few get everything
		}
		args, _ := json.Marshal(map[string]any{"shelf": m.shelf, "goods": append([]int{}, m.goods...)})
		g, err := hooks.Subscribe(t.Context(), &event.Request{
			Caller: event.Caller{Subject: "ann"}, Name: "moved", URL: hook.URL, Secret: hook.Secret, Arguments: args,
			Start: event.Position{Epoch: now.Epoch, Seq: now.Last},
		})
		if err != nil {
			t.Fatal(err)
		}
		wants[g.ID] = m
	}
	return typ, wants
}

// Whatever arguments are compared with equal fields, each subscription gets what Match says, and Match is not asked for
// each of them.
func TestEqual(t *testing.T) {
	var asked atomic.Int64
	hook := webhooktest.New(t)
	typ, wants := moveServer(t, hook, &asked)
	time.Sleep(2 * local.Retries[0])
	due := map[string]bool{}
	asked.Store(0)
	for i := range 40 {
		e := &moved{ID: fmt.Sprint("e", i), Shelf: fmt.Sprint("s", i), Goods: i * 2}
		for id, m := range wants {
			if m.match(e) {
				due[e.ID+" "+id] = true
			}
		}
		if err := typ.Commit(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	all := len(due)
	for len(due) > 0 {
		m := hook.Next()
		if key := m.ID + " " + m.Subscription; !due[key] {
			t.Fatalf("delivered %s twice, or to who has not asked", key)
		} else {
			delete(due, key)
		}
	}
	hook.None(100 * time.Millisecond)
	if n := asked.Load(); n > int64(20*all+400) {
		t.Errorf("match was asked %d times for %d deliveries to %d subscriptions", n, all, len(wants))
	}
}
