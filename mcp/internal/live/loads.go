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

// Limits for loads of values that another replica has changed.
const (
	maxLoads      = 4      // loads that run at the same time
	maxLoadsAhead = 10_000 // loads that wait; beyond that the whole value is loaded in place of a part
	loadTimeout   = 10 * time.Second
	loadAllTime   = time.Minute
	loadAgain     = 500 * time.Millisecond // pause after the first failure; doubled after each further one
	loadAgainMost = 30 * time.Second
	maxLoadRuns   = 10 // how often one load is repeated because the value has changed meanwhile
)

// errLoadRuns is the error of a load if the program has changed the value during each of maxLoadRuns runs.
var errLoadRuns = errors.New("the value changes all the time")

// load identifies the work to load a live value, or the part of it at a URI, because it may have changed on another
// replica.
type load struct {
	value feature.LiveValue
	uri   string // "" for the whole value
}

// Loads loads live values that other replicas have changed. It does so on goroutines of its own, because the goroutine
// of the bus must not wait. The same load does not run twice at the same time.
type Loads struct {
	log    *slog.Logger
	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup // for workers; Add under mu and only if not closed

	mu      sync.Mutex
	closed  bool
	wanted  map[load]int         // loads not yet begun, with the number of times that each has failed
	queue   []load               // the loads of wanted, in the order in which they were added
	busy    map[load]struct{}    // loads that run; they may be wanted again
	later   map[load]*time.Timer // loads that have failed; the timer makes the load wanted again
	workers int
}

// Init makes l ready to use.
func (l *Loads) Init(log *slog.Logger) {
	l.log = log
	l.wanted, l.busy, l.later = map[load]int{}, map[load]struct{}{}, map[load]*time.Timer{}
	l.ctx, l.cancel = context.WithCancel(context.Background())
}

// Close cancels all loads and waits until they have ended, for at most a second.
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

// Add queues a load of the part of value at uri, or of the whole value if uri is "". It does nothing if value is nil or
// cannot be loaded again. It never waits.
func (l *Loads) Add(value feature.LiveValue, uri string) {
	if value != nil && value.Loadable() == feature.LoadsAgain {
		l.addAfter(load{value, uri}, 0)
	}
}

// addAfter queues a load that has already failed the given number of times.
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

// work runs loads until none is wanted.
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

// next takes the first load of the queue that does not run already. If there is none, ok is false, and the worker must
// end.
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

// run runs x, and passes its error to done. A panic counts as an error.
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

// done is called when x has run. If err is not nil, it plans another run after a pause.
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

// CheckLoads returns an error for each live value of f that would differ between replicas, because it cannot be loaded
// again and is not local.
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
