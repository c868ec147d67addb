package deliver

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
)

// patience bounds a call of the store or of the event log.
const patience = 10 * time.Second

// running starts and ends the goroutines of an engine. It is safe for concurrent use after start.
type running struct {
	life   context.Context    // of the goroutines
	stop   context.CancelFunc // ends life
	loops  sync.WaitGroup
	host   event.Host // nil before start
	log    *slog.Logger
	sparse safelog.Sparse
}

func newRunning() *running {
	r := new(running)
	r.life, r.stop = context.WithCancel(context.Background())
	return r
}

// start starts the loops of the engine, for a host.
func (r *running) start(h event.Host, loops ...func()) {
	r.host, r.log = h, safelog.New(h.Logger())
	for _, loop := range loops {
		r.loops.Go(loop)
	}
}

// signal wakes the goroutine that waits for c. It never blocks.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// wait waits for a signal on c, which may be nil. If limit is not 0, it waits no longer than that. It returns false
// when the engine ends.
func (r *running) wait(c chan struct{}, limit time.Duration) bool {
	var after <-chan time.Time
	if limit > 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		after = t.C
	}
	select {
	case <-c:
	case <-after:
	case <-r.life.Done():
		return false
	}
	return r.life.Err() == nil
}

// complain logs an error, such as one of the store or the event log, but not too often. It logs nothing once the engine
// has ended.
func (r *running) complain(what string, err error, of ...any) {
	if r.life.Err() == nil {
		r.sparse.Log(r.log, slog.LevelError, what, append(of, "err", err)...)
	}
}

// forget tells the host that it need not keep anything for these subscriptions.
func (r *running) forget(ids []string) {
	for _, id := range ids {
		r.host.Forget(id)
	}
}

// await waits for a group. It returns the error of ctx if ctx ends first.
func await(ctx context.Context, g *sync.WaitGroup) error {
	done := make(chan struct{})
	go func() { g.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
