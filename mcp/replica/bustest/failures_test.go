package bustest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

// broker is a bus in memory that can be stopped, paused and cut off, as a process behind a network.
type broker struct {
	bus    memory.Bus
	defect string

	mu      sync.Mutex
	away    chan struct{} // closed when it is back; nil if it is there
	hangs   chan struct{} // closed when it goes on; nil if it works
	session context.Context
	cut     context.CancelFunc
}

func newBroker(defect string) *broker {
	b := &broker{defect: defect}
	b.session, b.cut = context.WithCancel(context.Background())
	return b
}

func (b *broker) hooks() Faults {
	return Faults{
		Stop:   func(*testing.T) { b.set(&b.away); b.disconnect() },
		Start:  func(*testing.T) { b.clear(&b.away) },
		Pause:  func(*testing.T) { b.set(&b.hangs) },
		Resume: func(*testing.T) { b.clear(&b.hangs) },
		Cut:    func(*testing.T) { b.disconnect() },
	}
}

func (b *broker) set(c *chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	*c = make(chan struct{})
}

func (b *broker) clear(c *chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(*c)
	*c = nil
}

func (b *broker) disconnect() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cut()
	b.session, b.cut = context.WithCancel(context.Background())
}

func (b *broker) state() (away, hangs chan struct{}, session context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.away, b.hangs, b.session
}

// wait waits for the end of ctx or of a fault, unless a defect makes it wait for the fault only.
func (b *broker) wait(ctx context.Context, fault chan struct{}, defect string) {
	done := ctx.Done()
	if b.defect == defect {
		done = nil
	}
	select {
	case <-done:
	case <-fault:
	}
}

func (b *broker) Publish(ctx context.Context, frame []byte) error {
	away, hangs, _ := b.state()
	switch {
	case hangs != nil:
		b.wait(ctx, hangs, "Publish hangs")
	case away != nil && b.defect == "Publish waits for the broker":
		<-away
	case away != nil:
		return errors.New("no connection")
	}
	return b.bus.Publish(ctx, frame)
}

func (b *broker) Subscribe(ctx context.Context, receive func([]byte), gap func()) error {
	for ctx.Err() == nil {
		away, hangs, session := b.state()
		switch {
		case hangs != nil:
			b.wait(ctx, hangs, "Subscribe hangs")
		case away != nil:
			b.wait(ctx, away, "Subscribe waits for the broker")
		default:
			b.serve(ctx, session, receive, gap)
			if b.defect == "no second connection" && ctx.Err() == nil {
				<-ctx.Done()
			}
			if b.defect == "no gap after a connection was lost" {
				gap = func() {}
			}
		}
	}
	return ctx.Err()
}

// serve is one connection.
func (b *broker) serve(ctx, session context.Context, receive func([]byte), gap func()) {
	one, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(session, cancel)()
	_ = b.bus.Subscribe(one, receive, gap)
}

// A bus that does all right passes.
func TestFaults(t *testing.T) {
	b := newBroker("")
	RunFaults(t, func(*testing.T) replica.Bus { return b }, b.hooks())
}

// failures are defects that only show when the broker fails, and the test that must fail.
var failures = map[string]string{
	"no gap after a connection was lost": "cut",
	"no second connection":               "restart",
	"Publish waits for the broker":       "broker_away",
	"Subscribe waits for the broker":     "broker_away",
	"Publish hangs":                      "broker_hangs",
	"Subscribe hangs":                    "broker_hangs",
}

func TestFailures(t *testing.T) {
	for defect, test := range failures {
		t.Run(defect, func(t *testing.T) {
			t.Parallel()
			mustFail(t, "TestFailing", defect, test)
		})
	}
}

// TestFailing is what TestFailures runs.
func TestFailing(t *testing.T) {
	if defect := os.Getenv(environment); failures[defect] != "" {
		patience = time.Second
		b := newBroker(defect)
		RunFaults(t, func(*testing.T) replica.Bus { return b }, b.hooks())
	}
}
