package deliver

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// An event that is abandoned is a gap; one that the callback refuses for good is none, and is not sent again.
func TestAbandon(t *testing.T) {
	t.Attr("requirements", "event-retry event-attempts")
	inBubble(t, func(w *world) {
		answers := map[string]int{
			"evt1": http.StatusGone, "evt2": http.StatusRequestEntityTooLarge, "evt3": http.StatusBadGateway,
		}
		c := w.callback(here, func(m received) (int, time.Duration) {
			if status := answers[m.id]; status > 0 {
				return status, 0
			}
			return http.StatusOK, 0
		})
		e, _ := w.replica(Options{})
		w.subscribe(e, here, "")
		w.append("db", 2)
		time.Sleep(time.Minute)
		if len(w.messages(c)) != 2 {
			w.Fatalf("410 and 413: %d attempts", len(w.messages(c)))
		}
		w.append("db", 100)
		time.Sleep(time.Minute)
		w.all(c, 99, 0) // the others go on
		time.Sleep(20 * time.Minute)
		tries := 0
		for _, m := range w.messages(c) {
			if m.id == "evt3" {
				tries++
			}
		}
		if _, kinds := w.got(c); tries != 5 || !slices.Equal(kinds, []string{"gap"}) {
			w.Errorf("%d attempts, then %v", tries, kinds)
		}
		if got := e.Stats(); got.Abandoned != 3 || got.Gaps != 1 {
			w.Errorf("stats %+v", got)
		}
	})
}

// What is lost while a gap is told is another gap.
func TestLossDuringGap(t *testing.T) {
	inBubble(t, func(w *world) {
		c := w.callback(here, func(m received) (int, time.Duration) {
			switch m.id {
			case "evt1":
				return http.StatusBadGateway, 0
			case "evt2":
				return http.StatusBadGateway, 1500 * time.Millisecond
			}
			return http.StatusNoContent, 3 * time.Second
		})
		e, _ := w.replica(Options{Retries: []time.Duration{}})
		w.subscribe(e, here, "")
		w.append("db", 2)
		time.Sleep(time.Minute)
		_, kinds := w.got(c)
		if got := e.Stats(); !slices.Equal(kinds, []string{"gap", "gap"}) || got.Gaps != 2 {
			w.Fatalf("%v, stats %+v", kinds, got)
		}
		if first, last := w.messages(c)[2], w.messages(c)[3]; first.id == last.id || string(last.body["cursor"]) != `"e1:2"` {
			w.Errorf("the last gap is at %s", last.body["cursor"])
		}
	})
}

// A log that was truncated under a subscription is told.
func TestTruncated(t *testing.T) {
	t.Attr("requirements", "event-truncated event-controls")
	inBubble(t, func(w *world) {
		var status atomic.Int32
		status.Store(http.StatusServiceUnavailable)
		c := w.callback(here, func(received) (int, time.Duration) { return int(status.Load()), 0 })
		e, _ := w.replica(Options{})
		w.subscribe(e, here, "")
		w.append("db", 30)
		time.Sleep(time.Second)
		w.mu.Lock()
		w.first = 21
		w.mu.Unlock()
		status.Store(http.StatusOK)
		time.Sleep(10 * time.Minute)
		ids, kinds := w.got(c)
		if len(ids) != 10 || len(kinds) == 0 || kinds[0] != "gap" || len(kinds) > 2 {
			w.Fatalf("%v %v", ids, kinds)
		}
		for _, m := range w.messages(c) {
			if m.kind == "gap" && !strings.HasPrefix(string(m.body["cursor"]), `"e1:`) {
				w.Errorf("gap %s", m.body["cursor"])
			}
		}
	})
}

// A log that begins anew, as one in memory does after a restart.
func TestNewEpoch(t *testing.T) {
	inBubble(t, func(w *world) {
		c := w.callback(here, nil)
		e, _ := w.replica(Options{})
		w.subscribe(e, here, "")
		w.append("db", 5)
		time.Sleep(time.Second)
		w.mu.Lock()
		w.entries, w.epoch = nil, "e2"
		w.mu.Unlock()
		w.append("db", 3)
		time.Sleep(time.Minute)
		ids, kinds := w.got(c)
		if len(ids) != 8 || !slices.Equal(kinds, []string{"gap"}) {
			w.Fatalf("%v %v", ids, kinds)
		}
	})
}
