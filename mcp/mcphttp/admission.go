package mcphttp

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/fair"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// resource is what a server has a limited amount of.
type resource int

const (
	connections   resource = iota // of a gate, and requests of a handler that share connections
	asking                        // requests of which Options.Authenticate has not said yet who makes them
	requests                      // that are handled, streams aside
	sessions                      // of older revisions
	streams                       // that are open
	waiting                       // requests that wait for a person
	pendingBytes                  // of bodies that come, and of responses that wait for their clients
	retainedBytes                 // of streams, for clients that resume them
	resources                     // how many there are
)

// names are the resources in refusals.
var names = [resources]string{"connections", "requests without a known caller", "requests", "sessions", "streams",
	"open questions", "unread bytes", "kept bytes"}

// refusals are the resources as [stats.Refusal].
var refusals = [resources]stats.Refusal{stats.RefusedConnections, stats.RefusedCallers, stats.RefusedRequests,
	stats.RefusedSessions, stats.RefusedStreams, stats.RefusedWaiting, stats.RefusedBytes, stats.RefusedRetained}

// share is how much there is of a resource: in all, for one client that is known by its address, and for a subject.
type share struct {
	all, client, subject int64
	alone                bool // the program lets one client have all of it
}

// admission decides who gets a place. It is the only one that counts: per client, that is per subject or else per
// address, and in all. Counters are atomic; the table of clients is locked in parts, and never while anything waits.
type admission struct {
	shares  [resources]share
	used    [resources]atomic.Int64
	counts  *server.Counters
	streams [stats.NumStreams]atomic.Int64    // that are open
	ended   [stats.NumStreamEnds]atomic.Int64 // streams
	unread  safelog.Sparse                    // what is logged of these
	seed    maphash.Seed
	parts   [64]clientTable

	// Of the pending bytes, those of responses that are made, and of responses that clients have not read.
	answers, unreadBytes atomic.Int64
	turns                engine.Turns // for the pending bytes, of clients that are usages
}

// clientTable is a part of the table of clients.
type clientTable struct {
	mu      sync.Mutex
	clients map[clientKey]*usage
}

// clientKey says whom limits count: a subject, else an address. Neither is a client that cannot be told from others,
// such as all those behind a Unix socket; it has all that there is.
type clientKey struct {
	subject string
	addr    netip.Addr
}

// usage is what one client has of each resource.
type usage struct {
	key  clientKey
	used [resources]atomic.Int64
	refs int // who has it; guarded by the part of the table
}

// name is the client for what the server itself bounds; "" for one that has neither subject nor address.
func (u *usage) name() string {
	switch {
	case u.key.subject != "":
		return "subject " + u.key.subject
	case u.key.addr.IsValid():
		return u.key.addr.String()
	}
	return ""
}

// maxKept is how many clients without anything are kept in a part, so that their next request finds them.
const maxKept = 64

func newAdmission(shares [resources]share, counts *server.Counters) *admission {
	a := &admission{shares: shares, seed: maphash.MakeSeed(), counts: counts}
	a.turns.Take = func(client any, n int64) (ok, own bool) {
		u := client.(*usage)
		if a.take(u, pendingBytes, n) {
			return true, false
		}
		return false, a.used[pendingBytes].Load()+n <= a.shares[pendingBytes].all
	}
	return a
}

// deny counts a refusal, where take was false and there was no other way.
func (a *admission) deny(r resource) { a.counts.Refused[refusals[r]].Add(1) }

// tableOf returns where a client is.
func (a *admission) tableOf(key clientKey) *clientTable {
	return &a.parts[maphash.Comparable(a.seed, key)%uint64(len(a.parts))]
}

// hold returns what a client has. The caller gives it back with drop.
func (a *admission) hold(key clientKey) *usage {
	p := a.tableOf(key)
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.clients[key]
	if u == nil {
		if p.clients == nil {
			p.clients = make(map[clientKey]*usage)
		}
		u = &usage{key: key}
		p.clients[key] = u
	}
	u.refs++
	return u
}

// again is hold by somebody who has u already.
func (a *admission) again(u *usage) *usage {
	p := a.tableOf(u.key)
	p.mu.Lock()
	defer p.mu.Unlock()
	u.refs++
	return u
}

// drop takes back hold. Whoever calls it has given back all that was taken.
func (a *admission) drop(u *usage) {
	p := a.tableOf(u.key)
	p.mu.Lock()
	defer p.mu.Unlock()
	if u.refs--; u.refs == 0 && len(p.clients) > maxKept {
		delete(p.clients, u.key)
	}
}

// most returns how much of r the client may have.
func (a *admission) most(u *usage, r resource) int64 {
	switch s := a.shares[r]; {
	case u.key.subject != "":
		return s.subject
	case u.key.addr.IsValid():
		return s.client
	default:
		return s.all
	}
}

// take gives n of r to a client, unless that is more than there is or than its share. A client that has nothing of it
// gets any amount that there is, so that no share is too small for one piece.
func (a *admission) take(u *usage, r resource, n int64) bool { return a.grow(u, r, 0, n) }

// grow is take by a client that has a piece of one size, which gets another size. A client that has nothing else gets
// any size that there is.
func (a *admission) grow(u *usage, r resource, from, to int64) bool {
	n := to - from
	own := u.used[r].Add(n) - n
	if own > from && own+n > a.most(u, r) {
		u.used[r].Add(-n)
		return false
	}
	all := a.used[r].Add(n) - n
	if all > from && all+n > a.shares[r].all || n > 0 && own > from && a.isScarce(u, r, own+n, a.shares[r].all-all) {
		a.used[r].Add(-n)
		u.used[r].Add(-n)
		return false
	}
	return true
}

// isScarce reports whether so little of r is left that a client may not have as much as own of it.
func (a *admission) isScarce(u *usage, r resource, own, left int64) bool {
	s := &a.shares[r]
	return fair.Scarce(own, left, s.all/fair.Newcomers) && !s.alone && u.key != clientKey{}
}

// give takes back take.
func (a *admission) give(u *usage, r resource, n int64) {
	u.used[r].Add(-n)
	a.used[r].Add(-n)
	if r == pendingBytes {
		a.turns.Gave()
	}
}

// takeUnread takes the bytes of a response, or of a part of it, that is written next: n, of which large ones are
// counted already.
func (a *admission) takeUnread(u *usage, n int64, large *engine.Large) bool {
	if n > web.SmallAnswer && (large == nil || !large.Frame) {
		if !a.take(u, pendingBytes, n) {
			a.deny(pendingBytes)
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

// giveUnread takes back takeUnread.
func (a *admission) giveUnread(u *usage, n int64, large *engine.Large) {
	if large != nil {
		a.unreadBytes.Add(-large.Held)
		a.answers.Add(large.Held)
	}
	if n > web.SmallAnswer && (large == nil || !large.Frame) {
		a.unreadBytes.Add(-n)
		a.give(u, pendingBytes, n)
	}
}

// retake is take of what had been given before: there is a place, even if that is one too many.
func (a *admission) retake(u *usage, r resource, n int64) {
	u.used[r].Add(n)
	a.used[r].Add(n)
}
