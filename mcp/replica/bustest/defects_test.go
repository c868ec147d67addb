package bustest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

const environment = "MCPGEN_DEFECT"

// altered is a handle on a bus in memory, with methods that a defect replaces.
type altered struct {
	replica.Bus

	publish   func(ctx context.Context, frame []byte) error
	subscribe func(ctx context.Context, receive func([]byte), gap func()) error
}

func (a *altered) Publish(ctx context.Context, frame []byte) error {
	if a.publish != nil {
		return a.publish(ctx, frame)
	}
	return a.Bus.Publish(ctx, frame)
}

func (a *altered) Subscribe(ctx context.Context, receive func([]byte), gap func()) error {
	if a.subscribe != nil {
		return a.subscribe(ctx, receive, gap)
	}
	return a.Bus.Subscribe(ctx, receive, gap)
}

// sent is a bus that changes what Publish gets.
func sent(change func(bus replica.Bus, frame []byte) []byte) func(replica.Bus) replica.Bus {
	return func(bus replica.Bus) replica.Bus {
		return &altered{Bus: bus, publish: func(ctx context.Context, frame []byte) error {
			if frame = change(bus, frame); frame == nil {
				return nil
			}
			return bus.Publish(ctx, frame)
		}}
	}
}

// received is a bus with another Subscribe.
func received(f func(bus replica.Bus, ctx context.Context, receive func([]byte), gap func()) error,
) func(replica.Bus) replica.Bus {
	return func(bus replica.Bus) replica.Bus {
		return &altered{Bus: bus, subscribe: func(ctx context.Context, receive func([]byte), gap func()) error {
			return f(bus, ctx, receive, gap)
		}}
	}
}

