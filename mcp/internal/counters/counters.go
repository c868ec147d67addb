package counters

import (
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/stats"
)

// Counters are what a server counts for its statistics. What each request changes is in shards, so that requests on
// several processors do not wait for each other. Rare events have a single counter. The zero value is ready for use.
type Counters struct {
	Refused  [labels.NumRefusals]atomic.Int64
	Panicked [labels.NumPanics]atomic.Int64
	Closed   [labels.NumCloses]atomic.Int64

	own    ownCounts // of methods of extensions
	shards [numShards]Shard
	next   atomic.Uint32 // the shard of the next worker

	abandoned atomic.Int64 // requests answered in place of their handlers
	// Left is the number of handlers of abandoned requests that have not returned yet.
	Left atomic.Int64
	// Waiting is the number of requests that wait for a person.
	Waiting   atomic.Int64
	questions [labels.NumQuestions]atomic.Int64
	// Serving is the number of running calls of Server.Serve, and Sessions that of open sessions of transports that bring
	// messages one by one.
	Serving, Sessions atomic.Int64
	// Answers is the number of bytes of values of responses on connections.
	Answers atomic.Int64

	mu      sync.Mutex
	sources []func(*stats.Snapshot)
}

// numShards is a power of two.
const numShards = 8

// Shard is what the requests of some workers have counted.
type Shard struct {
	Running atomic.Int64 // requests that are being handled
	ended   [numMethods][numCodes]atomic.Int64
	own     [][numCodes]atomic.Int64 // see ownCounts; nil for none
	_       [cacheLine]byte
}

// cacheLine is the size of two cache lines, in bytes: processors may load a line together with its neighbour.
const cacheLine = 128

// Shard returns the shard in which a new worker counts.
func (c *Counters) Shard() *Shard { return &c.shards[c.next.Add(1)%numShards] }

// End counts a request.
func (s *Shard) End(m Method, c Code) {
	if m >= numMethods {
		s.endOwn(m, c)
		return
	}
	s.ended[m][c].Add(1)
}

// AddSource makes each snapshot of the statistics call f, which adds what only a transport knows. It cannot be undone.
func (c *Counters) AddSource(f func(*stats.Snapshot)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sources = append(c.sources, f)
}

// Answered counts a request that a transport has answered with an error; method is "" if it is not known.
func (c *Counters) Answered(method []byte, code int) {
	n := MethodInvalid
	if len(method) > 0 {
		n = c.NumberOf(method)
	}
	c.shards[0].End(n, CodeOf(code))
}

// Preempted counts a request that was answered in place of its handler. It increments Left, which the caller decrements
// when the handler returns.
func (c *Counters) Preempted(m Method, code int) {
	c.abandoned.Add(1)
	c.Left.Add(1)
	c.shards[0].End(m, CodeOf(code))
}

// Ended are the numbers of requests that have ended, by method and code.
type Ended [numMethods][numCodes]int64

// AddTo adds those that are not zero to a snapshot.
func (e *Ended) AddTo(out *stats.Snapshot) {
	for m := range e {
		for c, n := range e[m] {
			if n != 0 {
				out.Requests = append(out.Requests, stats.RequestCount{Method: methodNames[m], Code: codeNames[c], Count: n})
			}
		}
	}
}

// AddTo adds the numbers of requests that have ended to ended, and all others to out. Its cost does not depend on the
// number of clients.
func (c *Counters) AddTo(out *stats.Snapshot, ended *Ended) {
	waiting := c.Waiting.Load()
	running := -waiting
	for i := range c.shards {
		running += c.shards[i].Running.Load()
		for m := range ended {
			AddEach(ended[m][:], c.shards[i].ended[m][:])
		}
	}
	out.Running += max(running, 0) // the two are not read at the same time
	out.Waiting += waiting
	out.Abandoned += c.abandoned.Load()
	out.AbandonedRunning += c.Left.Load()
	labels.Add(&out.Connections, labels.TransportServe, c.Serving.Load())
	out.Sessions += c.Sessions.Load()
	labels.Add(&out.PendingBytes, labels.PendingAnswers, c.Answers.Load())
	AddLabelled[labels.Question](&out.Questions, c.questions[:])
	AddLabelled[labels.Panic](&out.Panics, c.Panicked[:])
	AddLabelled[labels.Close](&out.ConnectionsClosed, c.Closed[:])
	AddLabelled[labels.Refusal](&out.Refusals, c.Refused[:])
	c.mu.Lock()
	sources := c.sources
	c.mu.Unlock()
	for _, f := range sources {
		f(out)
	}
}

// AddEach adds each counter to the number with the same index.
func AddEach(to []int64, from []atomic.Int64) {
	for i := range from {
		to[i] += from[i].Load()
	}
}

// AddLabelled adds counters to the numbers by the values of a label. The i-th counter is for the value L(i).
func AddLabelled[L labels.Label](to *map[string]int64, from []atomic.Int64) {
	for i := range from {
		labels.Add(to, L(i), from[i].Load())
	}
}

// Asked counts an open question. The returned function ends the count.
func (c *Counters) Asked(q labels.Question) (answered func()) {
	n := &c.questions[q]
	n.Add(1)
	return func() { n.Add(-1) }
}
