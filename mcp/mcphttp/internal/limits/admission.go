package limits

import (
	"fmt"
	"hash/maphash"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/fair"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// Resource is something of which a server has a limited amount.
type Resource int

// The resources.
const (
	Connections   Resource = iota // of a gate, and requests of a handler that share connections
	Asking                        // requests of which Options.Authenticate has not said yet who makes them
	Requests                      // that are handled, streams aside
	Sessions                      // of older revisions
	Streams                       // that are open
	Waiting                       // requests that wait for a person
	PendingBytes                  // of bodies that come, and of responses that wait for their clients
	RetainedBytes                 // of streams, for clients that resume them
	NumResources                  // how many there are
)

// names are the names of the resources in refusals.
var names = [NumResources]string{"connections", "requests without a known caller", "requests", "sessions", "streams",
	"open questions", "unread bytes", "kept bytes"}

// refusals are the resources as [labels.Refusal].
var refusals = [NumResources]labels.Refusal{labels.RefusedConnections, labels.RefusedCallers, labels.RefusedRequests,
	labels.RefusedSessions, labels.RefusedStreams, labels.RefusedWaiting, labels.RefusedBytes, labels.RefusedRetained}

// Share bounds the use of a resource: in all, for a client that is known by its address, and for a subject.
type Share struct {
	All, Client, Subject int64
	Alone                bool // the program lets one client have all of it
}

// Admission counts what clients use, each and all together, and decides who gets more. A client is a subject or,
// without one, an address. Counters are atomic. The table of clients is locked in parts, and no lock is held while
// anything waits.
type Admission struct {
	shares  [NumResources]Share
	used    [NumResources]atomic.Int64
	proxies *Proxies
	counts  *counters.Counters
	seed    maphash.Seed
	parts   [64]clientTable

	// Of the pending bytes, those of responses that are made, and of responses that clients have not read.
	answers, unreadBytes atomic.Int64
	turns                engine.Turns // of those who wait for pending bytes; the clients are of type *Usage
}

// clientTable is a part of the table of clients.
type clientTable struct {
	mu      sync.Mutex
	clients map[clientKey]*Usage
}

// clientKey identifies a client for the limits: a subject, or else an address. With neither it stands for all clients
// that cannot be told apart, such as those of a Unix socket; these have no share, only the limits for all.
type clientKey struct {
	subject string
	addr    netip.Addr
}

// Usage is what one client uses of each resource.
type Usage struct {
	key  clientKey
	used [NumResources]atomic.Int64
	refs int // how many hold it; guarded by the part of the table
}

// maxKept is how many clients without any use are kept in a part of the table, so that their next request finds them.
const maxKept = 64

// NewAdmission returns an admission without clients. It counts its refusals in counts.
func NewAdmission(shares [NumResources]Share, trusted *Proxies, counts *counters.Counters) *Admission {
	a := &Admission{shares: shares, proxies: trusted, seed: maphash.MakeSeed(), counts: counts}
	a.turns.Take = func(client any, n int64) (ok, own bool) {
		u := client.(*Usage)
		if a.Take(u, PendingBytes, n) {
			return true, false
		}
		return false, a.used[PendingBytes].Load()+n <= a.shares[PendingBytes].All
	}
	return a
}

// Deny counts a refusal. Call it if Take has returned false and there was no other way.
func (a *Admission) Deny(r Resource) { a.counts.Refused[refusals[r]].Add(1) }

// tableOf returns the part of the table that a client is in.
func (a *Admission) tableOf(key clientKey) *clientTable {
	return &a.parts[maphash.Comparable(a.seed, key)%uint64(len(a.parts))]
}

// hold returns the usage of a client. The caller must call Drop.
func (a *Admission) hold(key clientKey) *Usage {
	p := a.tableOf(key)
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.clients[key]
	if u == nil {
		if p.clients == nil {
			p.clients = make(map[clientKey]*Usage)
		}
		u = &Usage{key: key}
		p.clients[key] = u
	}
	u.refs++
	return u
}

// AddRef adds a reference to u. The caller must call Drop.
func (a *Admission) AddRef(u *Usage) *Usage {
	p := a.tableOf(u.key)
	p.mu.Lock()
	defer p.mu.Unlock()
	u.refs++
	return u
}

// Drop gives back a reference to u. Before that the caller must give back all that it has taken for u.
func (a *Admission) Drop(u *Usage) {
	p := a.tableOf(u.key)
	p.mu.Lock()
	defer p.mu.Unlock()
	if u.refs--; u.refs == 0 && len(p.clients) > maxKept {
		delete(p.clients, u.key)
	}
}

// most returns how much of r the client may have.
func (a *Admission) most(u *Usage, r Resource) int64 {
	switch s := a.shares[r]; {
	case u.key.subject != "":
		return s.Subject
	case u.key.addr.IsValid():
		return s.Client
	default:
		return s.All
	}
}

// Take gives n of r to a client, and reports whether it has: not if that exceeds what is left, or the share of the
// client. A client that has nothing of r may exceed its share, so that no share is too small for a single piece.
func (a *Admission) Take(u *Usage, r Resource, n int64) bool { return a.grow(u, r, 0, n) }

// grow is Take for a piece whose size changes from oldSize to newSize. If the client has nothing else, the piece may
// exceed the share of the client.
func (a *Admission) grow(u *Usage, r Resource, oldSize, newSize int64) bool {
	n := newSize - oldSize
	if n <= 0 {
		a.Give(u, r, -n)
		return true
	}
	own := u.used[r].Add(n) - n
	if own > oldSize && own+n > a.most(u, r) {
		u.used[r].Add(-n)
		return false
	}
	all := a.used[r].Add(n) - n
	if all > oldSize && all+n > a.shares[r].All || own > oldSize && a.isScarce(u, r, own+n, a.shares[r].All-all) {
		a.used[r].Add(-n)
		u.used[r].Add(-n)
		return false
	}
	return true
}

// isScarce reports whether a client may not have the amount own of r, because only the amount left is still free.
func (a *Admission) isScarce(u *Usage, r Resource, own, left int64) bool {
	s := &a.shares[r]
	return fair.Scarce(own, left, s.All/fair.Newcomers) && !s.Alone && u.key != clientKey{}
}

// Give undoes Take.
func (a *Admission) Give(u *Usage, r Resource, n int64) {
	u.used[r].Add(-n)
	a.used[r].Add(-n)
	if r == PendingBytes {
		a.turns.Gave()
	}
}

// TakeUnread takes n bytes for a response, or a part of one, that is written next. A response of at most
// web.SmallAnswer bytes takes nothing. The bytes of large were counted before as reserved, and now count as unread. It
// returns false, and counts the refusal, if there is no room.
func (a *Admission) TakeUnread(u *Usage, n int64, large *engine.Large) bool {
	if n > web.SmallAnswer && (large == nil || !large.Frame) {
		if !a.Take(u, PendingBytes, n) {
			a.Deny(PendingBytes)
			return false
		}
		a.unreadBytes.Add(n)
	}
	if large != nil {
		a.answers.Add(-large.Held)
		a.unreadBytes.Add(large.Held)
	}
	return true
}

// GiveUnread undoes TakeUnread.
func (a *Admission) GiveUnread(u *Usage, n int64, large *engine.Large) {
	if large != nil {
		a.unreadBytes.Add(-large.Held)
		a.answers.Add(large.Held)
	}
	if n > web.SmallAnswer && (large == nil || !large.Frame) {
		a.unreadBytes.Add(-n)
		a.Give(u, PendingBytes, n)
	}
}

// Retake takes again what a client had given back for a while. It never fails, even if that is more than the limit.
func (a *Admission) Retake(u *Usage, r Resource, n int64) {
	u.used[r].Add(n)
	a.used[r].Add(n)
}

// IsFull reports whether a client has all of r that it may have.
func (a *Admission) IsFull(u *Usage, r Resource) bool { return u.used[r].Load() >= a.most(u, r) }

// Used returns how much of r all clients have.
func (a *Admission) Used(r Resource) int64 { return a.used[r].Load() }

// All returns how much of r there is.
func (a *Admission) All(r Resource) int64 { return a.shares[r].All }

// AddStats adds what clients have taken.
func (a *Admission) AddStats(s *stats.Snapshot) {
	answers, unread := a.answers.Load(), a.unreadBytes.Load()
	labels.Add(&s.PendingBytes, labels.PendingBodies, max(a.Used(PendingBytes)-answers-unread, 0))
	labels.Add(&s.PendingBytes, labels.PendingAnswers, answers)
	labels.Add(&s.PendingBytes, labels.PendingUnread, unread)
	s.RetainedBytes += a.Used(RetainedBytes)
}

// Held lists what clients still use, and clients that are still referred to; "" if there is nothing. It is for tests.
func (a *Admission) Held() string {
	var b strings.Builder
	for r := range a.used {
		if n := a.used[r].Load(); n != 0 {
			fmt.Fprintf(&b, "%d %s; ", n, names[r])
		}
	}
	for i := range a.parts {
		p := &a.parts[i]
		p.mu.Lock()
		for key, u := range p.clients {
			if u.refs != 0 {
				fmt.Fprintf(&b, "%d references to %v; ", u.refs, key)
			}
		}
		p.mu.Unlock()
	}
	return b.String()
}
