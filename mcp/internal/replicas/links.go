package replicas

import (
	"slices"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
)

// Links are the connections of a server and of all servers that are joined with it. Most servers have none. There is
// more than one only if servers with a bus share a member. The zero value has none. It is safe for concurrent use.
type Links struct {
	all atomic.Pointer[[]Connection]
	// blind is closed, and replaced, when one of the connections does not hear the others any more; nil before Set.
	blind atomic.Pointer[chan struct{}]
}

// Set replaces the connections.
func (l *Links) Set(all []Connection) {
	if len(all) == 0 {
		l.all.Store(nil)
		return
	}
	l.blind.CompareAndSwap(nil, new(make(chan struct{})))
	l.all.Store(&all)
}

// list returns the connections.
func (l *Links) list() []Connection {
	if all := l.all.Load(); all != nil {
		return *all
	}
	return nil
}

// Empty reports whether there is no connection.
func (l *Links) Empty() bool { return l.all.Load() == nil }

// Note sends a signal to the other replicas.
func (l *Links) Note(kind relay.Kind, text string) {
	for _, c := range l.list() {
		c.Note(relay.Signal{Kind: kind, Text: text})
	}
}

// NoteList tells the other replicas that a list of this replica may have changed.
func (l *Links) NoteList(k feature.Kind) {
	for _, c := range l.list() {
		c.NoteLists(1 << k)
	}
}

// FencedUntil reports whether streams are refused, because changes on other replicas do not reach this one over one of
// the connections. If fenced is false, streams must end when the channel blind is closed. Without a connection the
// channel is nil.
func (l *Links) FencedUntil() (fenced bool, blind <-chan struct{}) {
	if l.Empty() {
		return false, nil
	}
	blind = *l.blind.Load() // first, so that no closing is missed
	return l.Fenced(), blind
}

// Fenced is FencedUntil without the channel.
func (l *Links) Fenced() bool { return slices.ContainsFunc(l.list(), Connection.Fenced) }

// EndStreams closes the channel of FencedUntil.
func (l *Links) EndStreams() {
	if !l.Empty() && !failpoint.On("blind-keeps-session-streams") {
		close(*l.blind.Swap(new(make(chan struct{}))))
	}
}

// Share returns the part of this replica in r, a rate for all replicas together. The part is rounded up. Without a
// connection it is r.
func (l *Links) Share(r ratelimit.Rate) ratelimit.Rate {
	all := l.list()
	if all == nil {
		return r
	}
	n := 1
	for _, c := range all {
		n = max(n, c.Heard())
	}
	if r.Burst <= 0 {
		r.Burst = r.Calls
	}
	r.Calls, r.Burst = (r.Calls+n-1)/n, (r.Burst+n-1)/n
	return r
}

// Unready returns the reason why requests should not be sent to this replica: the other replicas might not learn of its
// changes. It returns "" if requests may be sent.
func (l *Links) Unready() string {
	for _, c := range l.list() {
		if state := c.State(); state != relay.IsReady {
			return unready[state].text
		}
	}
	return ""
}

// unready has the reasons why a replica is not ready, by State: as a text for people and as the label of a metric.
var unready = [...]struct {
	text  string
	label labels.Unready
}{
	relay.Starting: {"it does not hear itself and the other replicas yet", labels.UnreadyStarting},
	relay.Blind:    {"it does not hear itself on the bus", labels.UnreadyCutOff},
	relay.Apart: {"the other replicas do not hear it, or it cannot open what they say: compare Options.Keys",
		labels.UnreadyApart},
	relay.ClockOff: {"its clock is more than 30 seconds off that of the other replicas", labels.UnreadyClock},
	relay.Few:      {"it hears fewer than half of Options.Replicas", labels.UnreadyFew},
}
