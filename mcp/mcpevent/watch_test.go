package mcpevent_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
)

// watching is what delivers webhooks, and has only its host.
type watching struct {
	event.Webhooks
	host event.Host
}

func (w *watching) Start(h event.Host) error  { w.host = h; return nil }
func (*watching) Close(context.Context) error { return nil }
func (*watching) Lasting() bool               { return false }
func (*watching) Wake(string)                 {}
func (w *watching) watch(args string, tag any) bool {
	return w.host.Watch(&event.Reader{Name: "incident.opened", Arguments: []byte(args)}, tag)
}

// Subscriptions come and go with the same arguments at the same time, and those that stay miss nothing.
func TestWatchWhileOthersLeave(t *testing.T) {
	in, w := incidents(), new(watching)
	in.Match = func(wanted, *opened) bool { return true }
	serverOf(t, &mcp.Options{Events: &event.Options{Webhooks: w, Local: true}}, in)
	log, err := w.host.Match(t.Context(), in.Name, event.Position{})
	if err != nil {
		t.Fatal(err)
	}
	const stay = 20
	for i := range stay {
		w.watch(fmt.Sprintf(`{"service":"%d"}`, i), i)
	}
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			for n := range 6000 {
				w.watch(fmt.Sprintf(`{"severity":%d}`, 1+(i+n)%8), stay+i)
				w.host.Unwatch(stay + i)
			}
		})
	}
	all.Wait()
	for _, id := range []string{"a", "b", "c"} { // one is told of all of them at once
		commit(t, in, id, "api", 1)
	}
	m, err := w.host.Match(t.Context(), in.Name, log.After)
	if err != nil {
		t.Fatal(err)
	}
	for i := range stay {
		if !m.All && !slices.Contains(m.Tags, any(i)) {
			t.Errorf("subscription %d is not told", i)
		}
	}
	if len(m.Tags) != stay {
		t.Errorf("%d are told, want %d", len(m.Tags), stay)
	}
}
