package relay

import (
	"encoding/base64"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

// Bounds of what waits to be published.
const (
	maxPending       = 10_000  // signals
	maxPendingText   = 4 << 20 // bytes of their texts
	maxDirects       = 1000
	maxDirectPayload = 8 << 20 // bytes of their payloads
)

var (
	// ErrFull is the error of a directed frame that has no room in the queue.
	ErrFull = errors.New("relay: too many frames wait for the bus")
	// ErrOrigin is the error of a directed frame to an unknown replica.
	ErrOrigin = errors.New("relay: no such replica")
)

// pending has what is still to be published.
type pending struct {
	// newEpoch says that signals were lost, so the next frame begins an epoch. That makes the others resync, so until then
	// signals need not be kept.
	newEpoch atomic.Bool

	mu      sync.Mutex
	signals map[Signal]struct{}
	text    int // bytes of their texts
	lists   Lists
	directs []frame
	payload int  // bytes of their payloads
	beat    bool // a beat is wanted before its time
	kicked  bool // the sender knows that there is something
}

func (p *pending) init() { p.signals = make(map[Signal]struct{}) }

// Note remembers a signal for the other replicas. It never waits, and allocates nothing once the set has had its size.
func (r *Relay) Note(s Signal) {
	p := &r.pending
	if p.newEpoch.Load() {
		return
	}
	p.mu.Lock()
	if _, noted := p.signals[s]; !noted {
		if len(p.signals) < maxPending && len(s.Text) <= min(maxText, maxPendingText-p.text) {
			p.signals[s] = struct{}{}
			p.text += len(s.Text)
		} else {
			r.counts.overflows.Add(1)
			p.newEpoch.Store(!failpoint.On("relay-overflow-forgotten"))
		}
	}
	r.wakeLocked()
}

// NoteLists remembers that lists may have changed. It never waits.
func (r *Relay) NoteLists(l Lists) {
	if r.pending.newEpoch.Load() {
		return
	}
	r.pending.mu.Lock()
	if failpoint.On("relay-lists-overwritten") {
		r.pending.lists = 0
	}
	r.pending.lists |= l
	r.wakeLocked()
}

// Direct sends payload to one replica; to is what [Relay.Origin] of that replica has returned. The payload may be lost
// without an error. The error is [ErrFull], or [ErrOrigin] if this replica does not know the other one. It knows all
// replicas once it is ready and has run for the time between two beats. Direct never waits, and keeps payload.
func (r *Relay) Direct(to string, payload []byte) error {
	id, err := base64.RawURLEncoding.Strict().DecodeString(to)
	if err != nil || len(id) != len(origin{}) {
		return ErrOrigin
	}
	if r.joined() && time.Since(r.began) > beatGap && !r.knows(origin(id)) { // before that a beat may still be to come
		return ErrOrigin
	}
	p := &r.pending
	p.mu.Lock()
	if len(payload) > maxPayload || len(p.directs) == maxDirects || p.payload+len(payload) > maxDirectPayload {
		p.mu.Unlock()
		return ErrFull
	}
	p.directs = append(p.directs, frame{from: r.origin, flags: flagDirect, to: origin(id), payload: payload})
	p.payload += len(payload)
	r.wakeLocked()
	return nil
}

// beatSoon asks for a beat before its time.
func (r *Relay) beatSoon() {
	r.pending.mu.Lock()
	r.pending.beat = true
	r.wakeLocked()
}

// wakeLocked unlocks pending and wakes the sender, unless it is awake.
func (r *Relay) wakeLocked() {
	first := !r.pending.kicked
	r.pending.kicked = true
	r.pending.mu.Unlock()
	if first {
		select {
		case r.kick <- struct{}{}:
		default:
		}
	}
}

// batch is what the sender publishes next.
type batch struct {
	newEpoch bool
	beat     bool
	signals  []Signal
	lists    Lists
	directs  []frame

	spare map[Signal]struct{} // empty; the next pending.signals
}

// take moves what is pending into b. Only the sender calls it.
func (p *pending) take(b *batch) {
	if b.spare == nil {
		b.spare = make(map[Signal]struct{})
	}
	p.mu.Lock()
	taken := p.signals
	p.signals, b.spare = b.spare, taken
	b.newEpoch, b.beat, b.lists, b.directs = p.newEpoch.Swap(false), p.beat, p.lists, p.directs
	p.beat, p.lists, p.directs, p.text, p.payload, p.kicked = false, 0, nil, 0, 0, false
	p.mu.Unlock()
	b.signals = b.signals[:0]
	if b.newEpoch {
		b.lists = 0 // the new epoch makes the others resync
	} else {
		for s := range taken {
			b.signals = append(b.signals, s)
		}
	}
	clear(taken)
}

// lose makes the next frame begin a new epoch, because something was not published.
func (p *pending) lose() { p.newEpoch.Store(true) }
