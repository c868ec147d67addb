package taskrun

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// slowLists is a store whose lists take a while.
type slowLists struct {
	task.Store
	now, most atomic.Int64 // records that are asked for at the same time
}

func (s *slowLists) List(ctx context.Context, principal, after string, limit int) ([]*task.Head, error) {
	s.most.Store(max(s.most.Load(), s.now.Add(int64(limit))))
	defer s.now.Add(int64(-limit))
	time.Sleep(100 * time.Millisecond)
	return s.Store.List(ctx, principal, after, limit)
}

// Lists give all records in their order, and hold few of them at a time, whoever asks.
func TestList(t *testing.T) {
	t.Attr("requirements", "task-list-complete task-list-pages")
	synctest.Test(t, func(t *testing.T) {
		s := &slowLists{Store: new(task.Memory)}
		e := outcomes(t, task.Options{Store: s}, Outcome{Result: []byte(`{}`)})
		var want []string
		for range 35 {
			r := newRecord(true)
			if err := e.Create(t.Context(), r, time.Hour); err != nil {
				t.Fatal(err)
			}
			want = append(want, r.ID)
			time.Sleep(time.Millisecond)
		}
		for _, limit := range []int{0, 1, listBatch - 1, listBatch, listBatch + 1, 35, 36, 100} {
			for range 3 {
				go func() {
					var got []string
					err := e.List(t.Context(), "p", want[0], limit, func(r *task.Head) { got = append(got, r.ID) })
					if wanted := want[1:min(1+limit, len(want))]; err != nil || !slices.Equal(got, wanted) {
						t.Errorf("limit %d: %d records, %v; want %d", limit, len(got), err, len(wanted))
					}
				}()
			}
		}
		time.Sleep(5 * time.Second)
		if n := s.most.Load(); n > maxLists*listBatch {
			t.Errorf("%d records at a time", n)
		}
	})
}
