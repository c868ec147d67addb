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

// fate decides what happens to whom, and leaves out what needs a broker if there is none.
func fate(r *rand.Rand, plan []Fault, replicas int, broker bool) []Fault {
	first := r.IntN(replicas)
	for i := range plan {
		plan[i].Replica, plan[i].Choice = (first+i)%replicas, r.Uint64()
	}
	if !broker {
		plan = slices.DeleteFunc(plan, func(f Fault) bool { return f.Kind == Broker || f.Kind == Cut })
	}
	return plan
}

// Long is a round of a long run: five kills and two restarts of the broker, now and then with other faults.
func Long(replicas int, broker bool) func(r *rand.Rand, round int) []Fault {
	return func(r *rand.Rand, round int) []Fault {
		var plan []Fault
		for i := range 5 {
			f := Fault{Kind: Kill, At: between(r, 0, 15*time.Second), For: between(r, 0, 2*time.Second)}
			if i == 0 {
				f.Kind = Failpoint
			}
			plan = append(plan, f)
		}
		for range 2 {
			plan = append(plan, Fault{
				Kind: Broker, At: between(r, 0, 15*time.Second), For: between(r, 10*time.Millisecond, 4*time.Second),
			})
		}
		plan = append(plan, Fault{
			Kind: Cut, At: between(r, 0, 12*time.Second), For: between(r, time.Second, 10*time.Second),
		})
		switch round % 4 {
		case 1:
			at := between(r, 0, 8*time.Second)
			plan = append(plan, Fault{Kind: Stop, At: at, For: between(r, 8*time.Second, 30*time.Second)})
		case 3:
			plan = append(plan, Fault{Kind: Roll, At: between(r, 0, 8*time.Second), For: 6 * time.Second})
		}
		return fate(r, plan, replicas, broker)
	}
}
