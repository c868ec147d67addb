package pubsub

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Random additions and removals keep an dueQueue sorted and linked in both directions.
func TestDueQueueStaysSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var a dueQueue
	var in []*Subscription
	for range 5000 {
		if len(in) > 0 && r.IntN(3) == 0 {
			i := r.IntN(len(in))
			a.remove(in[i])
			in = slices.Delete(in, i, i+1)
		} else {
			u := &Subscription{due: time.Duration(r.IntN(50))}
			a.add(u)
			// Equal dues keep the order of arrival.
			i, _ := slices.BinarySearchFunc(in, u.due+1, func(x *Subscription, due time.Duration) int {
				return int(x.due - due)
			})
			in = slices.Insert(in, i, u)
		}
		var forward, backward []*Subscription
		for u := a.head; u != nil; u = u.next {
			forward = append(forward, u)
		}
		for u := a.tail; u != nil; u = u.prev {
			backward = append(backward, u)
		}
		slices.Reverse(backward)
		if !slices.Equal(forward, in) || !slices.Equal(backward, in) {
			t.Fatalf("dueQueue has %d forward and %d backward, want %d in order", len(forward), len(backward), len(in))
		}
	}
}
