package attack

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	senders = 12 // goroutines that send hostile messages over HTTP, for each transport
	cyclers = 12 // goroutines that connect and abandon
)

// load puts the load on the servers until the time is over and all is sent, but not beyond the limit.
func (s *soak) load(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.Limit)
	defer cancel()
	s.start = time.Now()
	var group, work sync.WaitGroup
	for i, w := range s.ways {
		group.Go(func() { s.honest(ctx, w, i) })
		for k := range senders {
			if w.lines != nil && k > 0 {
				break // one writer
			}
			work.Go(func() {
				h := hostile{soak: s, way: w, random: rand.New(rand.NewPCG(s.Seed, uint64(1000*(i+1)+k)))}
				defer h.close()
				for s.paced(ctx, &s.messages, s.Messages) {
					n := int64(h.send(ctx))
					s.messages.Add(n)
					s.sent[i].Add(n)
				}
			})
		}
	}
	for i := range cyclers {
		work.Go(func() {
			random := rand.New(rand.NewPCG(s.Seed, uint64(100+i)))
			for s.paced(ctx, &s.cycles, s.Cycles) {
				if s.abandon(ctx, s.ways[1+random.IntN(len(s.ways)-1)], random) {
					s.cycles.Add(1)
				}
			}
		})
	}
	for i := range s.Streams {
		group.Go(func() { s.stream(ctx, i, s.Duration/5) })
	}
	group.Go(func() { s.publish(ctx) })
	group.Go(func() { s.progress(ctx) })
	work.Wait()
	sleep(ctx, time.Until(s.start.Add(s.Duration)))
	for ctx.Err() == nil && s.notified.Load() < int64(s.Streams) { // on a busy machine some have just been opened
		time.Sleep(pause)
	}
	cancel()
	group.Wait()
	if got := s.messages.Load(); got < int64(s.Messages) {
		s.problemf("only %d of %d messages were sent within %v", got, s.Messages, s.Limit)
	}
	if got := s.cycles.Load(); got < int64(s.Cycles) {
		s.problemf("only %d of %d connections were made and abandoned within %v", got, s.Cycles, s.Limit)
	}
}

// pause is how long a client waits at least that is ahead of its time.
const pause = 10 * time.Millisecond

// paced waits until it is time for more of what done counts, which is spread over four fifths of the duration. It is
// false if there is enough of it, or the time is over.
func (s *soak) paced(ctx context.Context, done *atomic.Int64, of int) bool {
	for ctx.Err() == nil {
		n := done.Load()
		if n >= int64(of) {
			return false
		}
		wait := time.Until(s.start.Add(time.Duration(float64(s.Duration) * 0.8 * float64(n) / float64(of))))
		if wait <= 0 {
			return true
		}
		sleep(ctx, max(wait, pause))
	}
	return false
}

// honest asks and checks until the time is over.
func (s *soak) honest(ctx context.Context, w *way, i int) {
	for ctx.Err() == nil {
		if err := w.ask(ctx, &Row{}); err != nil && ctx.Err() == nil {
			s.problemf("%s: an honest request: %v", w.to.transport, err)
		}
		s.asked[i].Add(1)
		sleep(ctx, 20*time.Millisecond)
	}
}

// somebody is one of the addresses of hostile clients.
func somebody(random *rand.Rand) string { return fmt.Sprintf("127.0.0.%d", 2+random.IntN(100)) }

// abandon makes a connection, sends the beginning of a request, and leaves in one of several ways. It is false if there
// is no connection, because it was refused or the time is over.
func (s *soak) abandon(ctx context.Context, w *way, random *rand.Rand) bool {
	c, err := w.dial(ctx, somebody(random))
	if err != nil {
		return false
	}
	defer c.Close()
	m := goodMessages[random.IntN(len(goodMessages))]
	text := m.text(&w.to, random.IntN(1000))
	c.send(text[:random.IntN(len(text)+1)], stall)
	switch random.IntN(4) {
	case 0:
		c.reset()
	case 1:
		_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
		c.closeWrite()
		c.read(Head)
		c.reset()
	case 2:
		_ = c.SetReadDeadline(time.Now().Add(time.Duration(random.IntN(5)) * time.Millisecond))
		c.read(Head)
		c.reset() // whoever closes first has a port less for a while
	}
	return true
}

// publish announces changes of one item after the other, so that each stream gets several.
func (s *soak) publish(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i++ {
		for _, w := range []*way{s.ways[1], s.ways[3]} {
			c, err := w.dial(ctx, honestAddress)
			if err != nil {
				continue
			}
			m := tool("publish", fmt.Sprintf(`"name":"s%d"`, i%names))
			if kind, _, _ := w.exchange(c, &w.to, m, Reply); kind != "200 result" && ctx.Err() == nil {
				s.problemf("%s: publish: %s", w.to.transport, kind)
			}
			_ = c.Close()
		}
		sleep(ctx, s.Duration/(10*names))
	}
}

// progress writes a line now and then.
func (s *soak) progress(ctx context.Context) {
	for sleep(ctx, max(s.Duration/10, time.Second)) {
		var state []string
		for _, proc := range s.procs {
			now, _ := proc.resident()
			state = append(state, fmt.Sprintf("%s %.0f MB", proc.transport, float64(now)/1e6))
		}
		s.logf("streams %d, cycles %d, messages %d, events %d; %s", s.opened.Load(), s.cycles.Load(), s.messages.Load(),
			s.events.Load(), strings.Join(state, ", "))
	}
}
