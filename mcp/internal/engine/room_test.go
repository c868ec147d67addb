package engine

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// waiter begins a wait, and notes its name in order once it has its bytes.
type waiter struct {
	mu    sync.Mutex
	order []string
	wg    sync.WaitGroup
}

func (w *waiter) begin(t *Turns, client string, n int64, ends ...<-chan struct{}) {
	name := client + fmt.Sprint(n)
	w.wg.Go(func() {
		if !t.Await(client, n, ends...) {
			name = "not " + name
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.order = append(w.order, name)
	})
	synctest.Wait()
}

// free is room for a number of bytes, of which a client may have half.
type free struct {
	left int64
	own  map[any]int64
	most int64
}

func (f *free) take(client any, n int64) (ok, own bool) {
	if f.own[client]+n > f.most && f.own[client] > 0 {
		return false, true
	}
	if n > f.left {
		return false, false
	}
	f.left -= n
	f.own[client] += n
	return true, false
}

func (f *free) give(t *Turns, client any, n int64) {
	t.mu.Lock()
	f.left += n
	f.own[client] -= n
	t.mu.Unlock()
	t.Gave()
	synctest.Wait()
}

// Requests of one client have their turns in their order, clients one after the other; whom its own share keeps from
// its turn keeps nobody else, and a small request of a client that has none does not wait behind others.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const m = 1 << 20
		f := &free{left: 100 * m, own: map[any]int64{}, most: 60 * m}
		turns := &Turns{Take: f.take}
		w := new(waiter)
		w.begin(turns, "a", 50*m)
		w.begin(turns, "a", 11*m) // more than its share
		w.begin(turns, "a", 55*m)
		w.begin(turns, "b", 45*m)
		w.begin(turns, "b", 13*m)
		w.begin(turns, "c", 14*m) // too much for what is left
		w.begin(turns, "d", 1)
		gone := make(chan struct{})
		w.begin(turns, "e", 2*m, gone)
		close(gone)
		synctest.Wait()
		f.give(turns, "a", 50*m)
		f.give(turns, "b", 45*m)
		f.give(turns, "a", 11*m)
		w.wg.Wait()
		want := []string{"a52428800", "b47185920", "d1", "not e2097152"}
		if len(w.order) != 8 || !slices.Equal(w.order[:4], want) || w.order[7] != "a57671680" {
			t.Errorf("got %v", w.order)
		}
		if len(turns.order)+len(turns.lines)+int(turns.waiting.Load()) != 0 {
			t.Error("somebody waits still")
		}
	})
}

// A wait ends, and what others waited behind is out of their way then.
func TestTurnsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(100, nil, nil)
		if !p.Await(1000, nil) {
			t.Fatal("a response that is alone may be larger")
		}
		got := make(chan bool)
		go func() { got <- p.Await(10, nil) }()
		if <-got {
			t.Error("there is room for more than there is")
		}
		go func() { got <- p.Await(10, nil) }()
		synctest.Wait()
		p.Give(1000)
		if !<-got {
			t.Error("no turn although all was given back")
		}
	})
}

// A batch of which one request has room does not wait for its own room.
func TestBatchRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(100, nil, nil)
		x := NewExchange(struct {
			*recorder
			Room
		}{new(recorder), p})
		b := NewBatch(&x, 2)
		one, two := b.Item(), b.Item()
		if !one.Room().Await(80, nil) || two.Room().Await(80, nil) {
			t.Error("one request of a batch has room, and the next has none")
		}
		one.Room().Give(80)
		if !two.Room().Await(80, nil) {
			t.Error("there is room again")
		}
	})
}