// defects are what an adapter may do wrong, and the test that must fail.
var defects = []struct {
	name, test string
	handle     func(bus replica.Bus) replica.Bus
}{
	{"no own frames", "echo", func(bus replica.Bus) replica.Bus {
		var own sync.Map
		return &altered{bus, func(ctx context.Context, frame []byte) error {
			own.Store(string(frame), true)
			return bus.Publish(ctx, frame)
		}, func(ctx context.Context, receive func([]byte), gap func()) error {
			return bus.Subscribe(ctx, func(frame []byte) {
				if _, ok := own.Load(string(frame)); !ok {
					receive(frame)
				}
			}, gap)
		}}
	}},
	{"no gap", "live", received(func(bus replica.Bus, ctx context.Context, receive func([]byte), _ func()) error {
		return bus.Subscribe(ctx, receive, func() {})
	})},
	{"gap before it is live", "live",
		received(func(bus replica.Bus, ctx context.Context, receive func([]byte), gap func()) error {
			gap()
			time.Sleep(20 * time.Millisecond)
			return bus.Subscribe(ctx, receive, func() {})
		})},
	{"first frame is lost", "live",
		received(func(bus replica.Bus, ctx context.Context, receive func([]byte), gap func()) error {
			first := true
			return bus.Subscribe(ctx, func(frame []byte) {
				if !first {
					receive(frame)
				}
				first = false
			}, gap)
		})},
	{"frames end at a newline", "frames", sent(func(_ replica.Bus, frame []byte) []byte {
		line, _, _ := strings.Cut(string(frame), "\n")
		return []byte(line)
	})},
	{"large frames are cut", "frames", sent(func(_ replica.Bus, frame []byte) []byte {
		return frame[:min(len(frame), 1<<20-1)]
	})},
	{"frames are text", "frames", sent(func(_ replica.Bus, frame []byte) []byte {
		return []byte(strings.ToValidUTF8(string(frame), "?"))
	})},
	{"overlapping calls", "one_at_a_time",
		received(func(bus replica.Bus, ctx context.Context, receive func([]byte), gap func()) error {
			var wait sync.WaitGroup
			defer wait.Wait()
			return bus.Subscribe(ctx, func(frame []byte) { wait.Go(func() { receive(frame) }) }, gap)
		})},
	{"overlapping gap", "one_at_a_time",
		received(func(bus replica.Bus, ctx context.Context, receive func([]byte), gap func()) error {
			var wait sync.WaitGroup
			defer wait.Wait()
			return bus.Subscribe(ctx, func(frame []byte) { wait.Go(gap); receive(frame) }, gap)
		})},
	{"keeps the frame of the publisher", "frames_are_copies", func(bus replica.Bus) replica.Bus {
		return &altered{Bus: bus, publish: func(ctx context.Context, frame []byte) error {
			time.AfterFunc(time.Millisecond, func() { _ = bus.Publish(ctx, frame) })
			return nil
		}}
	}},
	{"uses its memory again", "frames_are_copies",
		received(func(bus replica.Bus, ctx context.Context, receive func([]byte), gap func()) error {
			buffer := make([]byte, replica.MaxFrame)
			return bus.Subscribe(ctx, func(frame []byte) { receive(buffer[:copy(buffer, frame)]) }, gap)
		})},
	{"receivers share memory", "frames_are_copies", func(bus replica.Bus) replica.Bus {
		var mu sync.Mutex
		shared := make(map[string][]byte)
		return &altered{Bus: bus, subscribe: func(ctx context.Context, receive func([]byte), gap func()) error {
			return bus.Subscribe(ctx, func(frame []byte) {
				mu.Lock()
				one, ok := shared[string(frame)]
				if !ok {
					one = frame
					shared[string(frame)] = one
				}
				mu.Unlock()
				receive(one)
			}, gap)
		}}
	}},
	{"loses frames", "many_publishers", func(bus replica.Bus) replica.Bus {
		var count atomic.Int32
		return sent(func(_ replica.Bus, frame []byte) []byte {
			if len(frame) == 200 && count.Add(1)%50 == 0 {
				return nil
			}
			return frame
		})(bus)
	}},
	{"one subscription for each handle", "many_subscriptions", func(bus replica.Bus) replica.Bus {
		var busy atomic.Bool
		return &altered{Bus: bus, subscribe: func(ctx context.Context, receive func([]byte), gap func()) error {
			if busy.Swap(true) {
				return errors.New("there is a subscription")
			}
			defer busy.Store(false)
			return bus.Subscribe(ctx, receive, gap)
		}}
	}},
	{"one ends all", "many_subscriptions", func(bus replica.Bus) replica.Bus {
		all, end := context.WithCancel(context.Background())
		return &altered{Bus: bus, subscribe: func(ctx context.Context, receive func([]byte), gap func()) error {
			one, cancel := context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(all, cancel)()
			defer end()
			return bus.Subscribe(one, receive, gap)
		}}
	}},
	{"the end is no error", "end",
		received(func(bus replica.Bus, ctx context.Context, receive func([]byte), gap func()) error {
			_ = bus.Subscribe(ctx, receive, gap)
			return nil
		})},
	{"ends with the next frame only", "end",
		received(func(bus replica.Bus, ctx context.Context, receive func([]byte), gap func()) error {
			open, cancel := context.WithCancel(context.Background())
			defer cancel()
			return errors.Join(bus.Subscribe(open, func(frame []byte) {
				if receive(frame); ctx.Err() != nil {
					cancel()
				}
			}, gap), ctx.Err())
		})},
	{"calls after its end", "end_while_frames_flow",
		received(func(bus replica.Bus, ctx context.Context, receive func([]byte), gap func()) error {
			go func() { _ = bus.Subscribe(context.WithoutCancel(ctx), receive, gap) }()
			<-ctx.Done()
			return ctx.Err()
		})},
	{"subscribes once", "subscribe_again", func(bus replica.Bus) replica.Bus {
		var used atomic.Bool
		return &altered{Bus: bus, subscribe: func(ctx context.Context, receive func([]byte), gap func()) error {
			if used.Swap(true) {
				return errors.New("closed")
			}
			return bus.Subscribe(ctx, receive, gap)
		}}
	}},
	{"subscriptions stay", "subscribe_again",
		received(func(bus replica.Bus, ctx context.Context, receive func([]byte), gap func()) error {
			go func() { _ = bus.Subscribe(context.WithoutCancel(ctx), func([]byte) {}, func() {}) }()
			return bus.Subscribe(ctx, receive, gap)
		})},
	{"Publish waits for receivers", "publish_does_not_wait", func(bus replica.Bus) replica.Bus {
		var receiving sync.Mutex
		return &altered{bus, func(ctx context.Context, frame []byte) error {
			receiving.Lock()
			defer receiving.Unlock()
			return bus.Publish(ctx, frame)
		}, func(ctx context.Context, receive func([]byte), gap func()) error {
			return bus.Subscribe(ctx, func(frame []byte) {
				receiving.Lock()
				defer receiving.Unlock()
				receive(frame)
			}, func() { receiving.Lock(); defer receiving.Unlock(); gap() })
		}}
	}},
	{"a slow receiver loses frames", "slow_receiver",
		received(func(bus replica.Bus, ctx context.Context, receive func([]byte), gap func()) error {
			once := sync.OnceFunc(gap)
			return bus.Subscribe(ctx, receive, once)
		})},
}

// TestDefects plants each defect into a bus, and runs the suite in a process of its own, where it must fail.
func TestDefects(t *testing.T) {
	for _, d := range defects {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			mustFail(t, "TestDefective", d.name, d.test)
		})
	}
}

// mustFail runs a test of this package with a defect.
func mustFail(t *testing.T, name, defect, want string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+name+"$/^"+want+"$", "-test.v",
		"-test.timeout=2m")
	cmd.Env = append(os.Environ(), environment+"="+defect)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("the suite does not find it\n%s", out)
	}
	// What a defect still calls after the end of its test is a panic of package testing. One of Fail is a finding too,
	// and may come before the failure is printed.
	late := regexp.MustCompile(`panic: (Log|Fail) in goroutine after ` + name + `\S* has completed`)
	text := late.ReplaceAllString(string(out), "")
	found := strings.Contains(text, "--- FAIL: "+name+"/"+want) ||
		strings.Contains(string(out), "panic: Fail in goroutine")
	if !found || strings.Contains(text, "panic:") {
		t.Fatalf("test %q does not fail as it should\n%s", want, out)
	}
}

// TestDefective is what TestDefects runs.
func TestDefective(t *testing.T) {
	for _, d := range defects {
		if d.name == os.Getenv(environment) {
			patience = time.Second
			var bus memory.Bus
			shared := d.handle(&bus)
			Run(t, func(*testing.T) replica.Bus {
				if d.test == "echo" { // one for each replica
					return d.handle(&bus)
				}
				return shared
			})
		}
	}
}
