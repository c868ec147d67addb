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
	Audit       *slog.Logger // the audit log; nil for none
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
	// Opened is called before the first message of a client is read. It may be called more than once.
	Opened func()
	// Blind returns a channel that is closed when this process no longer hears of all changes, so that listens have to
	// end. It returns nil if that cannot happen.
	Blind func() <-chan struct{}

	exchanges sync.Pool // of *oneShot
	workers   sync.Pool // of *Worker, for sessions

	stopping engine.Latch
	mu       sync.Mutex
	closed   bool
	// serves counts the calls of Serve, what was opened by Stay, and what is tracked. It grows only before the host is
	// closed, under mu or the lock of a shard.
	serves  sync.WaitGroup
	tracked trackedTable // sessions and exchanges that a transport has opened
}

// Handler answers the requests of one Worker, on the goroutine that has read them. Until a request calls
// [Worker.Enter], no later message is read.
type Handler interface {
	// Request answers the current request: it returns b with the result appended, or the error of the response.
	Request(params, b []byte) ([]byte, error)
	// CallTool answers a call of a tool that the server itself makes, for a task.
	CallTool(ctx context.Context, p *protocol.CallToolRequestParams) (protocol.CallToolReply, error)
	// Notification handles a notification, in the revision of the Worker.
	Notification(method, params []byte)
	// Offers reports whether clients of the revision of the current request may know of a tool or a prompt.
	Offers(k feature.Kind, name string) bool
	// ToolFailed reports whether the result of the current request has isError, because a tool has failed.
	ToolFailed() bool
	// Reset forgets the current request, so that the Handler can answer another one.
	Reset()
}

// Stay makes [Host.Wait] wait until release is called. If the host is closed, ok is false and release must not be
// called.
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

// Close ends all connections as if their input had ended. It does not wait for them: see [Host.Wait].
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

// untrack removes t. It returns false if t is not tracked any more.
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

// tracked is an exchange or a session that a transport has opened by [Host.Exchange] or [Host.NewSession]. It ends with
// the host.
type tracked interface {
	// shutDown ends the exchange or session because the host closes. It waits for running requests for [Host.Grace] at
	// most.
	shutDown()
}

// trackedTable holds the open exchanges and sessions. It has shards with a lock each, so that requests do not wait for
// each other. The zero value is ready to use.
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
