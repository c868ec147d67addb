package taskrun

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// Turns go to the principal that has fewest, each of which has half at most. Who waits too long learns that.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(4)
		var mu sync.Mutex
		busy, reads := make(map[string]int), make(map[string][]time.Duration)
		start := time.Now()
		read := func(who string, n int) {
			for range n {
				go func() {
					err := turns.take(t.Context(), who)
					mu.Lock()
					if err != nil && !errors.Is(err, ErrBusy) {
						t.Error(err)
					}
					if err != nil {
						busy[who]++
						mu.Unlock()
						return
					}
					mu.Unlock()
					time.Sleep(time.Second)
					turns.give(who)
					mu.Lock()
					defer mu.Unlock()
					reads[who] = append(reads[who], time.Since(start))
				}()
				synctest.Wait()
			}
		}
		read("a", 50)
		read("b", 50)
		read("c", 1) // waits for one read
		time.Sleep(time.Minute)
		synctest.Wait()
		if c := reads["c"]; len(c) != 1 || c[0] != 2*time.Second {
			t.Errorf("c reads at %v", c)
		}
		for who := range busy {
			if len(reads[who])+busy[who] != 50 || who == "c" {
				t.Errorf("%s: %d have read, and %d were refused", who, len(reads[who]), busy[who])
			}
		}
		if turns.taken != 0 || len(turns.of) != 0 || len(turns.waiting) != 0 {
			t.Errorf("%d, %v, %d", turns.taken, turns.of, len(turns.waiting))
		}
	})
}

// A principal that lists on many connections does not keep others from it.
func TestListsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowLists{Store: new(task.Memory)}
		e := outcomes(t, task.Options{Store: s, MaxPerPrincipal: 1000}, Outcome{Result: []byte(`{}`)})
		createOf(t, e, "p", 30)
		createOf(t, e, "q", 1)
		for range 50 {
			go func() { _ = e.List(t.Context(), "p", "", 100, func(*task.Head) {}) }()
		}
		for range 10 {
			began, n := time.Now(), 0
			err := e.List(t.Context(), "q", "", 10, func(*task.Head) { n++ })
			if d := time.Since(began); err != nil || n != 1 || d != 100*time.Millisecond {
				t.Errorf("%d after %v, %v", n, d, err)
			}
		}
		time.Sleep(time.Minute)
	})
}
