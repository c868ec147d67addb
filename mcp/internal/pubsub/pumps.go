package pubsub

import (
	"sync"
	"time"
)

// pumps runs the pumps of all outboxes of a hub when they are due, one after another on a few goroutines: an update to
// thousands of clients starts neither a timer nor a goroutine for each.
//
// A pump may block, because a client does not read or an authorizer takes long. So while pumps are due, there is always
// one spare goroutine to run the next pump, as soon as a processor is free or another goroutine blocks. So no pump
// waits behind a slow client, and there are only as many goroutines as needed.
type pumps struct {
	now  func() time.Duration // of the hub
	runs func()               // the method run as a value, made once, so that starting it allocates nothing

	mu    sync.Mutex
	queue []pumpDue // a heap with the outbox that is due first at the front
	timer *time.Timer
	until time.Duration // when timer fires; 0 if it is not set
	spare bool          // a goroutine was started and has not taken the lock yet
}

// pumpDue is an outbox whose pump is to run.
type pumpDue struct {
	at  time.Duration
	out *Outbox
}

// arm makes the pump of o run at the time due. It replaces the time of an earlier call.
func (p *pumps) arm(o *Outbox, due time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.place == 0 {
		p.queue = append(p.queue, pumpDue{})
		o.place = len(p.queue)
	}
	p.settleLocked(o.place-1, pumpDue{due, o})
	if o.place == 1 {
		p.wakeLocked(p.now())
	}
}

// disarm undoes arm. It does nothing if o is not queued.
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

// runOneLocked releases the lock, runs the pump of o, and takes the lock again, even if an authorizer or a writer ends
// the goroutine.
func (p *pumps) runOneLocked(o *Outbox) {
	p.mu.Unlock()
	defer p.mu.Lock()
	o.pump()
}

// removeLocked removes the element of queue at index i.
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

// maxSparePumps is the largest capacity of queue that is kept when it is empty.
const maxSparePumps = 1 << 10

// settleLocked replaces the element of queue at index i by d, and restores the order of the heap.
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

// pump writes the messages that are due, and arms the pump for the next ones.
func (o *Outbox) pump() {
	o.mu.Lock()
	if o.state == pumpRunning {
		o.mu.Unlock()
		return // another goroutine runs the pump
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
