package relay

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

var (
	errDown = errors.New("the broker is down")
	errSlow = errors.New("the broker is slow")
)

// badBus is a broker that drops, repeats, reorders, disconnects and lies.
type badBus struct {
	mu    sync.Mutex
	rnd   *rand.Rand
	subs  map[*badSub]struct{}
	down  bool
	calm  bool // no faults any more
	tame  bool // and frames arrive in order, at once
	drop  int  // of 100
	fails int  // so many calls of Publish
}

// badSub is the connection of one replica.
type badSub struct {
	from *badPort
	in   chan []byte
	cut  chan struct{}
	once sync.Once
}

func (s *badSub) end() { s.once.Do(func() { close(s.cut) }) }

// badPort is what one replica has of the broker. A deaf one receives nothing, and what a mute one publishes goes
// nowhere.
type badPort struct {
	*badBus
	deaf, mute bool // guarded by mu
	lies       bool // and it gets no error
	gone       bool // it has no connection, and gets none
	side       int  // of a broker that is split
	deafTo     *badPort

	stopped chan struct{} // closed when the process goes on; nil if it does not stand still
}

// stop makes the process stand still until the function is called that it returns.
func (p *badPort) stop() (goOn func()) {
	ch := make(chan struct{})
	p.set(func() { p.stopped = ch })
	return func() {
		p.set(func() { p.stopped = nil })
		close(ch)
	}
}

func (p *badPort) isStopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stopped != nil
}

// await waits while the process stands still.
func (p *badPort) await() {
	p.mu.Lock()
	ch := p.stopped
	p.mu.Unlock()
	if ch != nil {
		<-ch
	}
}

func (p *badPort) Publish(_ context.Context, frame []byte) error {
	p.await()
	at, err := p.publish(frame)
	for _, s := range at { // without the lock, which who receives needs
		select {
		case s.in <- frame:
		case <-s.cut:
		}
	}
	return err
}

// publish returns who is to get the frame at once.
func (p *badPort) publish(frame []byte) (at []*badSub, err error) {
	b := p.badBus
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.down, p.gone, b.fails > 0:
		b.fails = max(0, b.fails-1)
		return nil, errDown
	case p.mute && p.lies:
		return nil, nil
	case p.mute, !b.calm && b.drop > 0 && b.rnd.IntN(20) == 0:
		return nil, errSlow
	}
	for s := range b.subs {
		if b.tame {
			if s.hears(p) {
				at = append(at, s)
			}
			continue
		}
		for range b.copies(p, s) {
			wait := time.Duration(b.rnd.IntN(2000)) * time.Microsecond
			if !b.calm && b.drop > 0 && b.rnd.IntN(10) == 0 {
				wait += time.Duration(b.rnd.IntN(300)) * time.Millisecond // reordered
			}
			time.AfterFunc(wait, func() {
				select {
				case s.in <- frame:
				case <-s.cut:
				}
			})
		}
	}
	return at, nil
}

// copies is how often a frame of p reaches s.
func (b *badBus) copies(p *badPort, s *badSub) int {
	if !s.hears(p) {
		return 0
	}
	if b.calm {
		return 1
	}
	switch x := b.rnd.IntN(100); {
	case x < b.drop:
		return 0 // without a word
	case x < b.drop+5:
		return 2
	}
	return 1
}

func (p *badPort) Subscribe(ctx context.Context, receive func([]byte), gap func()) error {
	b := p.badBus
	s := &badSub{from: p, in: make(chan []byte, 1000), cut: make(chan struct{})}
	b.mu.Lock()
	if b.down || p.gone {
		b.mu.Unlock()
		return errDown
	}
	b.subs[s] = struct{}{}
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		delete(b.subs, s)
		b.mu.Unlock()
		s.end()
	}()
	gap()
	for {
		select {
		case f := <-s.in:
			p.await()
			receive(f)
		case <-s.cut:
			return errDown
		case <-ctx.Done():
			return nil
		}
	}
}

// hears reports whether what p publishes may reach s.
func (s *badSub) hears(p *badPort) bool {
	return !s.from.deaf && s.from.side == p.side && s.from.deafTo != p
}

// disconnect takes the connection of p, or gives it back.
func (p *badPort) disconnect(gone bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = gone
	for s := range p.subs {
		if gone && s.from == p {
			s.end()
		}
	}
}

// restart takes the broker away for a while.
func (b *badBus) restart(d time.Duration) {
	b.mu.Lock()
	b.down = true
	for s := range b.subs {
		s.end()
	}
	b.mu.Unlock()
	time.Sleep(d)
	b.mu.Lock()
	b.down = false
	b.mu.Unlock()
}

// set changes the faults of the broker.
func (b *badBus) set(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}
