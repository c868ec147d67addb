// Package verdict judges what clients of a server have seen: whether each of them knows the newest value of
// everything that it subscribes to, and whether the server kept the promises of subscriptions on the way. It knows no
// transport: clients report what they did and what they got, one call for each event, and the checker says what
// should not have been.
package verdict

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Kind is what kind of promise was broken.
type Kind string

// The kinds.
const (
	// Stale is a client that does not know the newest value.
	Stale Kind = "stale"
	// Early is an update on a stream before its acknowledgement.
	Early Kind = "update before the acknowledgement"
	// Foreign is an update of something that the stream does not subscribe to, or with the tag of another stream.
	Foreign Kind = "update of another subscription"
	// Late is an update after the answer to an unsubscribe.
	Late Kind = "update after unsubscribe"
	// After is a message on a stream that has ended.
	After Kind = "message after the end of the stream"
	// Lost is a request that got neither an answer nor an error.
	Lost Kind = "lost request"
	// Twice is an entry that stands in a list twice, Missing one that does not stand there.
	Twice   Kind = "entry twice in a list"
	Missing Kind = "entry missing in a list"
)

// timeForm is how times of a run are written.
const timeForm = "15:04:05.000"

// Violation is one broken promise.
type Violation struct {
	At     time.Time
	Client string
	Kind   Kind
	URI    string
	Text   string
	// Before are the last events of the client.
	Before []string
}

// String returns one line.
func (v Violation) String() string {
	return fmt.Sprintf("%s %s: %s %s %s", v.At.Format(timeForm), v.Client, v.Kind, v.URI, v.Text)
}

// Limits of the checker.
const (
	maxKept   = 100 // violations that are kept in full
	remember  = 60  // events of each client
	quickLate = 5 * time.Second
)

// Checker judges all clients of one run. It is safe for concurrent use.
type Checker struct {
	now func() time.Time

	mu         sync.Mutex
	clients    []*Client
	violations []Violation
	counts     map[Kind]int
	totals     Totals
	tasks      *Tasks
	faults     int       // faults that are happening
	calm       time.Time // when the last fault has ended
	writes     map[string]*writes
}

// New returns a checker with a clock.
func New(now func() time.Time) *Checker {
	return &Checker{now: now, counts: map[Kind]int{}, writes: map[string]*writes{}}
}

// Fault says that a fault begins, and the function it returns that it has ended.
func (c *Checker) Fault() (over func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults++
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.faults--
		c.calm = c.now()
	})
}

// Totals are what all clients together have done and seen.
type Totals struct{ Streams, Updates, Reads, Lists, Tasks int }

// Totals returns what all clients together have done and seen.
func (c *Checker) Totals() Totals {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.totals
}

// Settle is how long after the end of a fault the fleet may take until everybody knows everything.
const Settle = 20 * time.Second

// Client returns a client that reports under this name.
func (c *Checker) Client(name string) *Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	cl := &Client{c: c, name: name, wants: map[string]*subscription{}, streams: map[int]*stream{}}
	c.clients = append(c.clients, cl)
	return cl
}

// Remove forgets a client that has ended by itself.
func (c *Checker) Remove(cl *Client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clients = slices.DeleteFunc(c.clients, func(o *Client) bool { return o == cl })
}

// Violations returns the violations, of which the first hundred are complete, and how many there are of each kind.
func (c *Checker) Violations() ([]Violation, map[Kind]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.violations), maps.Clone(c.counts)
}

// Judge records what Behind returns as violations.
func (c *Checker) Judge(truth map[string]string) {
	behind := c.Behind(truth)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range behind {
		c.record(v)
	}
}

// record keeps a violation. The caller holds mu.
func (c *Checker) record(v Violation) {
	c.counts[v.Kind]++
	if len(c.violations) < maxKept {
		c.violations = append(c.violations, v)
	}
}

// isLate reports whether an update is too late after the answer to an unsubscribe. It may still arrive on another
// connection, through another replica; a replica that is stopped or cut off sends what it had to say when it goes on.
// The caller holds mu.
func (c *Checker) isLate(unsubscribed time.Time) bool {
	now := c.now()
	switch {
	case c.faults > 0:
		return false
	case unsubscribed.Sub(c.calm) < Settle: // a fault has ended after it, or not long before
		return now.Sub(unsubscribed) > Settle && now.Sub(c.calm) > Settle
	}
	return now.Sub(unsubscribed) > quickLate
}

// short is the end of a value, in which values differ.
func short(s string) string {
	if len(s) > 90 {
		return "…" + s[len(s)-90:]
	}
	return s
}
