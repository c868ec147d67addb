package deliver

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/egress"
)

// fast is a log of which subscription 0 to 2 get every event, and the others none.
type fast struct {
	host

	end   atomic.Uint64
	first [3]any // tags of those that get every event
}

func (f *fast) Watch(r *event.Reader, tag any) bool {
	if len(r.ID) == 1 && r.ID < "3" {
		f.first[r.ID[0]-'0'] = tag
	}
	return true
}

func (*fast) Unwatch(any) {}

func (f *fast) Match(context.Context, string, event.Position) (event.Match, error) {
	return event.Match{After: event.Position{Epoch: "e", Seq: f.end.Load()}, Tags: f.first[:]}, nil
}

func (*fast) Logger() *slog.Logger                      { return slog.New(slog.DiscardHandler) }
func (*fast) Open(sealed, _ []byte) ([]byte, error)     { return sealed, nil }
func (*fast) Cursor(string, int, event.Position) string { return "c" }

func (f *fast) Read(_ context.Context, r *event.Reader, after event.Position, limit int) (b event.Batch, err error) {
	b.After = event.Position{Epoch: "e", Seq: f.end.Load()}
	if len(r.ID) > 1 || r.ID > "2" {
		return b, nil
	}
	for after.Seq < b.After.Seq && len(b.Events) < limit {
		after.Seq++
		after.Epoch = "e"
		b.Events = append(b.Events, event.Occurrence{At: after, ID: "evt", Body: []byte(`{"eventId":"evt"`)})
	}
	b.More = after.Seq < b.After.Seq
	b.After = event.Position{Epoch: "e", Seq: after.Seq}
	return b, nil
}

// BenchmarkMatch delivers one event to 3 of many subscriptions, all of which are asked. It reports what each
// subscription takes of memory, besides what the store has.
func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var store event.MemoryStore
			var delivered atomic.Int64
			secret, _ := json.Marshal(map[string][]byte{"New": make([]byte, 32)})
			for i := range n {
				s := &event.Subscription{
					ID: fmt.Sprint(i), Shard: i % event.Shards, Principal: fmt.Sprint(i / 100), Name: "incident",
					URL: fmt.Sprintf("https://h%d.test/hook", i), Arguments: json.RawMessage(`{"service":"db"}`),
					Secrets: secret, Expires: time.Now().Add(time.Hour),
				}
				p := &event.Progress{At: event.Position{Epoch: "e"}}
				if err := store.Put(b.Context(), s, p, event.SubscriptionLimits{PerPrincipal: n, Total: n}); err != nil {
					b.Fatal(err)
				}
			}
			heap := func() uint64 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				return m.HeapAlloc
			}
			before := heap()
			e := New(Options{Store: &store, Post: func(context.Context, string, http.Header, []byte) (*egress.Answer, error) {
				delivered.Add(1)
				return &egress.Answer{Status: http.StatusOK}, nil
			}})
			log := new(fast)
			e.Start(log)
			defer e.Close(context.Background())
			for e.Stats().Subscriptions < int64(n) {
				time.Sleep(time.Millisecond)
			}
			each := float64(heap()-before) / float64(n)
			b.ResetTimer()
			b.ReportMetric(each, "B/subscription")
			for range b.N {
				want := delivered.Load() + 3
				log.end.Add(1)
				e.Wake("incident")
				for delivered.Load() < want {
					time.Sleep(10 * time.Microsecond)
				}
			}
		})
	}
}
