package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// Bounds of values that are loaded again because another replica has signalled a change.
const (
	maxLoads      = 4      // at the same time
	maxLoadsAhead = 10_000 // that wait; beyond that all of a value is loaded
	loadTimeout   = 10 * time.Second
	loadAllTime   = time.Minute
	loadAgain     = 500 * time.Millisecond // after a failure; doubled each time
	loadAgainMost = 30 * time.Second
	maxLoadRuns   = 10 // of one that finds the value changed meanwhile
)

// errLoadRuns is the error of a load during which the program changes the value again and again.
var errLoadRuns = errors.New("the value changes all the time")

// load is a live value, or the part of it at a URI, that may have changed on another replica.
type load struct {
	value feature.LiveValue
	uri   string // "" for all of it
}

// Loads loads live values again, on goroutines of its own: the goroutine of the bus must not wait. The same load does
// not run twice at the same time.
type Loads struct {
	log    *slog.Logger
	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup // for workers; Add under mu and only if not closed

	mu      sync.Mutex
	closed  bool
	wanted  map[load]int         // not yet begun; the value is how often the load has failed already
	queue   []load               // those of wanted, in order
	busy    map[load]struct{}    // being loaded; may be wanted again
	later   map[load]*time.Timer // failed; the timer makes it wanted again
	workers int
}

// Init makes l ready to use.
func (l *Loads) Init(log *slog.Logger) {
	l.log = log
	l.wanted, l.busy, l.later = map[load]int{}, map[load]struct{}{}, map[load]*time.Timer{}
	l.ctx, l.cancel = context.WithCancel(context.Background())
}

// Close ends all loads and waits for them for a moment.
func (l *Loads) Close() {
	l.mu.Lock()
	l.closed = true
	for _, t := range l.later {
		t.Stop()
	}
	l.mu.Unlock()
	l.cancel()
	ended := make(chan struct{})
	go func() {
		l.wait.Wait()
		close(ended)
	}()
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case <-ended:
	case <-t.C:
		l.log.Warn("mcp: a load function ignores that its context has ended")
	}
}

// Add queues value to be loaded again at uri, or all of it for "". It does nothing if value is nil or cannot be loaded
// again. It never waits.
func (l *Loads) Add(value feature.LiveValue, uri string) {
	if value != nil && value.Loadable() == feature.LoadsAgain {
		l.addAfter(load{value, uri}, 0)
	}
}

// addAfter is Add for a load that has failed that many times.
func (l *Loads) addAfter(x load, failures int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.later[x]; t != nil {
		t.Stop()
		delete(l.later, x)
	}
	if _, wanted := l.wanted[x]; wanted || l.closed {
		return
	}
	if _, busy := l.busy[x]; busy && failpoint.On("load-while-busy") {
		return
	}
	if x.uri != "" && len(l.wanted)+len(l.later) >= maxLoadsAhead {
		x.uri = ""
		if _, wanted := l.wanted[x]; wanted {
			return
		}
	}
	l.wanted[x] = failures
	l.queue = append(l.queue, x)
	if l.workers < maxLoads {
		l.workers++
		l.wait.Go(l.work)
	}
}

// work loads what is wanted until nothing is.
func (l *Loads) work() {
	whole := false
	defer func() {
		if whole {
			return
		}
		l.mu.Lock() // a load function has ended the goroutine
		defer l.mu.Unlock()
		if !l.closed {
			l.wait.Go(l.work)
		}
	}()
	for {
		x, failures, ok := l.next()
		if !ok {
			break
		}
		l.run(x, failures)
	}
	whole = true
}

// next takes the first value that is to be loaded and is not being loaded. If there is none, the worker ends.
func (l *Loads) next() (x load, failures int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := 0; i < len(l.queue) && !l.closed; i++ {
		x = l.queue[i]
		if _, busy := l.busy[x]; busy {
			continue
		}
		l.queue = append(l.queue[:i], l.queue[i+1:]...)
		failures = l.wanted[x]
		delete(l.wanted, x)
		l.busy[x] = struct{}{}
		return x, failures, true
	}
	l.workers--
	return x, 0, false
}

// run loads x, and again later if that fails.
func (l *Loads) run(x load, failures int) {
	err := errors.New("load function ended its goroutine")
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in load function: %v", p)
			l.log.Error("mcp: panic in load function", "uri", x.uri, "panic", p, "stack", string(debug.Stack()))
		}
		l.done(x, failures, err)
	}()
	if x.uri == "" {
		ctx, stop := context.WithTimeout(l.ctx, loadAllTime)
		defer stop()
		err = x.value.ReloadAll(ctx)
		return
	}
	ctx, stop := context.WithTimeout(l.ctx, loadTimeout)
	defer stop()
	err = x.value.Reload(ctx, x.uri)
}

// done ends a load.
func (l *Loads) done(x load, failures int, err error) {
	l.mu.Lock()
	delete(l.busy, x)
	_, wanted := l.wanted[x]
	retry := err != nil && !failpoint.On("load-failed-once") && !wanted && !l.closed && l.ctx.Err() == nil
	in := min(loadAgain<<min(failures, 10), loadAgainMost)
	if retry {
		l.later[x] = time.AfterFunc(in, func() { l.addAfter(x, failures+1) })
	}
	l.mu.Unlock()
	if retry {
		l.log.Warn("mcp: a value that another replica has changed cannot be loaded, and is loaded again later",
			"uri", x.uri, "in", in, "err", err)
	}
}

// CheckLoads reports live values of f that cannot be what they are on the other replicas.
func CheckLoads(f *feature.Features) error {
	var errs []error
	for i := range f.Resources {
		if r := &f.Resources[i]; r.Value != nil && r.Value.Loadable() == feature.LoadsNever {
			errs = append(errs, fmt.Errorf("mcp: Options.Bus: the value of %s would differ on each replica: "+
				"give its Holder or Store a load function with LoadWith, or mark it with Local", r.URI()))
		}
	}
	return errors.Join(errs...)
}
