package relay

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
)

// The times of the relay.
const (
	beatGap     = 5 * time.Second        // between two beats
	eagerGap    = 200 * time.Millisecond // between two beats of a replica that is not ready, or that answers peers
	silence     = 3 * beatGap            // after it a peer is missing
	hush        = beatGap * 3 / 2        // after it a peer has missed a beat
	keepLost    = time.Hour              // how long the place of a lost peer is kept
	deafAfter   = beatGap + 2*watchGap   // without its own echo, a replica cannot say who is silent
	watchGap    = time.Second            // between two looks at the peers
	differFor   = 2 * beatGap            // after it a difference of digests is not due to frames under way
	publishTime = time.Second            // the most that one Publish may take
	retryFirst  = 100 * time.Millisecond // after a failure; doubled each time
	retryMost   = time.Second
	resyncSoon  = 250 * time.Millisecond // from the first sign of a loss to the resync
	resyncGap   = 2 * time.Second        // between two resyncs
	// resyncSettled is the time from a new connection to the resync. In it the other replicas connect too, and tell if
	// they could not publish something.
	resyncSettled = 3 * time.Second

	// MaxBlind is how long a replica serves streams without hearing itself.
	MaxBlind = 30 * time.Second
)

// maxPeers bounds the replicas that one replica knows. It cannot tell further ones apart, so each frame of theirs
// counts as a sign of a loss.
const maxPeers = 1024

// maxListed is how many peers a beat lists, besides those that have asked for it. With no more peers than that a beat
// lists all.
const maxListed = 64

// Kind is a kind of signal.
type Kind uint8

// The kinds of signals. A kind that a replica does not know counts as a loss.
const (
	// Updated says that the resource with a URI may have changed.
	Updated Kind = iota + 1
	// Reloaded is Updated by a replica that has heard of the change from another one. Replicas that load values need
	// not load them again.
	Reloaded
	// Instances says that all instances of a declared resource or template may have changed. The text is its URI.
	Instances
	// Session says that the stored record of a session has changed, and Ended that a session has ended. The text
	// identifies the session.
	Session
	Ended
)

// Signal is one thing that may have changed on the replica that sends it.
type Signal struct {
	Kind Kind
	Text string
}

// Lists is a set of lists that may have changed: the bit 1<<k is that of list k.
type Lists uint16

// Digests are hashes of the lists of a replica. They are equal if the lists are.
type Digests struct {
	Declared uint64 // of what the program declares
	Added    uint64 // of the tools that were added at run time
}

// Bus has the methods of replica.Bus that a relay needs.
type Bus interface {
	Publish(ctx context.Context, frame []byte) error
	Subscribe(ctx context.Context, receive func(frame []byte), gap func()) error
}

// Receiver is the server of a replica. Its methods are called without a lock, by several goroutines.
type Receiver interface {
	// Deliver and DeliverLists tell the clients of this replica what another one has signalled. The goroutine of the
	// bus calls them: they must not block.
	Deliver(s Signal)
	DeliverLists(l Lists)
	// Direct takes the payload of a frame that another replica has sent to this one only. It must not block.
	Direct(from string, payload []byte)
	// Resync tells all clients that everything may have changed.
	Resync()
	// Blind ends the streams of all clients visibly. [Relay.Fenced] is true then.
	Blind()
	// Digests returns those of the lists of this replica now.
	Digests() Digests
	// Differ tells clients that the lists of the replicas differ, or do so no more. The tools that were added differ if
	// added is true.
	Differ(added bool)
}

// Config is what [New] needs.
type Config struct {
	Bus Bus
	// Name is that of the server. Frames of other servers on the same bus do not open.
	Name     string
	Box      seal.Box
	Log      *slog.Logger
	Receiver Receiver
	// Expected is how many replicas there should be, this one included; 0 if that is not known.
	Expected int

	without rule          // that tests leave out
	listed  int           // instead of maxListed, if it is not 0
	clock   time.Duration // how far the clock is off, in tests
}

// rule names rules that tests leave out, to see what they make up for.
type rule uint8

const (
	everyRule rule = iota // none is left out
	ruleSeq
	ruleEpoch
	ruleSilence
	ruleNewcomer
	ruleEnds // ruleSilence and ruleNewcomer
	ruleOthers
	ruleBeatAndSilence
	ruleGap
)

// silence and newcomer report whether these rules are left out.
func (r rule) silence() bool  { return r == ruleSilence || r == ruleEnds || r == ruleBeatAndSilence }
func (r rule) newcomer() bool { return r == ruleNewcomer || r == ruleEnds || r == ruleBeatAndSilence }

