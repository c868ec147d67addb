package pubsub

import (
	"sync"
	"time"
)

// pumps runs the pumps of all outboxes of a hub when they are due, one after another on a few goroutines: an update to
// thousands of clients starts neither a timer nor a goroutine for each.
//
// A pump may wait for a client that does not read, or for an authorizer. So while pumps are due, one more goroutine is
// always ready to take the next pump. It runs as soon as a processor is free or another goroutine waits. So no pump
// waits behind a slow client, and there are only as many goroutines as that needs.
type pumps struct {
	now  func() time.Duration // of the hub
	runs func()               // the method run, bound once, so that starting it allocates nothing

	mu    sync.Mutex
	queue []pumpDue // a heap, what is due first at the front
	timer *time.Timer
	until time.Duration // when timer fires; 0 if it is not set
	spare bool          // a goroutine is about to run, or to run again
}

// pumpDue is an outbox whose pump is to run.
type pumpDue struct {
	at  time.Duration
	out *Outbox
}

// arm makes the pump of o run at the time at, whatever an earlier call has said.
func (p *pumps) arm(o *Outbox, at time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.place == 0 {
		p.queue = append(p.queue, pumpDue{})
		o.place = len(p.queue)
	}
	p.settleLocked(o.place-1, pumpDue{at, o})
	if o.place == 1 {
		p.wakeLocked(p.now())
	}
}

// disarm undoes arm.
func (p *pumps) disarm(o *Outbox) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.place > 0 {
		p.removeLocked(o.place - 1)
	}
}

// wakeLocked makes sure that a goroutine runs the first pump when it is due.
func (p *pumps) wakeLocked(now time.Duration) {
	if p.spare || len(p.queue) == 0 {
		return
	}
	first := p.queue[0].at
	if first <= now {
		p.spare = true
		go p.runs()
		return
	}
	if p.until > now && p.until <= first {
		return
	}
	p.until = first
	if p.timer == nil {
		p.timer = time.AfterFunc(first-now, p.runs)
	} else {
		p.timer.Reset(first - now)
	}
}

// run runs pumps until none is due.
func (p *pumps) run() {
	p.mu.Lock()
	p.spare = false
	defer p.mu.Unlock()
	for now := p.now(); len(p.queue) > 0 && p.queue[0].at <= now; now = p.now() {
		o := p.queue[0].out
		p.removeLocked(0)
		p.wakeLocked(now)
		p.runOneLocked(o)
	}
	p.wakeLocked(p.now())
}

// runOneLocked runs the pump of o without the lock. An authorizer or a writer may end this goroutine.
func (p *pumps) runOneLocked(o *Outbox) {
	p.mu.Unlock()
	defer p.mu.Lock()
	o.pump()
}

// removeLocked removes the element at an index of queue.
func (p *pumps) removeLocked(i int) {
	last := len(p.queue) - 1
	moved := p.queue[last]
	p.queue[i].out.place = 0
	p.queue[last] = pumpDue{}
	p.queue = p.queue[:last]
	if i < last {
		p.settleLocked(i, moved)
	}
	if last == 0 && cap(p.queue) > maxSparePumps {
		p.queue = nil
	}
}

// maxSparePumps is the largest capacity of an empty queue that is kept.
const maxSparePumps = 1 << 10

// settleLocked puts d into queue, in place of the element at an index, and restores the order.
func (p *pumps) settleLocked(i int, d pumpDue) {
	for i > 0 && p.queue[(i-1)/2].at > d.at {
		p.putLocked(i, p.queue[(i-1)/2])
		i = (i - 1) / 2
	}
	for {
		next := 2*i + 1
		if next+1 < len(p.queue) && p.queue[next+1].at < p.queue[next].at {
			next++
		}
		if next >= len(p.queue) || p.queue[next].at >= d.at {
			break
		}
		p.putLocked(i, p.queue[next])
		i = next
	}
	p.putLocked(i, d)
}

func (p *pumps) putLocked(i int, d pumpDue) {
	p.queue[i] = d
	d.out.place = i + 1
}

// pump writes what is due, and arms itself for the next time.
func (o *Outbox) pump() {
	o.mu.Lock()
	if o.state == pumpRunning {
		o.mu.Unlock()
		return // another goroutine runs it
	}
	o.state = pumpRunning
	o.mu.Unlock()
	o.pumpOn()
}

// pumpOn is the loop of pump.
func (o *Outbox) pumpOn() {
	whole := false
	defer func() {
		if !whole { // an authorizer or the writer has ended this goroutine
			go o.pumpOn()
		}
	}()
	for more := true; more; {
		more = o.step()
	}
	whole = true
}
