package attack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// SoakConfig says how long and how much a soak is.
type SoakConfig struct {
	// Duration is how long the load lasts at least, and Limit how long at most if less than Cycles and Messages were
	// sent by then. A soak that does not reach these numbers has failed.
	Duration, Limit time.Duration
	// Streams are how many streams are open at once, Cycles how many connections are made and abandoned, and Messages
	// how many hostile lines and bodies are sent.
	Streams, Cycles, Messages int
	// Seed chooses everything that is random.
	Seed uint64
	// SessionTimeout is the option of the servers, so that sessions end within the soak.
	SessionTimeout time.Duration
	// Log gets what happens.
	Log io.Writer
}

// soak is a soak under way.
type soak struct {
	SoakConfig
	start    time.Time
	ways     []*way // one for each transport
	procs    []*soaked
	cycles   atomic.Int64
	messages atomic.Int64
	opened   atomic.Int64 // streams
	events   atomic.Int64
	silent   atomic.Int64    // streams that have ended without an event
	notified atomic.Int64    // streams that have got an event, or have ended
	broken   atomic.Int64    // streams that have ended before the end
	asked    [4]atomic.Int64 // honest requests, by transport
	sent     [4]atomic.Int64 // hostile messages, likewise

	mu       sync.Mutex
	problems []string
	kinds    map[string]int // of replies to hostile messages
}

// soaked is a process of a soak.
type soaked struct {
	*Process
	transport Transport
	before    State
}

// Soak starts servers on stdio, over HTTP and at a Unix socket, puts the load of c on them while honest clients check
// their answers, and reports what is left afterwards: goroutines, descriptors, or a heap of more than 5 % and 2 MB
// above that of the start.
func Soak(ctx context.Context, p *Program, c SoakConfig) error {
	s := &soak{SoakConfig: c, kinds: map[string]int{}}
	defer func() {
		for _, proc := range s.procs {
			proc.Kill()
		}
		for _, w := range s.ways {
			if w.lines != nil {
				close(w.lines.stop)
			}
		}
	}()
	if err := s.launch(ctx, p); err != nil {
		return err
	}
	if err := s.warm(ctx); err != nil {
		return err
	}
	for _, proc := range s.procs {
		s.logf("%-20s before: %s", proc.transport, proc.before)
	}
	s.load(ctx)
	s.logf("streams %d, events %d; cycles %d of %d; messages %d of %d", s.opened.Load(), s.events.Load(), s.cycles.Load(),
		s.Cycles, s.messages.Load(), s.Messages)
	for i, w := range s.ways {
		s.logf("%-20s %d messages, %d honest requests", w.to.transport, s.sent[i].Load(), s.asked[i].Load())
	}
	s.logf("replies to hostile messages: %v", s.kinds)
	if n := s.broken.Load(); n > 0 {
		s.problemf("%d streams have ended early", n)
	}
	if n := s.silent.Load(); n > 0 {
		s.problemf("%d streams have got no update", n)
	}
	for _, proc := range s.procs {
		s.settle(ctx, proc)
	}
	for _, proc := range s.procs {
		if code, err := proc.Stop(proc.transport, false, time.Minute); err != nil || code != 0 {
			s.problemf("%s: exit status %d, %v", proc.transport, code, err)
		}
	}
	if len(s.problems) > 0 {
		return errors.New(strings.Join(s.problems, "\n"))
	}
	return nil
}

// String is the state for people.
func (s State) String() string {
	return fmt.Sprintf("%4d goroutines, %4d descriptors, %8.3f MB heap", s.Goroutines, s.Descriptors, float64(s.Heap)/1e6)
}

func (s *soak) logf(format string, args ...any) {
	_, _ = fmt.Fprintf(s.Log, "%s "+format+"\n", append([]any{time.Now().UTC().Format("15:04:05")}, args...)...)
}

// problemf notes what is wrong; of many only the first ones.
func (s *soak) problemf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.problems) < 20 {
		s.problems = append(s.problems, fmt.Sprintf(format, args...))
	}
}

// launch starts the servers. Sessions and 2026-07-28 have one server over TCP.
func (s *soak) launch(ctx context.Context, p *Program) error {
	for _, t := range []Transport{Stdio, Modern, Unix} {
		row := &Row{Options: []string{"SessionTimeout=" + s.SessionTimeout.String()}}
		if t == Stdio {
			row.Options = nil
		}
		proc, err := Start(context.WithoutCancel(ctx), p, t, row, false)
		if err != nil {
			return err
		}
		s.procs = append(s.procs, &soaked{Process: proc, transport: t})
		w := &way{proc: proc, patience: time.Minute, to: address{transport: t, path: "/mcp", revision: "2025-11-25",
			capabilities: `{}`}}
		s.ways = append(s.ways, w)
		switch t {
		case Stdio:
			if err := w.openLines(); err != nil {
				return err
			}
		case Modern:
			legacy := *w
			legacy.to.transport = Sessions
			s.ways = append(s.ways, &legacy)
		}
	}
	return nil
}

// wave opens all streams once and closes them. The Go runtime keeps the descriptors of goroutines for ever, about 800
// bytes for each stream, so that only a second wave shows what a server keeps.
func (s *soak) wave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var group sync.WaitGroup
	for i := range s.Streams {
		group.Go(func() { s.stream(ctx, i, time.Duration(s.Streams)*2*time.Millisecond) })
	}
	for s.opened.Load() < int64(s.Streams) && ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	group.Wait()
	s.opened.Store(0)
	s.events.Store(0)
	s.silent.Store(0)
	s.notified.Store(0)
}

// warm makes a little of each kind of load, so that what is made once does not count, and looks what servers hold then.
func (s *soak) warm(ctx context.Context) error {
	random := rand.New(rand.NewPCG(s.Seed, 0))
	for _, w := range s.ways {
		for range 20 {
			if err := w.ask(ctx, &Row{}); err != nil {
				return fmt.Errorf("%s: %w: %w", w.to.transport, ErrUnfit, err)
			}
		}
		h := hostile{soak: s, way: w, random: random}
		for range 300 / packed {
			h.send(ctx)
		}
		h.close()
		if w.to.transport != Stdio {
			for range 100 {
				s.abandon(ctx, w, random)
			}
		}
	}
	s.wave(ctx)
	s.messages.Store(0)
	s.cycles.Store(0)
	s.mu.Lock()
	clear(s.kinds)
	s.mu.Unlock()
	time.Sleep(2 * s.SessionTimeout)
	for _, proc := range s.procs {
		r := &run{way: &way{proc: proc.Process, patience: time.Minute}}
		var err error
		if proc.before, err = r.settled(ctx); err != nil {
			return err
		}
	}
	return nil
}

// settle waits until a server holds as much as at the start.
func (s *soak) settle(ctx context.Context, proc *soaked) {
	late := time.Now().Add(2*s.SessionTimeout + time.Minute)
	for {
		now, err := proc.State(ctx)
		if err != nil {
			s.problemf("%s: %v", proc.transport, err)
			return
		}
		most := proc.before.Heap*105/100 + 2_000_000
		if now.within(proc.before) && now.Heap <= most {
			s.logf("%-20s after:  %s", proc.transport, now)
			return
		}
		if time.Now().After(late) {
			s.logf("%-20s after:  %s", proc.transport, now)
			s.problemf("%s: before %s, after %s; at most %.3f MB are allowed\n%.20000s", proc.transport, proc.before, now,
				float64(most)/1e6, proc.Stacks())
			return
		}
		time.Sleep(time.Second)
	}
}