// Relay connects one replica to the others. It is safe for concurrent use.
type Relay struct {
	Config

	origin  origin
	began   time.Time
	purpose []byte
	ctx     context.Context // of the calls of the bus
	cancel  context.CancelFunc
	stop    chan struct{} // closed by Close
	once    sync.Once
	running sync.WaitGroup
	pending pending
	kick    chan struct{} // of the sender: something is pending
	counts  counts

	ready, fenced atomic.Bool
	quiet         atomic.Bool  // it publishes nothing, because nobody can open it
	clockOff      atomic.Bool  // its clock is not that of the others
	silent        atomic.Bool  // it does not say that it ends
	unheard       atomic.Bool  // most peers that have heard it do not hear it any more
	live          atomic.Int64 // replicas heard, this one included

	mu         sync.Mutex
	peers      map[origin]*peer
	echo       instant   // of the last frame of its own that it has heard
	echoAt     time.Time // when; at first, when it began
	hearsFrom  time.Time // since when it has not been deaf
	amongAt    time.Time // when it heard itself last, and was not apart
	echoes     int       // how often that was since it began, or was fenced
	strangeAt  time.Time // when it got a frame with a key that it does not have
	apartAt    time.Time // when it was apart last, before it was ready for the first time
	apartFrom  time.Time // since when it has been apart without a quiet time; else zero
	quietTo    time.Time // until when it is quiet
	quietTime  time.Duration
	wasReady   bool
	wasUnheard bool        // at the look before
	resync     *time.Timer // nil if none is to come
	resynced   time.Time
	differs    difference
	state      State // at the last look; used by watch alone
	warned     bool  // of frames with an unknown key
	greeted    time.Time
}

// instant is the place of a frame in the sequence of its sender.
type instant struct{ epoch, seq uint64 }

// isAfter reports whether a is later than b.
func (a instant) isAfter(b instant) bool {
	return a.epoch > b.epoch || a.epoch == b.epoch && a.seq > b.seq
}

// New connects a replica, and returns without waiting for the bus. The caller closes the relay.
func New(c Config) *Relay {
	r := &Relay{Config: c, stop: make(chan struct{}), kick: make(chan struct{}, 1), peers: map[origin]*peer{}}
	binary.NativeEndian.PutUint64(r.origin[:], rand.Uint64())  //nolint:gosec // no secret: frames are sealed
	binary.NativeEndian.PutUint64(r.origin[8:], rand.Uint64()) //nolint:gosec // as above
	r.purpose = append([]byte("b"), c.Name...)
	if failpoint.On("relay-any-server") {
		r.purpose = r.purpose[:1]
	}
	r.began = time.Now()
	r.echoAt, r.amongAt = r.began, r.began
	r.live.Store(1)
	r.pending.init()
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.running.Go(r.send)
	r.running.Go(r.listen)
	r.running.Go(r.watch)
	return r
}

// Origin returns the name of this replica, to which others can send directed frames: letters, digits, - and _.
func (r *Relay) Origin() string { return r.origin.String() }

func (o origin) String() string { return base64.RawURLEncoding.EncodeToString(o[:]) }

// Fenced reports whether this replica has not heard itself for [MaxBlind]: it serves no streams.
func (r *Relay) Fenced() bool { return r.fenced.Load() }

// Heard counts the replicas that this one hears, itself included.
func (r *Relay) Heard() int { return int(r.live.Load()) }

// closeTime is how long Close waits for an adapter that does not return.
const closeTime = 3 * time.Second

// Abandon is Close for a replica that may still make changes afterwards. The others are not told that it ends; they
// notice it as for a replica that was killed.
func (r *Relay) Abandon() {
	r.silent.Store(true)
	r.Close()
}

// Close publishes what is pending, tells the other replicas that this one ends, and disconnects. It takes at most three
// seconds.
func (r *Relay) Close() {
	r.once.Do(func() { close(r.stop) })
	ended := make(chan struct{})
	go func() {
		r.running.Wait()
		close(ended)
	}()
	t := time.NewTimer(closeTime)
	defer t.Stop()
	select {
	case <-ended:
	case <-t.C:
		r.Log.Warn("mcp: the bus ignores that its context has ended")
	}
	r.cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.resync != nil {
		r.resync.Stop()
	}
}

// listen receives frames until the relay ends, and subscribes again when the bus fails.
func (r *Relay) listen() {
	wait := retryFirst
	for r.ctx.Err() == nil {
		began := time.Now()
		err := r.Bus.Subscribe(r.ctx, r.receive, r.onGap)
		if r.ctx.Err() != nil {
			return
		}
		if time.Since(began) > silence {
			wait = retryFirst
		}
		r.counts.subscribeFailed(r.Log, err)
		if !r.pause(wait) {
			return
		}
		wait = min(2*wait, retryMost)
	}
}

// onGap is the gap function of the bus.
func (r *Relay) onGap() {
	if r.without != ruleGap {
		r.gapIn(resyncSettled, LostBus)
	}
	// Replicas that connect later than this one have missed that it could not publish something. They hear of it now,
	// before their own resync, and need no second one.
	time.AfterFunc(resyncSettled-time.Second, r.beatSoon)
}

// pause waits for d. It returns false if the relay ends meanwhile.
func (r *Relay) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.stop:
	case <-r.ctx.Done():
	}
	return false
}

// gapIn plans a resync after wait, because of the loss why. If one is planned already, that serves. Between two resyncs
// there is at least resyncGap.
func (r *Relay) gapIn(wait time.Duration, why Loss) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if why == NoLoss || r.resync != nil || r.ctx.Err() != nil {
		return
	}
	if time.Since(r.resynced) < resyncGap && failpoint.On("relay-loss-after-resync") {
		return
	}
	wait = max(wait, time.Until(r.resynced.Add(resyncGap)))
	r.resync = time.AfterFunc(wait, func() {
		r.mu.Lock()
		r.resync, r.resynced = nil, time.Now()
		r.payLocked()
		ended := r.ctx.Err() != nil
		r.mu.Unlock()
		if !ended {
			r.counts.resyncs[why].Add(1)
			r.Receiver.Resync()
		}
	})
}
