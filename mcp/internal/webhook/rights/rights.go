// Package rights remembers for a while what the program says of principals: which rights they have, and whether they
// still exist. If an answer is not known yet, whoever needs it is called back when it comes, and need not block. A
// program that takes long for one principal does not delay the answers for others.
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
	// patience is how long the program may take to return the rights of a principal.
	patience = 5 * time.Second
	// pause is the time after which the program is asked again if it has failed.
	pause = time.Second
	// together is about how many principals the program is asked at the same time. At most half of these are principals
	// for which it has failed before.
	together = 64
	// maxLate limits the calls of the program that still run although nobody waits for them.
	maxLate = 1000
)

// Options configures a [Book].
type Options[T comparable] struct {
	// Ask asks the program. The error is [event.ErrNoPrincipal] if there is no such principal. A nil Ask means that rights
	// never change.
	Ask func(ctx context.Context, subject string) (event.Caller, error)
	// For is how long an answer counts.
	For time.Duration
	// Gone removes what belongs to a principal that does not exist any more.
	Gone func(ctx context.Context, subject string) error
	// Again is called with those that have waited by [Book.Await], once the answer is known.
	Again func([]T)
	// Waits reports whether somebody who has waited by Await still needs the answer.
	Waits func(T) bool
	// Failed is called with the error of Ask or Gone.
	Failed func(subject string, err error)
	// Life ends with the server.
	Life context.Context //nolint:containedctx // that of the goroutines of the book
}

// Book remembers the rights of principals that the program has returned. It is safe for concurrent use.
type Book[T comparable] struct {
	o Options[T]

	mu       sync.Mutex
	known    map[string]*page[T]
	queue    []string // principals to be asked about
	failed   []string // principals to be asked about once more
	running  int      // goroutines that ask
	retrying int      // of these, those that ask once more
	late     int      // calls of the program for which nobody waits any more
	closed   bool
	runs     sync.WaitGroup // of the goroutines that ask
}

// page is what a book has about one principal.
type page[T comparable] struct {
	caller  event.Caller
	at      time.Time // of the answer; zero for none
	asking  bool
	again   bool // the program is to be asked once more, because rights may have changed since it was asked
	waiting map[T]struct{}
}

// New returns an empty book.
func New[T comparable](o Options[T]) *Book[T] { return &Book[T]{o: o, known: map[string]*page[T]{}} }

// Known returns the rights of a caller as the program has last returned them. If sure is false they do not count any
// more, or are not known; then current may be the caller as given. With a nil Ask the caller as given counts.
func (b *Book[T]) Known(caller event.Caller) (current event.Caller, sure bool) {
	if b.o.Ask == nil {
		return caller, true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.known[caller.Subject]
	if p == nil || p.at.IsZero() {
		return caller, false
	}
	return p.caller, time.Since(p.at) < b.o.For
}

// Await asks for the rights of a principal. When they are known, Again is called with waiter. With a nil Ask nothing
// happens.
func (b *Book[T]) Await(subject string, waiter T) {
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
	p.waiting[waiter] = struct{}{}
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

// Tidy removes rights that are too old.
func (b *Book[T]) Tidy() {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.known, func(_ string, p *page[T]) bool { return !p.asking && time.Since(p.at) >= b.o.For })
}

// Close makes the book ask no further questions. It returns the group of goroutines that wait for an answer; they end
// soon after Life has ended, even if the program does not answer.
func (b *Book[T]) Close() *sync.WaitGroup {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return &b.runs
}

// startLocked starts a goroutine for the principals in the queues, unless there are enough.
func (b *Book[T]) startLocked() {
	if b.running < together && !b.closed {
		b.running++
		b.runs.Go(b.run)
	}
}

// run asks about the principals in the queues.
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

// nextLocked takes the next principal out of the queues; "" if they are empty, or Life has ended. retry says that the
// program has failed for this principal before.
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

// serve asks about one principal. If it does not exist any more, serve calls Options.Gone.
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

// answered takes the answer of the program. After an error the program is asked again soon.
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

// answer is the result of a call of the program.
type answer struct {
	caller event.Caller
	err    error
}

var errLate = fmt.Errorf("the program has not said within %v what rights a principal has", patience)

// ask calls the program. A panic becomes an error, and a call that takes too long is given up.
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
