package deliver

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// many puts subscriptions into the store, each for a service of its own.
func (w *world) many(n int) {
	w.Helper()
	secret, _ := json.Marshal(map[string][]byte{"New": make([]byte, 32)})
	for i := range n {
		s := &event.Subscription{
			ID: fmt.Sprint("sub", i), Shard: i % event.Shards, Principal: "bob", Name: "incident",
			URL: fmt.Sprintf("https://h%d.test/hook", i), Arguments: fmt.Appendf(nil, `{"service":"s%d"}`, i),
			Secrets: secret, Expires: time.Now().Add(time.Hour),
		}
		limits := event.SubscriptionLimits{PerPrincipal: n, Total: n}
		if err := w.store.Put(w.Context(), s, &event.Progress{At: w.end()}, limits); err != nil {
			w.Fatal(err)
		}
	}
}

func (w *world) looked() (reads, looks int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reads, w.looks
}

// An event costs those a read that it is for, and the others nothing, however many there are: whether somebody has said
// that there is one or not.
func TestOnlyMatchesRead(t *testing.T) {
	for _, n := range []int{100, 2000} {
		inBubble(t, func(w *world) {
			w.many(n)
			c := w.callback("https://hook.test/a", nil)
			e, _ := w.replica(Options{})
			w.subscribe(e, "https://hook.test/a", "a")
			time.Sleep(time.Minute - 15*time.Second) // between two looks at all of them
			for i := range 10 {
				w.deaf = i%2 == 0
				reads, looks := w.looked()
				w.append([]string{"a", "nobody"}[i/9], 1)
				time.Sleep(time.Second)
				moreReads, moreLooks := w.looked()
				if moreReads -= reads; moreReads > 2 {
					t.Errorf("%d subscriptions: an event for one has cost %d reads", n, moreReads)
				}
				if moreLooks -= looks; moreLooks > 8 {
					t.Errorf("%d subscriptions: an event has cost %d looks", n, moreLooks)
				}
			}
			w.all(c, 9, 0)
		})
	}
}

// Whoever becomes idle while others are looked for misses nothing.
func TestIdleMissesNothing(t *testing.T) {
	inBubble(t, func(w *world) {
		w.lookTime = 30 * time.Millisecond
		e, _ := w.replica(Options{})
		callbacks, want := map[string]*callback{}, map[string]int{}
		for i := range 4000 {
			if i%500 == 0 {
				service := fmt.Sprint("s", i/500)
				time.Sleep(time.Second)
				url := "https://hook.test/" + service
				callbacks[service] = w.callback(url, nil)
				if _, err := e.Subscribe(w.Context(), w.request(url, service)); err != nil {
					t.Fatal(err)
				}
				time.Sleep(5 * time.Millisecond) // it has read, and is not known yet
			}
			service := fmt.Sprint("s", i/500)
			want[service]++
			w.deaf = i%3 == 1 && i%500 > 0
			w.append(service, 1)
			time.Sleep(time.Duration(i*7919%40) * time.Millisecond)
		}
		time.Sleep(20 * time.Second)
		for service, c := range callbacks {
			w.all(c, want[service], 0)
		}
	})
}
