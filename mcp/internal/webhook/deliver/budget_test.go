package deliver

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// hanging subscribes callbacks that do not answer, each of a host of its own, of some principals.
func (w *world) hanging(e *replica, principals, each int) {
	w.Helper()
	for p := range principals {
		for i := range each {
			url := fmt.Sprintf("https://hang%d-%d.test/", p, i)
			c := w.callback(url, nil)
			r := w.request(url, "")
			r.Caller = event.Caller{Subject: fmt.Sprint("hang", p)}
			if _, err := e.Subscribe(w.Context(), r); err != nil {
				w.Fatal(err)
			}
			c.answer = always(http.StatusOK, time.Hour)
		}
	}
	time.Sleep(2 * time.Second)
}

// Principals whose callbacks hang, however many attempts they wait for, leave room for those of others.
func TestHangingPrincipals(t *testing.T) {
	inBubble(t, func(w *world) {
		e, _ := w.replica(Options{})
		good := w.callback(here, nil)
		w.subscribe(e, here, "")
		w.hanging(e, 40, 8)
		for i := range 10 {
			w.append("db", 4)
			time.Sleep(time.Second)
			w.all(good, 4*(i+1), 0)
			if n := e.Stats().InFlight; i == 1 && n < 400 {
				w.Errorf("only %d attempts hang", n)
			}
		}
		time.Sleep(time.Minute)
		w.append("db", 1)
		time.Sleep(time.Second)
		w.all(good, 41, 0)
	})
}
