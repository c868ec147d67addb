package mcpevent_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// clock is an observer that measures streams as module otel does: without the time in which they wait.
type clock struct{ took chan time.Duration }

type begunKey struct{}

func (clock) Begin(ctx context.Context, op stats.Operation) context.Context {
	if op.Method() != "events/stream" {
		return ctx
	}
	return context.WithValue(ctx, begunKey{}, time.Now())
}

func (c clock) End(ctx context.Context, out stats.Outcome) {
	if begun, ok := ctx.Value(begunKey{}).(time.Time); ok {
		c.took <- time.Since(begun) - out.Waited()
	}
}

func (clock) Carry(context.Context, func(name, value string)) {}

// A stream takes no time for the observer, however long it is open.
func TestStreamTakesNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := clock{make(chan time.Duration, 1)}
		srv := serverOf(t, &mcp.Options{Observer: o}, incidents())
		open(t, mcptest.New(t, srv), `"s1"`, "", "").want("active", "")
		time.Sleep(time.Hour)
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		if d := <-o.took; d > time.Second {
			t.Errorf("it took %v", d)
		}
	})
}
