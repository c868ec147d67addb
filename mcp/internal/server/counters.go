package server

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// Counters are what a server counts for [Stats]. What each request changes is in shards, so that requests on several
// processors do not wait for each other; what is rare is not. The zero value is ready for use.
type Counters struct {
	// Counts of what server and transports do.
	Refused  [stats.NumRefusals]atomic.Int64
	Panicked [stats.NumPanics]atomic.Int64
	Closed   [stats.NumCloses]atomic.Int64

	own    ownCounts // of methods of extensions
	shards [numShards]countShard
	next   atomic.Uint32 // the shard of the next worker

	abandoned, left atomic.Int64 // requests answered in place of their handlers, and these handlers
	waiting         atomic.Int64 // requests that wait for a person
	questions       [stats.NumQuestions]atomic.Int64
	serving         atomic.Int64 // calls of Serve
	sessions        atomic.Int64
	answers         atomic.Int64 // bytes of values of responses on connections

	mu      sync.Mutex
	sources []func(*stats.Snapshot)
}

// numShards is a power of two.
const numShards = 8

// countShard is what the requests of some workers have counted.
type countShard struct {
	running atomic.Int64
	ended   [numMethods][numCodes]atomic.Int64
	own     [][numCodes]atomic.Int64 // see ownCounts; nil for none
	_       [cacheLine]byte
}

// cacheLine is what processors share, and a neighbour of it.
const cacheLine = 128

// shard returns where a new worker counts.
func (c *Counters) shard() *countShard { return &c.shards[c.next.Add(1)%numShards] }

// end counts a request.
func (s *countShard) end(m methodNumber, c codeNumber) {
	if m >= numMethods {
		s.endOwn(m, c)
		return
	}
	s.ended[m][c].Add(1)
}

// CountersOf returns what s counts.
func CountersOf(s *Server) *Counters { return &s.counts }

// AddSource makes [Stats] call f, which adds to a snapshot what only a transport knows. It cannot be taken back.
func (c *Counters) AddSource(f func(*stats.Snapshot)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sources = append(c.sources, f)
}

// Answered counts a request that a transport has answered with an error; method is "" if it is not known.
func (c *Counters) Answered(method []byte, code int) {
	n := methodInvalid
	if len(method) > 0 {
		n = c.numberOf(method)
	}
	c.shards[0].end(n, codeOf(code))
}

// preempted counts a request that was answered in place of its handler.
func (c *Counters) preempted(m methodNumber, code int) {
	c.abandoned.Add(1)
	c.left.Add(1)
	c.shards[0].end(m, codeOf(code))
}

// Stats returns what s and the servers that it is joined from have counted. Its cost does not depend on the number of
// clients.
func Stats(s *Server) stats.Snapshot {
	var out stats.Snapshot
	var ended [numMethods][numCodes]int64
	for _, o := range family(s) {
		o.counts.addTo(&out, &ended)
		addHub(o, &out)
		addReplicas(o.replicas, &out.Replicas)
		if o.tasks != nil {
			o.tasks.addTo(&out.Tasks)
		}
		out.LogRecordsDropped[stats.DroppedSlow] += safelog.Dropped(o.log) + safelog.Dropped(o.opts.Audit)
		out.Panics[stats.PanicLogger] += safelog.Panics(o.log) + safelog.Panics(o.opts.Audit)
	}
	for m := range ended {
		for c, n := range ended[m] {
			if n != 0 {
				out.Requests = append(out.Requests, stats.RequestCount{Method: methodNames[m], Code: codeNames[c], Count: n})
			}
		}
	}
	for _, o := range family(s) {
		o.counts.addOwn(&out)
	}
	return out
}

// family returns s and the servers that it is joined from, at any distance.
func family(s *Server) []*Server {
	all := []*Server{s}
	for i := 0; i < len(all); i++ { // which grows
		for _, m := range all[i].members {
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return all
}

func (c *Counters) addTo(out *stats.Snapshot, ended *[numMethods][numCodes]int64) {
	waiting := c.waiting.Load()
	running := -waiting
	for i := range c.shards {
		running += c.shards[i].running.Load()
		for m := range ended {
			addEach(ended[m][:], c.shards[i].ended[m][:])
		}
	}
	out.Running += max(running, 0) // the two are not read at the same time
	out.Waiting += waiting
	out.Abandoned += c.abandoned.Load()
	out.AbandonedRunning += c.left.Load()
	out.Connections[stats.TransportServe] += c.serving.Load()
	out.Sessions += c.sessions.Load()
	out.PendingBytes[stats.PendingAnswers] += c.answers.Load()
	addEach(out.Questions[:], c.questions[:])
	addEach(out.Panics[:], c.Panicked[:])
	addEach(out.ConnectionsClosed[:], c.Closed[:])
	addEach(out.Refusals[:], c.Refused[:])
	c.mu.Lock()
	sources := c.sources
	c.mu.Unlock()
	for _, f := range sources {
		f(out)
	}
}

func addEach(to []int64, from []atomic.Int64) {
	for i := range from {
		to[i] += from[i].Load()
	}
}

// addHub adds what the hub of s counts.
func addHub(s *Server, out *stats.Snapshot) {
	c := s.hub.Counts()
	out.Streams[stats.StreamListen] += c.Listens
	out.Subscriptions += c.Subscriptions
	out.Watchers += c.Watchers
	out.WatchersReopened += c.Reopened
	out.UpdatesPublished += c.Published
	out.UpdatesDelivered += c.Delivered
	out.UpdatesCoalesced += c.Coalesced
	out.Panics[stats.PanicWatcher] += c.Panics
	out.Refusals[stats.RefusedSubscriptions] += c.RefusedSubscriptions
	out.Refusals[stats.RefusedWatchers] += c.RefusedWatchers
	out.Refusals[stats.RefusedListens] += c.RefusedListens
}

// addReplicas adds what a server knows of its other replicas; r is nil for one without a bus.
func addReplicas(r *replicas, out *stats.Replicas) {
	if r == nil {
		return
	}
	c := r.Stats()
	out.Heard += int64(c.Heard)
	out.Missing += int64(c.Silent)
	if c.State != relay.IsReady {
		out.Unready[unready[c.State].label] = 1
	}
	out.Different += int64(c.Different)
	if c.Fenced {
		out.Fenced = 1
	}
	out.Overflows += c.Overflows
	out.Suspects += c.Suspects
	out.Resyncs += c.Resyncs
	out.Blind += c.Blind
	out.FramesSent += c.Sent
	out.FramesReceived += c.Received
	out.BusErrors += c.Failed
	for i, n := range [...]int64{
		stats.FrameOfUnknownKey: c.DroppedKey, stats.FrameForeign: c.DroppedForeign,
		stats.FrameMalformed: c.DroppedForm, stats.FrameTooLong: c.DroppedSize,
	} {
		out.FramesDropped[i] += n
	}
}
