package relay

import (
	"encoding/base64"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
)

// Limits for signals and directed frames that wait to be published.
const (
	maxPending       = 10_000  // signals
	maxPendingText   = 4 << 20 // bytes of their texts
	maxDirects       = 1000
	maxDirectPayload = 8 << 20 // bytes of their payloads
)

var (
	// ErrFull is returned if a directed frame is too long, or finds no room in the queue.
	ErrFull = errors.New("relay: too many frames wait for the bus")
	// ErrOrigin is the error of a directed frame to an unknown replica.
	ErrOrigin = errors.New("relay: no such replica")
)

// pending has the signals, lists and directed frames that wait to be published.
type pending struct {
	// newEpoch says that signals were lost. The next frame begins an epoch, and the others resync because of it, so
	// signals need not be kept until then.
	newEpoch atomic.Bool

	kick chan struct{} // wakes the sender: something is pending

	mu      sync.Mutex
	signals map[Signal]struct{}
	text    int // bytes of their texts
	lists   Lists
	directs []frame
	payload int  // bytes of their payloads
	beat    bool // the next beat must not wait for its time
	kicked  bool // the sender was woken and has not taken anything yet
}

func (p *pending) init() {
	p.signals = make(map[Signal]struct{})
	p.kick = make(chan struct{}, 1)
}

// Note queues a signal for the other replicas. It never waits. It allocates nothing once the queue has been as long
// before.
func (r *Relay) Note(s Signal) {
	if !r.pending.note(s) {
		r.counts.overflows.Add(1)
	}
}

// NoteLists queues a message to the other replicas that these lists may have changed. It never waits.
func (r *Relay) NoteLists(l Lists) { r.pending.noteLists(l) }

// Direct sends payload to one replica. name is the result of [Relay.Origin] on that replica. The payload may be lost
// without an error. The error is [ErrFull] if payload is too long or too many wait, and [ErrOrigin] if there is no
// replica with this name. A replica that is not ready, or has just started, does not know all others and sends to every
// valid name. Direct never waits. It keeps payload, which must not be changed afterwards.
func (r *Relay) Direct(name string, payload []byte) error {
	id, err := base64.RawURLEncoding.Strict().DecodeString(name)
	if err != nil || len(id) != len(origin{}) {
		return ErrOrigin
	}
	if r.joined() && time.Since(r.began) > beatGap && !r.knows(origin(id)) { // else its beat may still come
		return ErrOrigin
	}
	return r.pending.direct(frame{from: r.origin, flags: flagDirect, to: origin(id), payload: payload})
}

// knows reports whether this replica knows a peer with this id that may still run.
func (r *Relay) knows(id origin) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.peers.mayRun(id, time.Now())
}

// note adds a signal, unless the next frame begins a new epoch anyway. It returns false if it finds no room for the
// signal; then the next frame begins a new epoch.
func (p *pending) note(s Signal) bool {
	if p.newEpoch.Load() {
		return true
	}
	fits := true
	p.mu.Lock()
	if _, noted := p.signals[s]; !noted {
		fits = len(p.signals) < maxPending && len(s.Text) <= min(maxText, maxPendingText-p.text)
		if fits {
			p.signals[s] = struct{}{}
			p.text += len(s.Text)
		} else {
			p.newEpoch.Store(!failpoint.On("relay-overflow-forgotten"))
		}
	}
	p.wakeLocked()
	return fits
}

// noteLists adds lists, unless the next frame begins a new epoch anyway.
func (p *pending) noteLists(l Lists) {
	if p.newEpoch.Load() {
		return
	}
	p.mu.Lock()
	if failpoint.On("relay-lists-overwritten") {
		p.lists = 0
	}
	p.lists |= l
	p.wakeLocked()
}

// direct adds a directed frame. The error is [ErrFull] if its payload is too long or too many wait.
func (p *pending) direct(f frame) error {
	p.mu.Lock()
	if len(f.payload) > maxPayload || len(p.directs) == maxDirects || p.payload+len(f.payload) > maxDirectPayload {
		p.mu.Unlock()
		return ErrFull
	}
	p.directs = append(p.directs, f)
	p.payload += len(f.payload)
	p.wakeLocked()
	return nil
}

// beatSoon makes the sender publish a beat at once.
func (p *pending) beatSoon() {
	p.mu.Lock()
	p.beat = true
	p.wakeLocked()
}

// wakeLocked unlocks p.mu. It wakes the sender unless it was already woken.
func (p *pending) wakeLocked() {
	first := !p.kicked
	p.kicked = true
	p.mu.Unlock()
	if first {
		select {
		case p.kick <- struct{}{}:
		default:
		}
	}
}

// batch is what the sender publishes next, taken from pending.
type batch struct {
	newEpoch bool
	beat     bool
	signals  []Signal
	lists    Lists
	directs  []frame

	spare map[Signal]struct{} // empty; the next pending.signals
}

// take moves all that is pending into b. Only the sender calls it.
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

// lose makes the next frame begin a new epoch, because a frame was not published.
func (p *pending) lose() { p.newEpoch.Store(true) }
