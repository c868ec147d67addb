package pubsub

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// The instants in the life of a listen at which a change may come. From instantPlaced to
// instantCancelling a change must be told; later ones must not be.
const (
	instantBefore     = iota // nothing was asked yet
	instantOpening           // in the Watch function: the place is taken
	instantPlaced            // the watcher runs
	instantAckWriting        // the acknowledgement is under way
	instantAcked
	instantUpdateWriting // another update is under way
	instantUpdated
	instantCancelled
	numInstants
)

// A change at any instant of a listen is told after the acknowledgement and before the
// cancellation, if the listen had its place by then.
func TestChangeAtEveryInstantOfAListen(t *testing.T) {
	for instant := range numInstants {
		for _, pace := range []time.Duration{0, time.Second} {
			t.Run(fmt.Sprint(instant, pace), func(t *testing.T) {
				bubble(t, func(t *testing.T, h *Hub) { listenWithChange(t, h, instant, pace) })
			})
		}
	}
}

func listenWithChange(t *testing.T, h *Hub, instant int, pace time.Duration) {
	delay := time.Duration(-1) // updates leave at once, on a goroutine of their own
	if pace > 0 {
		delay = time.Millisecond // no update leaves before the next settleDown
	}
	p := newPeer(t, h, &options{delay: delay})
	reach := func(i int) {
		if i == instant {
			h.Publish("a:///x")
		}
	}
	p.conn.during = func(f frame) {
		if f.Method == "ack" {
			reach(instantAckWriting)
		} else if instant == instantUpdateWriting {
			reach(instantUpdateWriting)
			instant = -1
		}
	}
	topics := requests("a:///x")
	topics[0].Source = &Source{Open: func(context.Context, string) (iter.Seq2[time.Time, error], error) {
		reach(instantOpening)
		return nil, nil
	}}
	id := stringID("L")
	reach(instantBefore)
	s, err := p.begin(id, topics, always)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.WaitWatcher(t.Context(), s, Topic{URI: "a:///x"}); err != nil {
		t.Fatal(err)
	}
	reach(instantPlaced)
	time.Sleep(pace)
	p.Acknowledge(s, ackOf(id))
	reach(instantAcked)
	time.Sleep(pace)
	if instant == instantUpdateWriting {
		h.Publish("a:///x")
	}
	settleDown()
	reach(instantUpdated)
	settleDown()

	expect := `ack "L"`
	if instant != instantBefore && instant != instantCancelled {
		expect += `; resources/updated "L" a:///x`
	}
	if instant == -1 { // during the write of an update
		expect += `; resources/updated "L" a:///x`
	}
	wantText(t, "frames", p.conn.lines(), expect)
	cancelDuringUpdate(t, h, p, id, delay < 0)
	h.Publish("a:///x")
	reach(instantCancelled)
	settleDown()
	wantText(t, "after the cancellation", p.conn.lines(), "")
}

// cancelDuringUpdate cancels a listen while an update is on its way. An update that leaves at once may be faster.
func cancelDuringUpdate(t *testing.T, h *Hub, p *peer, id string, atOnce bool) {
	t.Helper()
	h.Publish("a:///x")
	p.Cancel(id)
	settleDown()
	got, expect := p.conn.lines(), ""
	if atOnce && got != "" {
		expect = `resources/updated "L" a:///x`
	}
	wantText(t, "at the cancellation", got, expect)
}

// model checks a history: what clients know after all is quiet.
type model struct {
	t        *testing.T
	h        *Hub
	versions [8]atomic.Int64
}

func modelURI(i int) string { return fmt.Sprintf("m:///%d", i) }

// client plays one conn. It reads a resource when it is acknowledged and at every update.
type client struct {
	m *model
	p *peer

	mu     sync.Mutex
	seen   map[string][]int64 // by listen id, what it read last
	acked  map[string]bool
	banned map[string]bool // cancelled, and something was written since
}

func newClient(m *model) *client {
	c := &client{m: m, seen: map[string][]int64{}, acked: map[string]bool{}, banned: map[string]bool{}}
	c.p = newPeer(m.t, m.h, &options{delay: time.Millisecond})
	c.p.conn.during = c.receive
	return c
}

func (c *client) receive(f frame) {
	c.p.conn.take()
	c.mu.Lock()
	defer c.mu.Unlock()
	id := f.ID
	switch {
	case f.Method == "ack":
		if c.acked[id] || c.banned[id] {
			c.m.t.Errorf("ack of %s: acked %v, banned %v", id, c.acked[id], c.banned[id])
		}
		c.acked[id] = true
		c.seen[id] = make([]int64, len(c.m.versions))
		for i := range c.m.versions {
			c.seen[id][i] = c.m.versions[i].Load()
		}
	case strings.HasSuffix(f.Method, "updated"):
		if !c.acked[id] || c.banned[id] {
			c.m.t.Errorf("update for %s: acked %v, banned %v", id, c.acked[id], c.banned[id])
			return
		}
		var i int
		fmt.Sscanf(f.URI, "m:///%d", &i)
		c.seen[id][i] = c.m.versions[i].Load()
	}
}

