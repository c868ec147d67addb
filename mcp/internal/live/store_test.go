package live

import (
	"cmp"
	"context"
	"iter"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// note is a value of a store.
type note struct {
	ID   int
	Body string
	When time.Time
}

func newNotes() *Store[int] {
	return NewStore(StoreConfig[int, note]{
		Key:     func(n note) int { return n.ID },
		Compare: cmp.Compare[int],
		Parse:   func(uri string) (int, error) { return strconv.Atoi(strings.TrimPrefix(uri, "note:///")) },
		Entry: func(b []byte, n note) feature.Ref {
			return feature.Ref{URI: strconv.AppendInt(append(b, "note:///"...), int64(n.ID), 10),
				Info: feature.RefInfo{Modified: n.When}}
		},
		Contents: func(n note, err error) (content.Contents, error) { return content.AsText(n.Body, err) },
	})
}

// The clock of the store counts only changes that clients can see; a time in the value comes first.
func TestStoreClock(t *testing.T) {
	s := newNotes()
	now := time.Date(2026, 7, 28, 9, 0, 0, 0, time.UTC)
	s.clock = func() time.Time { now = now.Add(time.Hour); return now }
	stamp := func(n note) int {
		t.Helper()
		if err := s.Put(n); err != nil {
			t.Fatal(err)
		}
		return s.at(1).ref.Info.Modified.Hour()
	}
	first := stamp(note{ID: 1, Body: "a"})
	if again := stamp(note{ID: 1, Body: "a"}); again != first {
		t.Errorf("the same value again: %d o'clock, want %d", again, first)
	}
	if later := stamp(note{ID: 1, Body: "b"}); later == first {
		t.Error("another body has the same time")
	}
	if own := stamp(note{ID: 1, Body: "b", When: time.Unix(0, 0).UTC()}); own != 0 {
		t.Errorf("the value's own time is lost: %d o'clock", own)
	}
	if n := s.at(1).ref.Info.Size; n == nil || *n != 1 {
		t.Errorf("size %v", n)
	}
}

// More changes than the bound make everything be loaded; Close ends loads that hang.
func TestManyLoads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		notes := newNotes()
		calls, all := 0, 0
		var mu sync.Mutex
		notes.LoadWith(func(ctx context.Context, _ int) (any, bool, error) {
			mu.Lock()
			calls++
			mu.Unlock()
			<-ctx.Done()
			return nil, false, ctx.Err()
		})
		notes.LoadAllWith(func(context.Context) iter.Seq2[any, error] {
			mu.Lock()
			all++
			mu.Unlock()
			return func(func(any, error) bool) {}
		})
		var l Loads
		l.Init(slog.New(slog.DiscardHandler))
		for i := range 3 * maxLoadsAhead {
			l.Add(notes, "note:///"+strconv.Itoa(i))
		}
		if n := len(l.wanted) + len(l.later); n > maxLoadsAhead+1 {
			t.Errorf("%d are wanted", n)
		}
		synctest.Wait()
		if calls != maxLoads {
			t.Errorf("%d at the same time", calls)
		}
		l.Close()
		if calls != maxLoads || all != 0 {
			t.Errorf("%d and %d calls after close", calls, all)
		}
	})
}
