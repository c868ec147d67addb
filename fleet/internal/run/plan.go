package run

import (
	"math/rand/v2"
	"slices"
	"time"
)

// between returns a random duration.
func between(r *rand.Rand, from, to time.Duration) time.Duration {
	return from + time.Duration(r.Int64N(int64(to-from)+1))
}

// OneOfEach is a round of a short run: one fault of each kind, about a quarter of a minute in all. Without a broker there
// are those that need none.
func OneOfEach(replicas int, broker bool) func(r *rand.Rand, round int) []Fault {
	return func(r *rand.Rand, _ int) []Fault {
		first := r.IntN(replicas)
		plan := []Fault{
			{Kind: Stop, At: 0, For: between(r, 8*time.Second, 9*time.Second)},
			{Kind: Cut, At: between(r, 0, 3*time.Second), For: between(r, 3*time.Second, 7*time.Second)},
			{Kind: Kill, At: between(r, 0, 2*time.Second), For: between(r, 0, time.Second)},
			{Kind: Broker, At: between(r, 4*time.Second, 8*time.Second), For: between(r, 200*time.Millisecond, 2*time.Second)},
			{Kind: Roll, At: between(r, 5*time.Second, 8*time.Second), For: 5 * time.Second},
			{Kind: Failpoint, At: between(r, 9*time.Second, 13*time.Second), For: between(r, 0, time.Second)},
		}
		for i := range plan {
			plan[i].Replica, plan[i].Choice = (first+i)%replicas, r.Uint64()
		}
		if !broker {
			plan = slices.DeleteFunc(plan, func(f Fault) bool { return f.Kind == Broker || f.Kind == Cut })
		}
		return plan
	}
}
