package relay

import (
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/seal"
	"github.com/mcpgen/mcpgen/mcp/internal/seal/aead"
)

var (
	seeds     = flag.Int("seeds", 2_000, "seeds that the checker runs")
	firstSeed = flag.Int("seed", 0, "the first of them")
)

// converges is how long after the last fault every client has to have read the last commit.
const converges = 20 * time.Second

var (
	testBox = newBox("one key of 16 bytes")
)

func newBox(secret string) seal.Box {
	b, err := aead.New([][]byte{[]byte(secret)})
	if err != nil {
		panic(err)
	}
	return b
}

// checked is one replica under the checker. It is a Receiver.
type checked struct {
	*Relay
	world *world
	port  *badPort
	alive atomic.Bool

	mu      sync.Mutex
	clients map[*client]struct{}
}

// client has one stream to some replica. It reads when it is told, and when a stream is acknowledged.
type client struct {
	uri      int
	last     atomic.Int64
	notified atomic.Bool // it reads soon
	on       *checked    // guarded by world.mu
}

func uriOf(i int) string { return fmt.Sprintf("a:///%d", i) }

// notify makes the clients of r that fit read soon, unless r is dead by then.
func (r *checked) notify(fits func(c *client) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.clients {
		if fits(c) && !c.notified.Swap(true) {
			time.AfterFunc(time.Millisecond, func() {
				c.notified.Store(false)
				if r.alive.Load() && r.has(c) {
					c.read(r.world)
				}
			})
		}
	}
}

func (r *checked) has(c *client) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.clients[c]
	return ok
}

func (c *client) read(w *world) { c.last.Store(w.db[c.uri].Load()) }

func (r *checked) Deliver(s Signal)      { r.notify(func(c *client) bool { return uriOf(c.uri) == s.Text }) }
func (r *checked) DeliverLists(Lists)    {}
func (r *checked) Direct(string, []byte) {}
func (r *checked) Resync()               { r.notify(func(*client) bool { return true }) }
func (r *checked) Digests() Digests      { return Digests{} }
func (r *checked) Differ(bool)           {}
func (r *checked) Blind()                { r.world.leave(r) }

const (
	numURIs     = 5
	numReplicas = 3
	numClients  = 12
)

// world is one run of the checker.
type world struct {
	db      [numURIs]atomic.Int64 // what all replicas share
	bus     *badBus
	without rule
	listed  int
	wild    bool      // replicas change things whether they are ready or not
	ended   time.Time // when a replica has said bye

	mu       sync.Mutex
	rnd      *rand.Rand
	replicas [numReplicas]*checked
	clients  []*client
}

func (w *world) intN(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rnd.IntN(n)
}

// start begins the i-th replica.
func (w *world) start(i int) { w.startAt(i, &badPort{badBus: w.bus}, func(*Config) {}) }

func (w *world) startAt(i int, port *badPort, change func(c *Config)) {
	r := &checked{world: w, port: port, clients: map[*client]struct{}{}}
	r.alive.Store(true)
	c := Config{
		Bus: r.port, Name: "checker", Box: testBox, Log: slog.New(slog.DiscardHandler), Receiver: r,
		without: w.without, listed: w.listed,
	}
	change(&c)
	r.Relay = New(c)
	w.mu.Lock()
	w.replicas[i] = r
	w.mu.Unlock()
}

// attach gives c a stream to a replica that takes it.
func (w *world) attach(c *client) {
	w.mu.Lock()
	defer w.mu.Unlock()
	from := w.rnd.IntN(numReplicas)
	for k := range numReplicas {
		r := w.replicas[(from+k)%numReplicas]
		if r == nil || !r.alive.Load() || r.Relay != nil && r.Fenced() {
			continue
		}
		r.mu.Lock()
		r.clients[c] = struct{}{}
		r.mu.Unlock()
		c.on = r
		c.read(w) // once it is acknowledged
		return
	}
	time.AfterFunc(time.Second, func() { w.attach(c) })
}

// leave ends the streams of r, whose clients open others.
func (w *world) leave(r *checked) {
	r.mu.Lock()
	left := r.clients
	r.clients = map[*client]struct{}{}
	r.mu.Unlock()
	for c := range left {
		w.attach(c)
	}
}

// end ends a replica, like kill -9 or gracefully.
func (w *world) end(r *checked, graceful bool) {
	if r.alive.Load() {
		if graceful {
			r.Close()
			w.ended = time.Now()
		} else {
			r.kill()
		}
		r.alive.Store(false)
	}
}

// kill ends r without a word.
func (r *Relay) kill() {
	r.cancel()
	r.running.Wait()
	r.Close()
}

// again starts those replicas that have ended.
func (w *world) again() {
	for i := range w.replicas {
		if r := w.replicas[i]; !r.alive.Load() {
			w.start(i)
			w.leave(r)
		}
	}
}

// write commits a change, and publishes it unless the replica dies before.
func (w *world) write(r *checked, uri int, dies bool) {
	switch {
	case !r.alive.Load(), r.port.isStopped():
		return
	case r.Ready():
	case !w.wild || time.Since(w.ended) < 2*silence:
		return // the balancer sends it nothing; a place that was left well may be taken by who was never heard
	}
	w.db[uri].Add(1)
	if dies {
		w.end(r, false)
		return
	}
	r.notify(func(c *client) bool { return c.uri == uri })
	r.Note(Signal{Updated, uriOf(uri)})
}

