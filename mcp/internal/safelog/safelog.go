package safelog

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how long a caller waits for one record to be written.
const patience = time.Second

// New returns a logger that writes where l does. A panic of l's handler costs the record that it was given and nothing
// else; the first one is told on stderr. Whoever logs waits a second at most: while a record takes longer than that,
// others are dropped, and their number is logged afterwards. Handlers run on goroutines of their own, so that they may
// log, and use the server. New returns nil for nil.
func New(l *slog.Logger) *slog.Logger {
	if l == nil {
		return nil
	}
	if _, done := l.Handler().(*handler); done {
		return l
	}
	return slog.New(&handler{l.Handler(), new(state)})
}

// handler is a slog.Handler that never panics.
type handler struct {
	to    slog.Handler
	state *state
}

// state is shared by all that are derived from one logger.
type state struct {
	warned sync.Once
	stuck  atomic.Int64 // records that nobody waits for any more and that are still being written
	lost   atomic.Int64 // records that were dropped meanwhile

	dropped atomic.Int64 // all records that were ever dropped
	panics  atomic.Int64 // of the handler
}

// Dropped returns how many records a logger from [New] has dropped because its handler was busy; 0 for other loggers.
func Dropped(l *slog.Logger) int64 {
	if s := stateOf(l); s != nil {
		return s.dropped.Load()
	}
	return 0
}

// Panics returns how often the handler of a logger from [New] has panicked; 0 for other loggers.
func Panics(l *slog.Logger) int64 {
	if s := stateOf(l); s != nil {
		return s.panics.Load()
	}
	return 0
}

func stateOf(l *slog.Logger) *state {
	if l == nil {
		return nil
	}
	h, ok := l.Handler().(*handler)
	if !ok {
		return nil
	}
	return h.state
}

// Enabled implements slog.Handler. Handlers answer at once, as log/slog asks of them.
func (h *handler) Enabled(ctx context.Context, level slog.Level) (enabled bool) {
	defer h.save()
	return h.to.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	if h.state.stuck.Load() > 0 {
		h.state.lost.Add(1)
		h.state.dropped.Add(1)
		return nil
	}
	const (
		waiting = iota
		written
		left
	)
	var fate atomic.Int32
	done := make(chan struct{})
	go func() {
		defer func() {
			if fate.CompareAndSwap(waiting, written) {
				close(done)
			} else {
				h.free(ctx)
			}
		}()
		defer h.save()
		_ = h.to.Handle(ctx, r)
	}()
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
		h.state.stuck.Add(1) // before the goroutine may take it back
		if !fate.CompareAndSwap(waiting, left) {
			h.free(ctx)
		}
	}
	return nil
}

// free notes that a stuck record was written after all. Once none is stuck, it logs how many records were lost.
func (h *handler) free(ctx context.Context) {
	if h.state.stuck.Add(-1) > 0 {
		return
	}
	if n := h.state.lost.Swap(0); n > 0 {
		r := slog.NewRecord(time.Now(), slog.LevelWarn, "mcp: the log handler was too slow, records are lost", 0)
		r.AddAttrs(slog.Int64("count", n))
		_ = h.Handle(ctx, r)
	}
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.derive(func() slog.Handler { return h.to.WithAttrs(attrs) })
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	return h.derive(func() slog.Handler { return h.to.WithGroup(name) })
}

// derive returns what f makes of h, or h again if that panics.
func (h *handler) derive(f func() slog.Handler) slog.Handler {
	to := h.to
	func() {
		defer h.save()
		to = f()
	}()
	return &handler{to, h.state}
}

// save recovers from a panic of h.to and counts it. It must be deferred.
func (h *handler) save() {
	if v := recover(); v != nil {
		h.state.panics.Add(1)
		h.state.warned.Do(func() { fmt.Fprintln(os.Stderr, "mcp: the log handler panicked, records are lost:", text(v)) })
	}
}

// text is what a panic says, even if that panics too.
func text(v any) (s string) {
	defer func() {
		if recover() != nil {
			s = "no text"
		}
	}()
	return fmt.Sprint(v)
}
