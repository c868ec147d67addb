package mcpevent_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// picky is a log that does not take the event with one id.
type picky struct {
	*event.Memory

	id  string
	err error
}

func (p *picky) Append(ctx context.Context, name string, e *event.Entry, keep event.Retention) error {
	if e.ID == p.id {
		return p.err
	}
	return p.Memory.Append(ctx, name, e, keep)
}

// An event that the log never takes is told as a gap, and holds up no others for longer than it would be kept.
func TestPublishRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		err   error
		after time.Duration
	}{
		{"refused", fmt.Errorf("too large: %w", event.ErrRefused), time.Second},
		{"fails", errors.New("of an unknown kind"), 11 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in := incidents()
				log := &picky{Memory: event.NewMemory(), id: "b", err: c.err}
				srv := serverOf(t, &mcp.Options{Events: &event.Options{Log: log}}, in)
				client := mcptest.New(t, srv)
				cursor := poll(t, client, "", "").Cursor
				for _, id := range []string{"a", "b", "c"} {
					if err := in.Publish(t.Context(), &opened{ID: id, Opened: day}); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Second)
				p := poll(t, client, cursor, "")
				if p.ids() != "a" || p.Truncated {
					t.Errorf("before what is lost: %+v", p)
				}
				time.Sleep(c.after - time.Second)
				if p = poll(t, client, p.Cursor, ""); p.ids() != "c" || !p.Truncated {
					t.Errorf("behind what is lost: %+v", p)
				}
				if n := srv.Stats().Events; n.Overflows != 1 || n.Committed != 3 {
					t.Errorf("%+v", n)
				}
			})
		})
	}
}
