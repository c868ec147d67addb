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

// The times of the rules of the relay.
const (
	beatGap     = 5 * time.Second        // between two beats
	eagerGap    = 200 * time.Millisecond // between two beats of a replica that is not ready, or that answers peers
	silence     = 3 * beatGap            // a peer not heard for this time is missing
	hush        = beatGap * 3 / 2        // a peer not heard for this time has missed a beat
	keepLost    = time.Hour              // how long the place of a lost peer is kept
	deafAfter   = beatGap + 2*watchGap   // without its own echo for this time, a replica cannot say who is silent
	watchGap    = time.Second            // between two checks of the peers
	differFor   = 2 * beatGap            // a difference of digests that lasts this long is not due to frames under way
	publishTime = time.Second            // the limit for one call of Publish
	retryFirst  = 100 * time.Millisecond // the wait after the first failure; doubled after each further one
	retryMost   = time.Second
	resyncSoon  = 250 * time.Millisecond // from the first sign of a loss to the resync
	resyncGap   = 2 * time.Second        // between two resyncs
	// resyncSettled is the time between a new connection to the bus and the resync. Meanwhile the other replicas connect
	// too, and say so if they could not publish a change.
	resyncSettled = 3 * time.Second

	// MaxBlind is how long a replica serves streams without hearing itself.
	MaxBlind = 30 * time.Second
)

// maxPeers is the largest number of peers that a replica knows. A replica cannot tell further peers apart, so each of
// their frames counts as a loss.
const maxPeers = 1024

// maxListed is the largest number of peers that a beat lists, besides the peers that have asked for it. A replica with
// no more peers lists all of them.
const maxListed = 64

// Kind is a kind of signal.
type Kind uint8

// The kinds of signals. To a replica, a kind that it does not know may be any change: it resyncs.
const (
	// Updated says that the resource at a URI, or another topic, may have changed. The text is that of the topic.
	Updated Kind = iota + 1
	// Reloaded is like Updated, but comes from a replica that has itself learned of the change from another replica. So
	// replicas that load live values need not load them again.
	Reloaded
	// Instances says that all instances of a declared resource or template may have changed. The text is its declared URI.
	Instances
	// Session says that the stored record of a session has changed, and Ended that a session has ended. The text
	// identifies the session.
	Session
	Ended
)

// Signal tells the other replicas of one change on the replica that sends it. Text depends on Kind.
type Signal struct {
	Kind Kind
	Text string
}

// Lists is a set of lists that may have changed. Bit 1<<k stands for the list of the feature.Kind k.
type Lists uint16

// Digests are hashes of the lists of a replica. Equal lists have equal digests.
type Digests struct {
	Declared uint64 // of the declared features
	Added    uint64 // of the tools that were added at run time
}

// Bus has the methods of replica.Bus that a relay needs.
type Bus interface {
	Publish(ctx context.Context, frame []byte) error
	Subscribe(ctx context.Context, receive func(frame []byte), gap func()) error
}

// Receiver is the server of a replica. Its methods are called without a lock, by several goroutines.
type Receiver interface {
	// Deliver and DeliverLists tell the clients of this replica of a change that another replica has signalled. The
	// goroutine of the bus calls them, so they must not block.
	Deliver(s Signal)
	DeliverLists(l Lists)
	// Direct takes the payload of a frame that the replica with the given name has sent to this replica only. It must
	// not block.
	Direct(name string, payload []byte)
	// Resync tells all clients that everything may have changed.
	Resync()
	// Blind ends the streams of all clients, so that the clients notice. [Relay.Fenced] is true when it is called.
	Blind()
	// Digests returns the digests of the current lists of this replica.
	Digests() Digests
	// Differ tells clients that the lists of the replicas differ, or no longer differ. If added is true, only the list of
	// tools is concerned, because of tools that were added at run time.
	Differ(added bool)
}

// Config is what [New] needs.
type Config struct {
	Bus Bus
	// Name is the name of the server. Frames of servers with other names on the same bus are dropped.
	Name     string
	Box      seal.Box
	Log      *slog.Logger
	Receiver Receiver
	// Expected is the expected number of replicas, including this one; 0 if it is not known.
	Expected int

	without rule          // the rule that a test leaves out
	listed  int           // takes the place of maxListed; 0 outside of tests
	clock   time.Duration // the error of the clock; 0 outside of tests
}

