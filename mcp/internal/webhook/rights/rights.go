// Package rights remembers for a while what the program says of principals: which rights they have, and whether they
// still exist. A caller that must wait for an answer is told when it is there. No goroutine waits for it, and a program
// that takes long for one principal delays no other.
package rights

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

const (
	// patience is how long the program may take for an answer.
	patience = 5 * time.Second
	// pause is the time until it is asked again when it has failed.
	pause = time.Second
	// together is how many principals the program is asked about at the same time. At most half of these are principals
	// for which it has failed before.
	together = 64
	// maxLate is how many questions may go on that nobody waits for any more.
	maxLate = 1000
)

// Options are those of a [Book].
type Options[T comparable] struct {
	// Ask asks the program. The error is [event.ErrNoPrincipal] if there is no such principal. A nil Ask means that rights
	// never change.
	Ask func(ctx context.Context, subject string) (event.Caller, error)
	// For is how long an answer counts.
	For time.Duration
	// Gone ends what a principal had that is not there any more.
	Gone func(ctx context.Context, subject string) error
	// Again has those go on that have waited.
	Again func([]T)
	// Waits reports whether one that has waited still does.
	Waits func(T) bool
	// Failed is told of what has failed.
	Failed func(subject string, err error)
	// Life ends with the server.
	Life context.Context //nolint:containedctx // that of the goroutines of the book
}

// Book remembers answers. It is safe for concurrent use.
type Book[T comparable] struct {
	o Options[T]

	mu       sync.Mutex
	known    map[string]*page[T]
	queue    []string // to be asked for
	failed   []string // to be asked for once more
	running  int
	retrying int // of those that run
	late     int
	closed   bool
	runs     sync.WaitGroup // of what runs
}

// page is what is known of one principal.
type page[T comparable] struct {
	caller  event.Caller
	at      time.Time // of the answer; zero for none
	asking  bool
	again   bool // the answer that comes is too old
	waiting map[T]struct{}
}

// New returns a book in which nothing is.
func New[T comparable](o Options[T]) *Book[T] { return &Book[T]{o: o, known: map[string]*page[T]{}} }

// Known returns the rights of who has had some, as they were known last. They are sure if that is not long ago.
func (b *Book[T]) Known(was event.Caller) (now event.Caller, sure bool) {
	if b.o.Ask == nil {
		return was, true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.known[was.Subject]
	if p == nil || p.at.IsZero() {
		return was, false
	}
	return p.caller, time.Since(p.at) < b.o.For
}

// Await asks for the rights of a principal. Again is called with who when they are known.
func (b *Book[T]) Await(subject string, who T) {
	if b.o.Ask == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.known[subject]
	if p == nil {
		p = &page[T]{waiting: map[T]struct{}{}}
		b.known[subject] = p
	}
	p.waiting[who] = struct{}{}
	if !p.asking {
		p.asking = true
		b.queue = append(b.queue, subject)
		b.startLocked()
	}
}

// Forget says that the rights of a principal may have changed.
func (b *Book[T]) Forget(subject string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.known[subject]; p != nil {
		p.at, p.again = time.Time{}, p.asking
	}
}

// Tidy forgets answers that do not count any more.
func (b *Book[T]) Tidy() {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.known, func(_ string, p *page[T]) bool { return !p.asking && time.Since(p.at) >= b.o.For })
}

// Close asks about no further principals. It returns the group of goroutines that still wait for an answer; they end
// soon after Life has ended, even if the program does not answer.
func (b *Book[T]) Close() *sync.WaitGroup {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return &b.runs
}

// startLocked has the program asked for those in the queues.
func (b *Book[T]) startLocked() {
	if b.running < together && !b.closed {
		b.running++
		b.runs.Go(b.run)
	}
}

// run asks for those in the queues.
func (b *Book[T]) run() {
	for {
		b.mu.Lock()
		subject, retry := b.nextLocked()
		if subject == "" {
			b.running--
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		b.serve(subject)
		if retry {
			b.mu.Lock()
			b.retrying--
			b.mu.Unlock()
		}
	}
}

// nextLocked takes the next one out of the queues; "" for none.
func (b *Book[T]) nextLocked() (subject string, retry bool) {
	switch {
	case b.o.Life.Err() != nil:
	case len(b.queue) > 0:
		subject, b.queue = b.queue[0], b.queue[1:]
	case len(b.failed) > 0 && b.retrying < together/2:
		subject, b.failed = b.failed[0], b.failed[1:]
		b.retrying++
		return subject, true
	}
	return subject, false
}

// serve asks for a principal.
func (b *Book[T]) serve(subject string) {
	caller, err := b.ask(subject)
	if errors.Is(err, event.ErrNoPrincipal) {
		err = b.o.Gone(b.o.Life, subject)
		if err == nil {
			b.mu.Lock()
			delete(b.known, subject)
			b.mu.Unlock()
			return
		}
	}
	b.answered(subject, caller, err)
}

// answered takes an answer. Without one the program is asked again soon.
func (b *Book[T]) answered(subject string, caller event.Caller, err error) {
	if err != nil {
		b.o.Failed(subject, err)
		time.AfterFunc(pause, func() { b.retry(subject) })
		return
	}
	caller.Subject = subject
	b.mu.Lock()
	p := b.known[subject]
	if p.again {
		p.again = false
		b.queue = append(b.queue, subject)
		b.startLocked()
		b.mu.Unlock()
		return
	}
	p.caller, p.at, p.asking = caller, time.Now(), false
	waiting := slices.Collect(maps.Keys(p.waiting))
	clear(p.waiting)
	b.mu.Unlock()
	b.o.Again(waiting)
}

// retry asks again, unless nobody waits any more.
func (b *Book[T]) retry(subject string) {
	b.mu.Lock()
	p := b.known[subject]
	left := slices.Collect(maps.Keys(p.waiting))
	b.mu.Unlock()
	left = slices.DeleteFunc(left, b.o.Waits)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, who := range left {
		delete(p.waiting, who)
	}
	if len(p.waiting) == 0 {
		delete(b.known, subject)
		return
	}
	b.failed = append(b.failed, subject)
	b.startLocked()
}

// answer is what the program says.
type answer struct {
	caller event.Caller
	err    error
}

var errLate = fmt.Errorf("the program has not said within %v what rights a principal has", patience)

// ask asks the program, whatever it does.
func (b *Book[T]) ask(subject string) (event.Caller, error) {
	b.mu.Lock()
	late := b.late
	b.mu.Unlock()
	if late >= maxLate {
		return event.Caller{}, errLate
	}
	ctx, cancel := context.WithTimeout(b.o.Life, patience)
	defer cancel()
	said := make(chan answer, 1)
	go func() {
		a := answer{err: errLate} // also if the goroutine is ended
		defer func() {
			if v := recover(); v != nil {
				a = answer{err: fmt.Errorf("the program has panicked: %v", v)}
			}
			said <- a
		}()
		a.caller, a.err = b.o.Ask(ctx, subject)
	}()
	select {
	case a := <-said:
		return a.caller, a.err
	case <-ctx.Done():
	}
	b.count(1)
	go func() {
		<-said
		b.count(-1)
	}()
	return event.Caller{}, errLate
}

func (b *Book[T]) count(n int) {
	b.mu.Lock()
	b.late += n
	b.mu.Unlock()
}
