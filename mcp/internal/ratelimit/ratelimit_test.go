package ratelimit_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// number returns the key of a connection.
func number(n int) ratelimit.Key { return ratelimit.Key{Conn: uint64(n)} }

func TestTake(t *testing.T) {
	var l ratelimit.Limiter
	r := ratelimit.Rate{Calls: 2, Per: time.Minute}
	for i, c := range []struct {
		key  string
		at   time.Duration
		wait time.Duration
	}{
		{"a", 0, 0}, {"a", 0, 0}, {"a", 0, 30 * time.Second}, {"b", 0, 0}, // each key has its own
		{"a", 10 * time.Second, 20 * time.Second}, // a refusal costs nothing
		{"a", 30 * time.Second, 0}, {"a", 30 * time.Second, 30 * time.Second},
		{"a", time.Hour, 0}, {"a", time.Hour, 0}, {"a", time.Hour, 30 * time.Second}, // no more than the burst is saved
	} {
		if got := l.Take(ratelimit.Key{Subject: c.key}, r, noon.Add(c.at)); got.Round(time.Microsecond) != c.wait {
			t.Errorf("%d: %s waits %v, want %v", i, c.key, got, c.wait)
		}
	}
}

func TestBurst(t *testing.T) {
	var l ratelimit.Limiter
	r := ratelimit.Rate{Calls: 1, Burst: 3, Per: time.Second}
	for i := range 4 {
		if wait := l.Take(number(0), r, noon); (wait > 0) != (i == 3) {
			t.Errorf("call %d waits %v", i, wait)
		}
	}
}

// A limiter remembers so many keys, and forgets the one that has not called for the longest time.
func TestMaxKeys(t *testing.T) {
	var l ratelimit.Limiter
	r := ratelimit.Rate{Calls: 1, Per: time.Hour}
	for key := range ratelimit.MaxKeys {
		l.Take(number(key), r, noon)
	}
	l.Take(number(0), r, noon) // refused, but now the last to call
	l.Take(number(-1), r, noon)
	for key, forgotten := range map[int]bool{0: false, 2: false, ratelimit.MaxKeys - 1: false} {
		if wait := l.Take(number(key), r, noon); (wait == 0) != forgotten {
			t.Errorf("key %d waits %v", key, wait)
		}
	}
	if wait := l.Take(number(1), r, noon); wait != 0 {
		t.Errorf("the key that has not called for the longest time is remembered: %v", wait)
	}
}

func TestEnter(t *testing.T) {
	var l ratelimit.Limiter
	for i, want := range []bool{true, true, false} {
		if got := l.Enter(2); got != want {
			t.Errorf("call %d of two that may run: %v", i+1, got)
		}
	}
	l.Leave()
	if !l.Enter(2) || l.Enter(2) {
		t.Error("not one more after one has left")
	}
	if !l.Enter(0) {
		t.Error("0 is no limit")
	}
}

// Of calls at the same time no more are let in than the rate allows.
func TestTogether(t *testing.T) {
	var (
		l     ratelimit.Limiter
		in    atomic.Int64
		tasks sync.WaitGroup
	)
	for range 8 {
		tasks.Go(func() {
			for range 100 {
				if l.Take(number(7), ratelimit.Rate{Calls: 50, Per: time.Hour}, noon) == 0 {
					in.Add(1)
				}
			}
		})
	}
	tasks.Wait()
	if in.Load() != 50 {
		t.Errorf("%d calls, want 50", in.Load())
	}
}
