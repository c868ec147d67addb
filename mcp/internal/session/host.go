package session

import (
	"context"
	"errors"
	"hash/maphash"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
)

// ErrServerClosed is returned by [Host.Serve] after [Host.Close].
var ErrServerClosed = errors.New("mcp: server is closed")

// Host is the server as its connections, sessions and exchanges see it. Its exported fields are set before the first of
// them begins. It is safe for concurrent use.
type Host struct {
	call.Shared
	Log         *slog.Logger
	Audit       *slog.Logger // nil for no records
	ShowErrors  bool         // clients get the text of every error
	Grace       time.Duration
	UpdateDelay time.Duration
	Limits      pubsub.Limits // of one Conn
	Hub         *pubsub.Hub
	Extensions  feature.Extensions // nil for none

	// NewHandler returns the handler of a Worker.
	NewHandler func(*Worker) Handler
	// Encoder writes the notifications of a session.
	Encoder func(*Conn, protocol.Revision) pubsub.Encoder
	// Lists are the lists whose changes sessions are told of.
	Lists func() []pubsub.Kind
	// Opened is called before the first message of a client is read. It may be called again.
	Opened func()
	// Blind returns a channel that is closed when listens have to end, because this process does not hear of all
	// changes any more; nil if that cannot be.
	Blind func() <-chan struct{}

	exchanges sync.Pool // of *oneShot
	workers   sync.Pool // of *Worker, for sessions

	stopping engine.Latch
	mu       sync.Mutex
	closed   bool
	// calls of Serve, and what is tracked; added to only under a lock and only before the host is closed
	serves  sync.WaitGroup
	tracked trackedTable // sessions and exchanges that a transport has opened
}

// Handler answers the requests of one Worker, on the goroutine that has read them, in their order until it calls
// [Worker.Enter].
type Handler interface {
	// Request answers the request at hand: it returns b with the result, or the error of the response.
	Request(params, b []byte) ([]byte, error)
	// CallTool answers a call of a tool, for a request of the server itself.
	CallTool(ctx context.Context, p *protocol.CallToolRequestParams) (protocol.CallToolReply, error)
	// Notification takes a notification of the revision at hand.
	Notification(method, params []byte)
	// Offers reports whether clients of the revision at hand may know of a tool or a prompt.
	Offers(k feature.Kind, name string) bool
	// ToolFailed reports whether the result at hand is that of a tool that reports its failure.
	ToolFailed() bool
	// Reset forgets the request at hand.
	Reset()
}

// Stay makes [Host.Wait] wait until release is called. It returns false if the host is closed.
func (h *Host) Stay() (release func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ok = !h.closed; ok {
		h.serves.Add(1)
	}
	return h.serves.Done, ok
}

// Stopping returns a channel that is closed when the host begins to close.
func (h *Host) Stopping() <-chan struct{} { return h.stopping.Done() }

// Close ends all connections as if their input had ended. [Host.Wait] returns once they have done so.
func (h *Host) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.stopping.Close()
	for _, t := range h.tracked.close() {
		go t.shutDown()
	}
}

// Wait waits until all calls of Serve have returned, and all sessions and exchanges have ended.
func (h *Host) Wait() { h.serves.Wait() }

// track adds t to what is closed together with the server. It returns false if the server is closed.
func (h *Host) track(t tracked) bool {
	p := h.tracked.shard(t)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	h.Opened()
	if p.all == nil {
		p.all = make(map[tracked]struct{})
	}
	p.all[t] = struct{}{}
	h.serves.Add(1)
	return true
}

// untrack removes t. It returns false the second time.
func (h *Host) untrack(t tracked) bool {
	p := h.tracked.shard(t)
	p.mu.Lock()
	defer p.mu.Unlock()
	_, found := p.all[t]
	if found {
		delete(p.all, t)
		h.serves.Done()
	}
	return found
}

// tracked is what a transport has opened by [Host.Exchange] or [Host.NewSession], and what ends with the host.
type tracked interface {
	// shutDown ends it because the host closes. Requests may go on for as long as [Host.Grace] says; nobody waits
	// for them afterwards.
	shutDown()
}

// trackedTable holds what is open. It has shards with a lock each, so that requests do not wait for each other. The
// zero value is ready to use.
type trackedTable struct {
	shards [16]trackedShard
}

type trackedShard struct {
	mu     sync.Mutex
	all    map[tracked]struct{}
	closed bool
	_      [40]byte // shards are in different cache lines
}

var trackedSeed = maphash.MakeSeed()

func (t *trackedTable) shard(x tracked) *trackedShard {
	return &t.shards[maphash.Comparable(trackedSeed, x)%uint64(len(t.shards))]
}

// close makes the table refuse additions, and returns what is in it.
func (t *trackedTable) close() (all []tracked) {
	for i := range t.shards {
		p := &t.shards[i]
		p.mu.Lock()
		p.closed = true
		for x := range p.all {
			all = append(all, x)
		}
		p.mu.Unlock()
	}
	return all
}