// run opens and cancels listens at random, with several open at a time. It returns those that
// are open in the end, with the resources of each.
func (c *client) run(r *rand.Rand, rounds int) map[string][]int {
	open := map[string][]int{}
	for n := range rounds {
		id := numberID(int64(n))
		if r.IntN(2) == 0 {
			id = stringID(fmt.Sprint(n))
		}
		var topics []Request
		var wanted []int
		for i := range c.m.versions {
			if r.IntN(2) == 0 {
				wanted = append(wanted, i)
				topics = append(topics, c.topic(r, i))
			}
		}
		pause(r)
		s, err := c.p.begin(id, topics, always)
		if err != nil {
			c.m.t.Error(err)
			return nil
		}
		for _, q := range topics {
			if err := c.p.WaitWatcher(c.m.t.Context(), s, q.Topic); err != nil {
				c.m.t.Error(err)
			}
		}
		pause(r)
		c.p.Acknowledge(s, ackOf(id))
		open[id] = wanted
		for id := range open {
			if pause(r); r.IntN(3) == 0 {
				c.p.Cancel(id)
				_ = c.p.out.Write(answerTo(0), nil)
				c.mu.Lock()
				c.banned[id] = true
				c.mu.Unlock()
				delete(open, id)
			}
		}
	}
	return open
}

// topic asks for resource i, with a watcher that opens slowly.
func (c *client) topic(r *rand.Rand, i int) Request {
	pace := time.Duration(r.IntN(3)) * time.Millisecond
	open := func(ctx context.Context, _ string) (iter.Seq2[time.Time, error], error) {
		time.Sleep(pace)
		return func(yield func(time.Time, error) bool) { <-ctx.Done() }, nil
	}
	return Request{Topic: Topic{URI: modelURI(i)}, Source: &Source{Open: open}}
}

// pause lets others run: sometimes for a while, sometimes only if they like.
func pause(r *rand.Rand) {
	if n := r.IntN(4); n > 0 {
		time.Sleep(time.Duration(r.IntN(2000)) * time.Microsecond)
	}
}

// Clients that re-read at each update hold the newest version of everything once all is quiet,
// whatever the order in which listens come and go; and each listen is acknowledged first and
// silent after its cancellation.
func TestNoUpdateIsLost(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			bubble(t, func(t *testing.T, h *Hub) { history(t, h, seed) })
		})
	}
}

func history(t *testing.T, h *Hub, seed uint64) {
	m := &model{t: t, h: h}
	done := make(chan struct{})
	var writers, clients sync.WaitGroup
	for w := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, w))
		writers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				i := r.IntN(len(m.versions))
				m.versions[i].Add(1)
				h.Publish(modelURI(i))
				time.Sleep(time.Duration(r.IntN(300)) * time.Microsecond)
			}
		})
	}
	check := make([]func(), 3)
	for n := range check {
		c, r := newClient(m), rand.New(rand.NewPCG(seed, uint64(n+10)))
		clients.Go(func() {
			open := c.run(r, 25)
			check[n] = func() { c.check(open) }
		})
	}
	clients.Wait()
	close(done)
	writers.Wait()
	settleDown()
	for _, f := range check {
		f()
	}
}

// check compares what the open listens know with what is true.
func (c *client) check(open map[string][]int) {
	for id, wanted := range open {
		for _, i := range wanted {
			if got, now := c.seen[id][i], c.m.versions[i].Load(); got != now {
				c.m.t.Errorf("listen %s knows version %d of %s, now it is %d", id, got, modelURI(i), now)
			}
		}
	}
	if n := c.p.out.scheduled(); n != 0 {
		c.m.t.Errorf("%d updates pending on a quiet server", n)
	}
}

// A storm leaves at most one pending update per stream and resource, and everybody sees its end.
func TestStorm(t *testing.T) {
	const updates, resources = 100_000, 1000
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil)
		var uris []any
		for i := range resources {
			uris = append(uris, modelURI(i))
			p.subscribeNow(t, int64(i), modelURI(i))
		}
		p.open(t, numberID(1), uris...)
		p.conn.take()
		start := time.Now()
		last := make(map[string]time.Time)
		for i := range updates {
			h.Publish(modelURI(i % resources))
			last[modelURI(i%resources)] = time.Now()
			if i%resources == 0 {
				if n := p.out.scheduled(); n > 2*resources {
					t.Fatalf("%d pending after %d updates", n, i)
				}
				time.Sleep(time.Millisecond)
			}
		}
		rounds := int(time.Since(start)/(10*time.Millisecond)) + 1
		settleDown()
		frames := p.conn.take()
		if most := 2 * resources * rounds; len(frames) > most || len(frames) < 2*resources {
			t.Errorf("%d frames for a storm of %d rounds, want at most %d", len(frames), rounds, most)
		}
		notified := make(map[string]time.Time)
		for _, f := range frames {
			notified[f.ID+f.URI] = f.At
		}
		for uri, at := range last {
			if notified[uri].Before(at) || notified["1"+uri].Before(at) {
				t.Fatalf("%s: the last change was not told", uri)
			}
		}
	})
}

// The order of a subscribe and its answer holds whenever changes come, also for repeated
// subscriptions to one resource.
func TestSubscribeIsAnsweredFirst(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, &options{})
		gate := make(chan struct{})
		open := func(context.Context, string) (iter.Seq2[time.Time, error], error) {
			<-gate
			return nil, nil
		}
		for id := range int64(2) {
			u, err := p.subscribe("a:///x", open)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				if err := p.hub.waitWatcher(t.Context(), u); err != nil {
					t.Error(err)
				}
				p.Accept(u, answerTo(id), always)
			}()
		}
		h.Publish("a:///x")
		settleDown()
		wantText(t, "while opening", p.conn.lines(), "")
		close(gate)
		synctest.Wait()
		got := strings.Split(p.conn.lines(), "; ")
		if len(got) != 3 || strings.HasPrefix(got[0], "resources") || p.uris != 1 || h.subs() != 1 {
			t.Errorf("got %q, %d counted, %d subs", got, p.uris, h.subs())
		}
		p.Unsubscribe("a:///x")
		h.Publish("a:///x")
		settleDown()
		wantText(t, "after unsubscribe", p.conn.lines(), "")
	})
}
