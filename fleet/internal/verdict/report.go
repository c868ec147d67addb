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
type write struct {
	value, where string
	err          error
	at           time.Time
}

// writes are the last one of a value that has succeeded, and the last one that has failed.
type writes struct{ done, failed write }

// Wrote says that a write has ended, through whom, and with which error.
func (c *Checker) Wrote(uri, value, where string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.writes[uri]
	if w == nil {
		w = new(writes)
		c.writes[uri] = w
	}
	last := &w.done
	if err != nil {
		last = &w.failed
	}
	*last = write{value, where, err, c.now()}
}

// lastWrites says which writes of a value were the last ones. The caller holds mu.
func (c *Checker) lastWrites(uri string) string {
	w := c.writes[uri]
	if w == nil {
		return "no writer knows of a write"
	}
	var out []string
	if d := w.done; !d.at.IsZero() {
		out = append(out, fmt.Sprintf("last commit %q at %s through %s", d.value, d.at.Format(timeForm), d.where))
	}
	if f := w.failed; !f.at.IsZero() {
		out = append(out, fmt.Sprintf("last failure %q at %s through %s: %v", f.value, f.at.Format(timeForm), f.where, f.err))
	}
	return strings.Join(out, ", ")
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
				when("read", s.readAt), when("told", s.toldAt), short(want), c.lastWrites(uri))))
		}
	}
	slices.SortFunc(out, func(a, b Violation) int { return strings.Compare(a.Client+a.URI, b.Client+b.URI) })
	return out
}

func when(what string, at time.Time) string {
	if at.IsZero() {
		return "never " + what
	}
	return what + " at " + at.Format(timeForm)
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
