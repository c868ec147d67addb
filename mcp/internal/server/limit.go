package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// maxShares bounds how many users or clients a rate remembers. Who has not called for the longest time is
// forgotten first, and may then make as many calls as a new one.
const maxShares = 10_000

// usage is what the calls of a feature have used so far.
type usage struct {
	running atomic.Int64

	mu      sync.Mutex
	buckets map[share]*bucket
	head    *bucket // called last
	tail    *bucket
}

// share is one of those whom a rate tells apart.
type share struct {
	conn    uint64
	subject string
}

// bucket is the calls that somebody may still make.
type bucket struct {
	of         share
	tokens     float64
	at         time.Time
	prev, next *bucket
}

// shareOf is whose calls count together with call.
func (l *Limit) shareOf(call *Call) share {
	subject := call.principal()
	switch {
	case l.By == Global:
		return share{}
	case l.By == ByUser && subject != "" || call.conn.serial == 0:
		return share{subject: subject}
	}
	return share{conn: call.conn.serial}
}

// usages are what the calls of features have used so far, by the guards of those whose calls are counted. A value is
// never changed.
type usages map[*Guard]*usage

// newUsage returns what counts the calls of a feature from zero; nil if they are not counted.
func (g *Guard) newUsage() *usage {
	if !g.counts() {
		return nil
	}
	return new(usage)
}

// add makes u count the calls of what g guards, unless it is nil.
func (all usages) add(g *Guard, u *usage) {
	if u != nil {
		all[g] = u
	}
}

// usagesOf returns the usages of what f declares, at zero. A resource and its aliases have one, whose places are those
// of mains; so have a template and the tools that read it, because they have one guard.
func usagesOf(f *Features, mains []int) usages {
	all := make(usages)
	add := func(g *Guard) {
		if all[g] == nil {
			all.add(g, g.newUsage())
		}
	}
	for i, main := range mains {
		g, of := f.Resources[i].Guard, f.Resources[main].Guard
		add(of)
		if g.counts() && of.counts() {
			all[g] = all[of]
		}
		add(g)
	}
	f.all(func(_ kind, _ int, x feature) { add(x.guard) })
	return all
}

// countWith makes s, which nobody knows yet, count the calls of the features of p together with p.
func (s *Server) countWith(p *Server) {
	maps.Copy(s.declaredUsages, *p.usages.Load())
	s.usages.Store(s.withAdded(s.tools.Load().list)) // which may be a copy already
}

// withAdded returns the usages of s with those of tools that were added.
func (s *Server) withAdded(list []addedTool) *usages {
	all := maps.Clone(s.declaredUsages)
	for _, t := range list {
		all.add(t.Guard, t.used)
	}
	return &all
}

// take counts a call. Its error is the response if the call may not be made; else the caller lets the usage go, by
// leave.
func (s *Server) take(g *Guard, call *Call) (*usage, error) {
	if !g.counts() {
		return nil, nil
	}
	l, used := &g.Limit, (*s.usages.Load())[g]
	if used == nil {
		return nil, nil // a tool that was removed a moment ago
	}
	if l.Rate > 0 {
		if wait := used.wait(l, l.shareOf(call), time.Now()); wait > 0 {
			return nil, tooOften(call, wait)
		}
	}
	if n := used.running.Add(1); l.Concurrency > 0 && n > int64(l.Concurrency) {
		used.running.Add(-1)
		text := fmt.Sprintf("too many calls at the same time, at most %d: try again later", l.Concurrency)
		return nil, limitError(call, text, 0)
	}
	return used, nil
}

// leave ends a call that was counted. u is nil for one that was not.
func (u *usage) leave() {
	if u != nil {
		u.running.Add(-1)
	}
}

// wait takes a call from the bucket of who, or returns how long it takes until there is one.
func (u *usage) wait(l *Limit, who share, now time.Time) time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	burst := float64(firstPositive(l.Burst, l.Rate))
	b := u.bucketLocked(who, burst, now)
	perCall := float64(l.Per) / float64(l.Rate)
	b.tokens = min(burst, b.tokens+float64(now.Sub(b.at))/perCall)
	b.at = now
	if b.tokens < 1 {
		return max(time.Duration(math.Ceil((1-b.tokens)*perCall)), 1)
	}
	b.tokens--
	return 0
}

// bucketLocked returns the bucket of who, made full if need be, as the one used last.
func (u *usage) bucketLocked(who share, full float64, now time.Time) *bucket {
	b := u.buckets[who]
	switch {
	case b != nil:
		u.unlinkLocked(b)
	case len(u.buckets) >= maxShares:
		b = u.tail
		u.unlinkLocked(b)
		delete(u.buckets, b.of)
		*b = bucket{of: who, tokens: full, at: now}
	default:
		b = &bucket{of: who, tokens: full, at: now}
	}
	if u.buckets == nil {
		u.buckets = make(map[share]*bucket)
	}
	u.buckets[who] = b
	b.prev, b.next = nil, u.head
	if u.head != nil {
		u.head.prev = b
	} else {
		u.tail = b
	}
	u.head = b
	return b
}

func (u *usage) unlinkLocked(b *bucket) {
	if b.prev != nil {
		b.prev.next = b.next
	} else {
		u.head = b.next
	}
	if b.next != nil {
		b.next.prev = b.prev
	} else {
		u.tail = b.prev
	}
}

// tooOften refuses a call and says when the next one may be made.
func tooOften(call *Call, wait time.Duration) error {
	millis := (wait + time.Millisecond - 1).Milliseconds()
	text := strconv.FormatInt(millis, 10) + " ms"
	if wait > time.Second {
		text = strconv.FormatInt((millis+999)/1000, 10) + " s"
	}
	return limitError(call, "called too often: try again in "+text, millis)
}

// limitError is the answer to a call that a limit refuses. retry is in milliseconds; 0 is not told.
func limitError(call *Call, text string, retry int64) *wire.Error {
	e := wire.NewError(wire.CodeInternal, text)
	b := []byte{'{'}
	if uri := call.URI(); uri != "" {
		b = append(wire.AppendString(append(b, `"uri":`...), uri), ',')
	}
	if retry > 0 {
		b = append(strconv.AppendInt(append(b, `"retryAfterMs":`...), retry, 10), ',')
	}
	if len(b) > 1 {
		e.Data = json.RawMessage(wire.EndObject(b))
	}
	return e
}
