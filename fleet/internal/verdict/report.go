package verdict

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The kinds of what an exam finds, which happens while there is no fault.
const (
	// Unheard is an update that a client was not told in time, though nothing was wrong.
	Unheard Kind = "update not told in time"
	// Refused is a request that failed, though nothing was wrong.
	Refused Kind = "request failed without a fault"
	// Wrong is an answer that is not what it must be.
	Wrong Kind = "wrong answer"
	// Resynced is a replica that told everybody that everything may have changed, though it had lost nothing.
	Resynced Kind = "resync without a loss"
	// Crash is a process that has ended by itself.
	Crash Kind = "process ended by itself"
)

// commit is the last write of a value.
type commit struct {
	value, where string
	at           time.Time
}

// Committed says that a write has ended with success, and through whom.
func (c *Checker) Committed(uri, value, where string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commits[uri] = commit{value, where, c.now()}
}

// lastCommit says which write of a value was the last one. The caller holds mu.
func (c *Checker) lastCommit(uri string) string {
	last, ok := c.commits[uri]
	if !ok {
		return "no writer knows of a write"
	}
	return fmt.Sprintf("last commit %q at %s through %s", last.value, last.at.Format("15:04:05.000"), last.where)
}

// Report records a violation that somebody else has found.
func (c *Checker) Report(vs ...Violation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range vs {
		if v.At.IsZero() {
			v.At = c.now()
		}
		c.record(v)
	}
}

// Behind returns who does not know the newest value of what, given values by URI. Nobody is asked about other URIs.
func (c *Checker) Behind(truth map[string]string) []Violation {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Violation
	for _, cl := range c.clients {
		for uri, s := range cl.wants {
			want, known := truth[uri]
			if !known || !s.until.IsZero() || s.read && s.value == want {
				continue
			}
			out = append(out, cl.violation(Stale, uri, fmt.Sprintf("has %s (%s, %s), want %s; %s", short(s.value),
				when("read", s.readAt), when("told", s.toldAt), short(want), c.lastCommit(uri))))
		}
	}
	slices.SortFunc(out, func(a, b Violation) int { return strings.Compare(a.Client+a.URI, b.Client+b.URI) })
	return out
}

func when(what string, at time.Time) string {
	if at.IsZero() {
		return "never " + what
	}
	return what + " at " + at.Format("15:04:05.000")
}

// Logf notes an event that is no promise of its own, for whoever reads a violation later.
func (cl *Client) Logf(format string, args ...any) {
	cl.c.mu.Lock()
	defer cl.c.mu.Unlock()
	cl.notef(format, args...)
}

// Violation returns a violation with what was before, which is not recorded yet.
func (cl *Client) Violation(kind Kind, uri, format string, args ...any) Violation {
	cl.c.mu.Lock()
	defer cl.c.mu.Unlock()
	return cl.violation(kind, uri, fmt.Sprintf(format, args...))
}
