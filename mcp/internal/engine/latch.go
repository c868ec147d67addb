package engine

import "sync/atomic"

// Latch is a channel that is closed once. The channel is made only when somebody waits for it, because most connections
// end without that. The zero value is open; a Latch must not be copied after its first use. It is safe for concurrent
// use.
type Latch struct{ c atomic.Pointer[latchChan] }

type latchChan struct{ c chan struct{} }

// closedLatch is what every closed Latch has.
var closedLatch = func() *latchChan {
	c := make(chan struct{})
	close(c)
	return &latchChan{c}
}()

// Done returns the channel.
func (l *Latch) Done() <-chan struct{} {
	if c := l.c.Load(); c != nil {
		return c.c
	}
	l.c.CompareAndSwap(nil, &latchChan{make(chan struct{})})
	return l.c.Load().c
}

// IsClosed reports whether the channel is closed.
func (l *Latch) IsClosed() bool { return l.c.Load() == closedLatch }

// Close closes the channel. It does nothing the second time.
func (l *Latch) Close() {
	if c := l.c.Swap(closedLatch); c != nil && c != closedLatch {
		close(c.c)
	}
}
