package taskrun

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// However many principals have 40 endless tasks each, a task of another one begins at once while one place is left, and
// else after as many tasks have ended as principals wait.
func TestNewcomer(t *testing.T) {
	for greedy, ends := range map[int]int{1: 0, 2: 0, 3: 0, 6: 0, 40: 41} {
		t.Run(fmt.Sprint(greedy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				end := make(chan struct{})
				began := make(chan string, 4000)
				e := newEngine(t, task.Options{}, func(ctx context.Context, r *Run) {
					began <- r.principal
					if r.principal != "newcomer" {
						select {
						case <-end:
						case <-ctx.Done():
						}
					}
					r.End(Outcome{Result: []byte(`{}`)})
				})
				for i := range greedy {
					createOf(t, e, fmt.Sprint("greedy", i), 40)
				}
				createOf(t, e, "newcomer", 1)
				if n := e.Running(); n > defaultRunning {
					t.Errorf("%d tasks run", n)
				}
				has := false
				for n := 0; ; n++ {
					time.Sleep(time.Second)
					for len(began) > 0 {
						has = <-began == "newcomer" || has
					}
					if has || n == ends {
						break
					}
					end <- struct{}{}
				}
				if !has {
					t.Errorf("the newcomer waits after %d tasks have ended", ends)
				}
			})
		})
	}
}

// Two principals leave a tenth of the room that is not reserved.
func TestTwoLeaveRoom(t *testing.T) {
	p := newPlaces(64)
	counts := make(map[string]int)
	for _, who := range []string{"a", "b", "c", "d"} {
		for p.room(who, 1) {
			p.take(who, 1)
			counts[who]++
		}
	}
	if got := fmt.Sprint(counts); got != "map[a:32 b:20 c:4 d:1]" {
		t.Error(got)
	}
	for who, n := range counts {
		for range n {
			p.give(who, 1)
		}
	}
	if p.used != [kinds]int64{} || len(p.of) != 0 {
		t.Errorf("%v, %v", p.used, p.of)
	}
}

// What is given to handlers is bounded in bytes, and a principal that has nothing gets a task of any size.
func TestRunningBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEngine(t, task.Options{MaxPerPrincipal: 1000, MaxBytes: 1 << 30},
			func(ctx context.Context, r *Run) { <-ctx.Done() })
		large := []byte(`"` + strings.Repeat("x", 3<<20) + `"`)
		for _, who := range []string{"a", "b", "c", "d", "e"} {
			for range 15 {
				r := newRecord(true)
				r.Principal, r.Args = who, large
				if err := e.Create(t.Context(), r, time.Hour); err != nil {
					t.Fatal(err)
				}
			}
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		if n := e.places.used[kindBytes]; n > maxRunningBytes || len(e.places.of) != 5 {
			t.Errorf("%d MiB of %d principals", n>>20, len(e.places.of))
		}
	})
}

// Arguments count as what they are decoded into too, when a task is made and when it is claimed.
func TestRunningValues(t *testing.T) {
	const values = 1 << 18
	args := []byte("[" + strings.Repeat(`"a",`, values-1) + `"a"]`)
	each := wire.DecodedSize(args) + int64(len(args))
	most := maxRunningBytes / 2 / int(each)
	if most != 6 {
		t.Fatalf("%d tasks of %d bytes", most, each)
	}
	synctest.Test(t, func(t *testing.T) {
		begun := make(chan *Run, 100)
		e := newEngine(t, task.Options{MaxPerPrincipal: 1000, MaxBytes: 1 << 30}, func(ctx context.Context, r *Run) {
			begun <- r
			<-ctx.Done()
		})
		for range 3 * most {
			r := newRecord(true)
			r.Args = args
			if err := e.Create(t.Context(), r, time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		running := func(when string, want int) {
			t.Helper()
			synctest.Wait()
			if n := e.Running(); n != want {
				t.Errorf("%s: %d tasks run, want %d", when, n, want)
			}
		}
		running("at first", most)
		for range most {
			if _, err := e.Cancel(t.Context(), (<-begun).ID()); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		running("later", most)
	})
}

// A task that is given more than there is room for runs when nothing else does.
func TestRunningAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := make(chan *Run, 2)
		e := newEngine(t, task.Options{}, func(ctx context.Context, r *Run) {
			begun <- r
			<-ctx.Done()
		})
		createOf(t, e, "p", 1)
		other := <-begun
		r := newRecord(true)
		r.Args = []byte("[" + strings.Repeat(`[],`, 1<<21) + "[]]")
		if n := inputBytes(&r.Body); n <= maxRunningBytes {
			t.Fatalf("%d bytes", n)
		}
		if err := e.Create(t.Context(), r, time.Hour); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if len(begun) != 0 {
			t.Error("it runs beside another one")
		}
		if _, err := e.Cancel(t.Context(), other.ID()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * claimEvery)
		if len(begun) != 1 || e.Running() != 1 {
			t.Error("it does not run alone")
		}
	})
}
