package attack

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

const (
	senders  = 12 // goroutines that send hostile messages over HTTP, for each transport
	cyclers  = 12 // goroutines that connect and abandon
	names    = 50 // items that streams subscribe to
	mostUnix = 900
)

// load puts the load on the servers until the time is over.
func (s *soak) load(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.Duration)
	defer cancel()
	s.start = time.Now()
	var group sync.WaitGroup
	for i, w := range s.ways {
		group.Go(func() { s.honest(ctx, w, i) })
		for k := range senders {
			if w.lines != nil && k > 0 {
				break // one writer
			}
			group.Go(func() {
				h := hostile{soak: s, way: w, random: rand.New(rand.NewPCG(s.Seed, uint64(1000*(i+1)+k)))}
				defer h.close()
				for s.paced(ctx, s.messages.Add(1), s.Messages) {
					h.send(ctx)
				}
			})
		}
	}
	for i := range cyclers {
		group.Go(func() {
			random := rand.New(rand.NewPCG(s.Seed, uint64(100+i)))
			for s.paced(ctx, s.cycles.Add(1), s.Cycles) {
				s.abandon(ctx, s.ways[1+random.IntN(len(s.ways)-1)], random)
			}
		})
	}
	for i := range s.Streams {
		group.Go(func() { s.stream(ctx, i, s.Duration/5) })
	}
	group.Go(func() { s.publish(ctx) })
	group.Go(func() { s.progress(ctx) })
	group.Wait()
	s.messages.Store(min(s.messages.Load(), int64(s.Messages)))
	s.cycles.Store(min(s.cycles.Load(), int64(s.Cycles)))
}

// paced waits until it is time for the nth of some things, which are spread over four fifths of the duration. It is
// false if there are enough, or the time is over.
func (s *soak) paced(ctx context.Context, n int64, of int) bool {
	if n > int64(of) {
		return false
	}
	due := s.start.Add(time.Duration(float64(s.Duration) * 0.8 * float64(n) / float64(of)))
	if wait := time.Until(due); wait > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	return ctx.Err() == nil
}

// honest asks and checks until the time is over.
func (s *soak) honest(ctx context.Context, w *way, i int) {
	for ctx.Err() == nil {
		if err := w.ask(ctx, "echo"); err != nil && ctx.Err() == nil {
			s.problemf("%s: an honest request: %v", w.to.transport, err)
		}
		s.asked[i].Add(1)
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// somebody is one of the addresses of hostile clients.
func somebody(random *rand.Rand) string { return fmt.Sprintf("127.0.0.%d", 2+random.IntN(100)) }

// abandon makes a connection, sends the beginning of a request, and leaves in one of several ways.
func (s *soak) abandon(ctx context.Context, w *way, random *rand.Rand) {
	c, err := w.dial(ctx, somebody(random))
	if err != nil {
		return // refused, or the time is over
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
}

// stream opens one of the streams, which are all open after a while, and reads it until the time is over.
func (s *soak) stream(ctx context.Context, i int, within time.Duration) {
	w := s.ways[1+i%2]
	if i < min(mostUnix, s.Streams/5) {
		w = s.ways[3]
	}
	select { // not all at the same moment
	case <-ctx.Done():
		return
	case <-time.After(within * time.Duration(i) / time.Duration(s.Streams)):
	}
	c, err := w.dial(ctx, fmt.Sprintf("127.0.0.%d", 110+i%20))
	if err != nil {
		s.problemf("%s: stream %d: %v", w.to.transport, i, err)
		return
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Now()) })
	defer stop()
	if err := s.openStream(c, w, i); err != nil {
		if ctx.Err() == nil {
			s.problemf("%s: stream %d: %v", w.to.transport, i, err)
		}
		return
	}
	s.opened.Add(1)
	_ = c.SetDeadline(time.Time{})
	if ctx.Err() != nil {
		return
	}
	got := 0
	for lines := bufio.NewReader(c.r); ; {
		line, err := lines.ReadSlice('\n')
		if bytes.Contains(line, []byte("resources/updated")) {
			got++
			s.events.Add(1)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			break
		}
	}
	if ctx.Err() == nil {
		s.broken.Add(1)
	} else if got == 0 {
		s.silent.Add(1)
	}
}

// openStream makes a connection a stream that is subscribed to an item.
func (s *soak) openStream(c *conn, w *way, i int) error {
	item := fmt.Sprintf("item:///s%d", i%names)
	if w.to.transport != Sessions {
		m := Message{RPC: "subscriptions/listen", Params: `{"notifications":{"resourceSubscriptions":["` + item + `"]}}`}
		c.send(m.text(&w.to, 0), w.patience)
		if kind, _, _ := c.read(Head); kind != "200" {
			return fmt.Errorf("listen: %s", kind)
		}
		return nil
	}
	to, err := w.open(c, "2025-11-25")
	if err != nil {
		return err
	}
	m := request("resources/subscribe", `{"uri":"`+item+`"}`)
	c.send(m.text(&to, 0), w.patience)
	if kind, _, _ := c.read(Reply); kind != "200 result" {
		return fmt.Errorf("subscribe: %s", kind)
	}
	get := Message{Method: "GET", Header: []string{"Accept: text/event-stream"}}
	c.send(get.text(&to, 0), w.patience)
	if kind, _, _ := c.read(Head); kind != "200" {
		return fmt.Errorf("stream: %s", kind)
	}
	return nil
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
			c.send(m.text(&w.to, i), w.patience)
			if kind, _, _ := c.read(Reply); kind != "200 result" && ctx.Err() == nil {
				s.problemf("%s: publish: %s", w.to.transport, kind)
			}
			_ = c.Close()
		}
		select {
		case <-ctx.Done():
		case <-time.After(s.Duration / (10 * names)):
		}
	}
}

// progress writes a line now and then.
func (s *soak) progress(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(s.Duration/10, time.Second)):
		}
		var state []string
		for _, proc := range s.procs {
			now, _ := proc.resident()
			state = append(state, fmt.Sprintf("%s %.0f MB", proc.transport, float64(now)/1e6))
		}
		s.logf("streams %d, cycles %d, messages %d, events %d; %s", s.opened.Load(), min(s.cycles.Load(), int64(s.Cycles)),
			min(s.messages.Load(), int64(s.Messages)), s.events.Load(), strings.Join(state, ", "))
	}
}