// rule is a rule of the relay that a test leaves out, to show which losses only this rule finds.
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

// silence and newcomer report whether r leaves out ruleSilence or ruleNewcomer.
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
	counts  counts

	ready, fenced atomic.Bool
	quiet         atomic.Bool  // it publishes nothing, because no peer can open its frames
	clockOff      atomic.Bool  // its clock differs from that of most others
	silent        atomic.Bool  // it does not say bye, see Abandon
	unheard       atomic.Bool  // most peers that heard it once do not hear it any more
	live          atomic.Int64 // replicas heard, this one included

	mu         sync.Mutex
	peers      peers
	echo       instant   // the latest of its own frames that it has heard
	echoAt     time.Time // when it heard that frame; before the first, the value of began
	hearsFrom  time.Time // when it was deaf last; zero if never
	amongAt    time.Time // when it last heard itself while it was not apart
	echoes     int       // how often amongAt was set since it began or was fenced
	strangeAt  time.Time // when it last got a frame with a key that it does not have
	apartAt    time.Time // when it was last apart before it was ready for the first time
	apartFrom  time.Time // when it began to be apart, or its last quiet time ended; zero if it is not apart
	quietTo    time.Time // when the quiet time ends
	quietTime  time.Duration
	wasReady   bool
	wasUnheard bool        // whether peers.isUnheard was true at the check before
	resync     *time.Timer // nil if no resync is planned
	resynced   time.Time
	differs    difference
	state      State // at the last check; only watch uses it
	warned     bool  // a frame with an unknown key was logged
	greeted    time.Time
}

// instant is the place of a frame in the sequence of its sender.
type instant struct{ epoch, seq uint64 }

// isAfter reports whether a comes after b in the sequence.
func (a instant) isAfter(b instant) bool {
	return a.epoch > b.epoch || a.epoch == b.epoch && a.seq > b.seq
}

// New connects a replica to the bus. It does not wait for the bus. The caller must call [Relay.Close] or
// [Relay.Abandon].
func New(c Config) *Relay {
	r := &Relay{Config: c, stop: make(chan struct{})}
	binary.NativeEndian.PutUint64(r.origin[:], rand.Uint64())  //nolint:gosec // no secret: frames are sealed
	binary.NativeEndian.PutUint64(r.origin[8:], rand.Uint64()) //nolint:gosec // as above
	r.purpose = append([]byte("b"), c.Name...)
	if failpoint.On("relay-any-server") {
		r.purpose = r.purpose[:1]
	}
	r.began = time.Now()
	r.echoAt, r.amongAt = r.began, r.began
	r.peers = peers{self: r.origin, began: r.began, without: c.without, all: map[origin]*peer{}}
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

// Fenced reports whether this replica serves no streams, because it has not heard itself for [MaxBlind].
func (r *Relay) Fenced() bool { return r.fenced.Load() }

// Heard returns the number of replicas that this one hears, including itself.
func (r *Relay) Heard() int { return int(r.live.Load()) }

// closeTime is how long Close waits for the calls of the bus to return.
const closeTime = 3 * time.Second

// Abandon is Close for a replica that may still make changes afterwards. It does not tell the others that the replica
// ends. They notice its silence, as if the process had been killed.
func (r *Relay) Abandon() {
	r.silent.Store(true)
	r.Close()
}

// Close publishes all that is pending, tells the other replicas that this one ends, and disconnects from the bus. It
// takes at most three seconds.
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

// onGap is the function gap for Subscribe of the bus: frames may have been lost.
func (r *Relay) onGap() {
	if r.without != ruleGap {
		r.gapIn(resyncSettled, LostBus)
	}
	// Replicas that connect later than this one have missed the new epoch that says that it could not publish a change.
	// The beat tells them before their own resync, so that they need no second one.
	time.AfterFunc(resyncSettled-time.Second, r.pending.beatSoon)
}

// pause waits for d. It returns false at once if the relay ends meanwhile.
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

// gapIn plans a resync after wait, because of the given loss. It does nothing for NoLoss, or if a resync is already
// planned. Two resyncs are at least resyncGap apart.
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
		r.peers.pay()
		ended := r.ctx.Err() != nil
		r.mu.Unlock()
		if !ended {
			r.counts.resyncs[why].Add(1)
			r.Receiver.Resync()
		}
	})
}
