package feedrun

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/feed"
)

// window is how many events of a subscription may be on their way when a replica is killed.
const window = 8

// subscription is one that the judge watches.
type subscription struct {
	principal string
	feed.Filter

	first   map[int]time.Time // when each event was accepted first
	repeats []repeat
	told    []string // messages about the subscription
}

// repeat is an event that was accepted again.
type repeat struct{ first, again time.Time }

// kill is a time in which a replica was killed.
type kill struct{ from, to time.Time }

// Judge knows what was committed and what has arrived. It is safe for concurrent use.
type Judge struct {
	keys int

	mu        sync.Mutex
	subs      map[string]*subscription
	committed map[int]bool
	kills     []kill
	ended     map[string]int // by principals whose rights end: the number of the first event that they must not get
	broken    []string
	// missing and arrived count the events of those who have their rights.
	missing, arrived int
}

func newJudge(keys int) *Judge {
	return &Judge{
		keys: keys, subs: map[string]*subscription{}, committed: map[int]bool{}, ended: map[string]int{},
	}
}

func (j *Judge) subscribed(id, principal string, f feed.Filter) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.subs[id] = &subscription{principal: principal, Filter: f, first: map[int]time.Time{}}
}

// Committed says that events with numbers from one on were committed.
func (j *Judge) Committed(from, n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range n {
		j.committed[from+i] = true
		e := feed.At(from+i, j.keys)
		for _, s := range j.subs {
			if _, there := s.first[from+i]; !there && j.owedLocked(s, &e) {
				j.missing++
			}
		}
	}
}

// owedLocked reports whether a subscription must get an event.
func (j *Judge) owedLocked(s *subscription, e *feed.Event) bool {
	_, ended := j.ended[s.principal]
	return !ended && feed.Matches(s.Filter, e)
}

// Killed says when a replica was killed, or has lost what it delivers for.
func (j *Judge) Killed(from, to time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.kills = append(j.kills, kill{from, to})
}

// Ends says that the rights of a principal end now: what has not come yet may come or not.
func (j *Judge) Ends(principal string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, s := range j.subs {
		if s.principal == principal {
			j.missing -= len(j.missingLocked(s))
		}
	}
	j.ended[principal] = math.MaxInt
}

// Ended says that everybody knows it: a principal must not get events with this number or a greater one.
func (j *Judge) Ended(principal string, n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended[principal] = n
}

// Arrived takes an event that the callback of a principal has accepted.
func (j *Judge) Arrived(principal, id string, n int, e feed.Event, now time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.subs[id]
	want := feed.At(n, j.keys)
	if principal != feed.Insider {
		want.Secret = ""
	}
	switch {
	case s == nil:
		j.breakLockedf("event %d has come for a subscription that there is not: %s", n, id)
		return
	case s.principal != principal:
		j.breakLockedf("event %d of %s has come to %s", n, s.principal, principal)
	case !feed.Matches(s.Filter, &e):
		j.breakLockedf("event %d with key %d has come to %s with filter %d", n, e.Key, id, s.Key)
	case e != want:
		j.breakLockedf("event %d has come to %s as %+v, want %+v", n, principal, e, want)
	}
	if end, ended := j.ended[principal]; ended && n >= end {
		j.breakLockedf("event %d has come to %s, whose rights ended before %d", n, principal, end)
	}
	if first, twice := s.first[n]; twice {
		s.repeats = append(s.repeats, repeat{first, now})
		return
	}
	s.first[n] = now
	j.arrived++
	if j.committed[n] && j.owedLocked(s, &e) {
		j.missing--
	}
}

// Told takes a message about a subscription.
func (j *Judge) Told(id, kind string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s := j.subs[id]; s != nil {
		s.told = append(s.told, kind)
	}
}

// Brokenf says what else was wrong.
func (j *Judge) Brokenf(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.breakLockedf(format, args...)
}

func (j *Judge) breakLockedf(format string, args ...any) {
	j.broken = append(j.broken, fmt.Sprintf(format, args...))
}

// Missing returns how many events have not arrived that must, and how many have arrived in all.
func (j *Judge) Missing() (missing, arrived int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.missing, j.arrived
}

// missingLocked returns events that a subscription must have and has not.
func (j *Judge) missingLocked(s *subscription) (out []int) {
	for n := range j.committed {
		e := feed.At(n, j.keys)
		if _, there := s.first[n]; !there && j.owedLocked(s, &e) {
			out = append(out, n)
		}
	}
	return out
}

// Judge judges everything at the end, and returns what was broken and the number of repeats.
func (j *Judge) Judge() (broken []string, repeats int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	slices.SortFunc(j.kills, func(a, b kill) int { return a.from.Compare(b.from) })
	for id, s := range j.subs {
		if missing := j.missingLocked(s); len(missing) > 0 {
			slices.Sort(missing)
			j.breakLockedf("%d events have not come to %s of %s: %d …", len(missing), id, s.principal, missing[0])
		}
		if bad := j.inexcusableLocked(s); bad > 0 {
			j.breakLockedf("%d of %d repeats at %s are not of events that were on their way at a kill", bad, len(s.repeats), id)
		}
		repeats += len(s.repeats)
		for _, kind := range s.told {
			if _, ended := j.ended[s.principal]; kind != "terminated" || !ended {
				j.breakLockedf("%s of %s was told %s", id, s.principal, kind)
			}
		}
	}
	return j.broken, repeats
}

// queued is how long a message of a replica that was killed may wait until its callback takes it, on a busy machine.
const queued = 5 * time.Second

// inexcusableLocked returns how many repeats no kill explains: each kill between the first time and the next one
// excuses as many as were on their way.
func (j *Judge) inexcusableLocked(s *subscription) (n int) {
	used := make([]int, len(j.kills))
	for _, r := range s.repeats {
		i := slices.IndexFunc(j.kills, func(k kill) bool { return !k.to.Add(queued).Before(r.first) })
		for i >= 0 && i < len(j.kills) && used[i] == window {
			i++
		}
		if i < 0 || i >= len(j.kills) || j.kills[i].from.After(r.again) {
			n++
			continue
		}
		used[i]++
	}
	return n
}