// cut makes a replica deaf or mute for a while.
func (w *world) cut(r *checked, d time.Duration) {
	how := w.intN(3)
	w.bus.set(func() { r.port.deaf, r.port.mute, r.port.lies = how != 1, how != 0, d%2 == 0 })
	time.Sleep(d)
	w.bus.set(func() { r.port.deaf, r.port.mute = false, false })
}

// stale counts clients that have not read the last commit.
func (w *world) stale() (n int) {
	for _, c := range w.clients {
		if c.last.Load() != w.db[c.uri].Load() {
			n++
		}
	}
	return n
}

// run is one seed. It returns how long after the last fault the clients have converged; more than converges is a
// violation.
func run(t *testing.T, seed int, without rule) (lag time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{
			without: without, listed: seed / 2 % 2, // half of them list all peers
			wild: seed%5 > 2,
			rnd:  rand.New(rand.NewPCG(uint64(seed), 7)),
			bus: &badBus{
				rnd: rand.New(rand.NewPCG(uint64(seed), 8)), subs: map[*badSub]struct{}{}, drop: []int{0, 1, 30}[seed%3],
			},
		}
		for i := range w.replicas {
			w.start(i)
		}
		for i := range numClients {
			c := &client{uri: i % numURIs}
			w.clients = append(w.clients, c)
			w.attach(c)
		}
		time.Sleep(time.Second)
		if w.wild {
			w.calamities(seed)
		} else {
			var cuts sync.WaitGroup
			w.trouble(seed, &cuts)
			w.finish(seed, &cuts)
		}
		w.bus.set(func() { w.bus.calm, w.bus.fails = true, 0 })
		for quiet := time.Now(); w.stale() > 0; time.Sleep(100 * time.Millisecond) {
			if lag = time.Since(quiet); lag > converges {
				break
			}
		}
		for i := range w.replicas {
			w.end(w.replicas[i], i == 0)
		}
	})
	return lag
}

// trouble writes and makes faults for a while.
func (w *world) trouble(seed int, cuts *sync.WaitGroup) {
	faults, partitions := seed%4 != 3, seed%8 == 1
	for range 150 {
		switch n := w.intN(1000); {
		case n < 800:
			w.write(w.replicas[w.intN(numReplicas)], w.intN(numURIs), faults && w.intN(20) == 0)
		case n >= 930:
			time.Sleep(time.Duration(w.intN(3000)) * time.Millisecond)
		case !faults:
		case n < 900:
			w.end(w.replicas[w.intN(numReplicas)], w.intN(4) == 0)
		case n < 910 && partitions:
			r, d := w.replicas[w.intN(numReplicas)], time.Duration(w.intN(45_000))*time.Millisecond
			cuts.Go(func() { w.cut(r, d) })
		default:
			w.bus.restart(time.Duration(w.intN(8000)) * time.Millisecond)
		}
		time.Sleep(time.Duration(w.intN(20)) * time.Millisecond)
		w.again()
	}
	cuts.Wait()
}

// finish publishes the last write of each URI into a bus that still loses; some replicas die of it.
func (w *world) finish(seed int, cuts *sync.WaitGroup) {
	last := w.intN(numReplicas)
	if seed%8 == 4 { // another one has lost it by then
		w.bus.set(func() { w.replicas[(last+1)%numReplicas].port.deafTo = w.replicas[last].port })
	}
	time.Sleep(20 * time.Second)
	w.bus.set(func() {
		switch seed % 5 {
		case 0:
			w.bus.drop = 100
		case 1:
			w.bus.fails = 100
		}
	})
	if seed%7 == 0 {
		d := time.Duration(w.intN(3000)) * time.Millisecond
		cuts.Go(func() { w.bus.restart(d) })
		time.Sleep(time.Millisecond)
	}
	for u := range numURIs {
		w.write(w.replicas[w.intN(numReplicas)], u, false)
	}
	if seed%2 == 0 { // one commits, and dies before anything has left it
		time.Sleep(time.Duration(w.intN(2000)) * time.Millisecond)
		w.write(w.replicas[last], w.intN(numURIs), true)
	}
	if seed%4 != 0 {
		w.again()
	}
	for _, r := range w.replicas { // some have no successor
		if !r.alive.Load() {
			w.leave(r)
		}
	}
	time.Sleep(100 * time.Millisecond)
	cuts.Wait()
}

// Every client reads the last commit soon after the last fault, whatever the bus and the replicas do.
func TestConverges(t *testing.T) {
	n := *seeds
	if testing.Short() || raceDetector {
		n = min(n, 500)
	}
	var slowest atomic.Int64
	var wait sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for {
				seed := int(next.Add(1)) - 1
				if seed >= n || t.Failed() {
					return
				}
				lag := run(t, *firstSeed+seed, everyRule)
				if lag > converges {
					t.Errorf("seed %d: clients are stale %v after the last fault", *firstSeed+seed, converges)
				}
				for old := slowest.Load(); int64(lag) > old && !slowest.CompareAndSwap(old, int64(lag)); old = slowest.Load() {
				}
			}
		})
	}
	wait.Wait()
	t.Logf("%d seeds, slowest convergence %v", n, time.Duration(slowest.Load()))
}

// The checker notices if a rule is left out.
func TestCheckerNoticesWhatIsMissing(t *testing.T) {
	for name, without := range map[string]rule{
		"seq": ruleSeq, "epoch": ruleEpoch, "silence": ruleSilence, "newcomer": ruleNewcomer,
		"beat and silence": ruleBeatAndSilence, "others": ruleOthers,
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range 2000 {
				if run(t, seed, without) > converges {
					t.Logf("seed %d", seed)
					return
				}
			}
			t.Error("no violation in 2000 seeds")
		})
	}
}
